// SPDX-License-Identifier: Apache-2.0
#include "infer/packed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "infer/decide.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

using Bytes = std::vector<std::byte>;

std::uint64_t mask_of(std::int64_t bits) {
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// `bits` from bit `first` on, lowest first.
std::uint64_t bits_at(std::span<const std::byte> bytes, std::int64_t first,
                      std::int64_t bits) {
  std::uint64_t value = 0;
  for (std::int64_t done = 0; done < bits;) {
    const std::int64_t bit = first + done;
    const auto byte = std::to_integer<std::uint64_t>(
        bytes[static_cast<std::size_t>(bit / 8)]);
    const std::int64_t taken = std::min(bits - done, 8 - bit % 8);
    value |= (byte >> (bit % 8) & mask_of(taken)) << done;
    done += taken;
  }
  return value;
}

// Every place of the stream in bytes of its own.
Bytes unpacked(std::span<const std::byte> stream, std::int64_t bits,
               std::int64_t width) {
  const auto places = static_cast<std::int64_t>(stream.size()) * 8 / bits;
  Bytes bytes(static_cast<std::size_t>(places * width));
  for (std::int64_t p = 0; p < places; ++p) {
    const std::uint64_t value = bits_at(stream, p * bits, bits);
    std::memcpy(bytes.data() + p * width, &value,
                static_cast<std::size_t>(width));
  }
  return bytes;
}

// The elements without the bits that do not count, such as those of a sign.
Bytes masked(std::span<const std::byte> elements, std::int64_t bits,
             std::int64_t width) {
  Bytes bytes(elements.begin(), elements.end());
  for (std::size_t k = 0; k < bytes.size();
       k += static_cast<std::size_t>(width)) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + k, static_cast<std::size_t>(width));
    value &= mask_of(bits);
    std::memcpy(bytes.data() + k, &value, static_cast<std::size_t>(width));
  }
  return bytes;
}

// From places of bytes to places of bits.
class Packer {
 public:
  Packer(const InferOptions& options, std::int64_t dump_bytes)
      : options_(options), dump_bytes_(dump_bytes) {}

  // nullopt: a pitch, an alignment or the start is no whole number of bytes.
  [[nodiscard]] std::optional<InferFit> run(InferFit fit) const {
    Expression expression = fit.layout.expression();
    bool whole = scale(fit.start_byte) && scale(fit.base_bytes);
    for (Axis& axis : expression.axes) {
      whole = whole && scale(axis.pitch, true);
      for (Term& term : axis.terms) whole = whole && scale(term.stride, false);
    }
    if (!whole) return std::nullopt;
    const Result<Layout> layout =
        Layout::bind(expression, options_.shape,
                     Binding{.element_bits = options_.packed_bits});
    if (!layout) return std::nullopt;
    std::erase_if(fit.names, [&](const std::string& name) {
      return !same(name, *layout);
    });
    fit.names_at_base.clear();
    fit.layout = *layout;
    const std::int64_t beyond =
        dump_bytes_ + fit.start_byte - layout->size_bytes();
    fit.trailing_bytes = std::max<std::int64_t>(beyond, 0);
    fit.missing_bytes = std::max<std::int64_t>(-beyond, 0);
    return fit;
  }

 private:
  bool scale(std::int64_t& bytes) const {
    const std::int64_t bits =
        bytes / options_.element_bytes * options_.packed_bits;
    if (bytes % options_.element_bytes != 0 || bits % 8 != 0) return false;
    bytes = bits / 8;
    return true;
  }
  bool scale(Step& step, bool pitch) const {
    const bool bytes = step.kind == Step::Kind::aligned ||
                       step.kind == Step::Kind::bytes ||
                       (pitch && step.kind == Step::Kind::exact);
    return !bytes || scale(step.value);
  }

  // Whether the name means the same of elements of so many bits.
  [[nodiscard]] bool same(const std::string& name, const Layout& layout) const {
    const Result<LayoutSource> source =
        resolve_layout(name, {}, options_.names);
    if (!source) return false;
    const Result<Layout> named = source->bind(
        options_.shape, Binding{.element_bits = options_.packed_bits});
    return named && named->pieces().size() == 1 &&
           print(named->expression()) == print(layout.expression());
  }

  const InferOptions& options_;
  std::int64_t dump_bytes_;
};

}  // namespace

InferReport decide_packed(std::span<const InferPair> pairs,
                          const InferOptions& options, std::int64_t elements) {
  std::vector<Bytes> memory;
  std::vector<InferPair> wide;
  for (const InferPair& pair : pairs) {
    memory.push_back(
        masked(pair.reference, options.packed_bits, options.element_bytes));
    memory.push_back(
        unpacked(pair.dump, options.packed_bits, options.element_bytes));
    wide.push_back({memory[memory.size() - 2], memory.back()});
  }
  InferOptions bytes = options;
  bytes.packed_bits = 0;
  bytes.zeros.clear();
  bytes.progress = {};
  InferReport report = decide(wide, bytes, elements);
  const Packer packer(options,
                      static_cast<std::int64_t>(pairs.front().dump.size()));
  std::vector<InferFit> fits;
  for (InferFit& fit : std::exchange(report.fits, {})) {
    if (auto packed = packer.run(std::move(fit))) {
      fits.push_back(*std::move(packed));
    }
  }
  const bool found = report.outcome == InferReport::Outcome::one ||
                     report.outcome == InferReport::Outcome::unproven ||
                     report.outcome == InferReport::Outcome::several;
  if (found && fits.empty()) {
    report.outcome = InferReport::Outcome::none;
    report.reason = fmt::format(
        "what fits begins or ends within a byte, where elements of {} bits do",
        options.packed_bits);
  }
  report.fits = std::move(fits);
  if (report.best) report.best = packer.run(*std::move(report.best));
  return report;
}

}  // namespace stridewise::inference
