// SPDX-License-Identifier: Apache-2.0
#include "infer/packed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "infer/decide.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

using Bytes = std::vector<std::byte>;

// From places of bytes to places of bits.
class Packer {
 public:
  Packer(const InferOptions& options, std::int64_t dump_bytes)
      : options_(options), dump_bytes_(dump_bytes) {}

  // nullopt: a pitch, an alignment or the start is no whole number of bytes.
  [[nodiscard]] std::optional<InferFit> run(InferFit fit) const {
    Expression expression = fit.layout.expression();
    drop_empty_axis(expression);
    bool whole = scale(fit.start_byte);
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
    fit.base_bytes = 0;
    fit.layout = *layout;
    const std::int64_t beyond =
        dump_bytes_ + fit.start_byte - layout->size_bytes();
    fit.trailing_bytes = std::max<std::int64_t>(beyond, 0);
    fit.missing_bytes = std::max<std::int64_t>(-beyond, 0);
    return fit;
  }

 private:
  // One step of an axis without digits is what the dump's last byte has beyond the places.
  void drop_empty_axis(Expression& expression) const {
    if (expression.axes.size() < 2 || !expression.axes[0].terms.empty()) return;
    Expression without = expression;
    without.axes.erase(without.axes.begin());
    const Result<Layout> layout = Layout::bind(
        without, options_.shape, Binding{.element_bits = options_.packed_bits});
    if (layout && layout->size_bytes() == dump_bytes_) {
      expression = std::move(without);
    }
  }

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

void append_places(std::span<const std::byte> stream, std::int64_t bits,
                   std::int64_t width, std::vector<std::byte>& places) {
  const auto size = static_cast<std::int64_t>(stream.size());
  const std::int64_t count = size * 8 / bits;
  auto at = static_cast<std::int64_t>(places.size());
  places.resize(places.size() + static_cast<std::size_t>(count * width));
  for (std::int64_t p = 0; p < count; ++p, at += width) {
    // A load takes up to 56 bits.
    for (std::int64_t done = 0; done < bits; done += 32) {
      const std::int64_t part = std::min<std::int64_t>(32, bits - done);
      const std::uint64_t value =
          detail::load_bits(stream.data(), size, p * bits + done, part);
      std::memcpy(places.data() + at + done / 8, &value,
                  static_cast<std::size_t>((part + 7) / 8));
    }
  }
}

std::vector<std::byte> without_high_bits(std::span<const std::byte> elements,
                                         std::int64_t bits,
                                         std::int64_t width) {
  std::vector<std::byte> low(elements.begin(), elements.end());
  for (std::size_t k = 0; k < low.size(); ++k) {
    const std::int64_t first = static_cast<std::int64_t>(k) % width * 8;
    const std::int64_t counted = std::clamp<std::int64_t>(bits - first, 0, 8);
    low[k] &= static_cast<std::byte>((1U << counted) - 1);
  }
  return low;
}

InferReport decide_packed(std::span<const InferPair> pairs,
                          const InferOptions& options, std::int64_t elements) {
  std::vector<Bytes> memory;
  std::vector<InferPair> wide;
  for (const InferPair& pair : pairs) {
    memory.push_back(without_high_bits(pair.reference, options.packed_bits,
                                       options.element_bytes));
    memory.emplace_back();
    append_places(pair.dump, options.packed_bits, options.element_bytes,
                  memory.back());
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
