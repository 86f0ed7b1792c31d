// A tensor in memory on its own: what lies where nothing should.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "inspect/decoded.hpp"
#include "inspect/leaks.hpp"
#include "inspect/sizes.hpp"
#include "inspect/value.hpp"
#include "inspect/words.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {
namespace {

using inspect::Value;

constexpr std::int64_t step_bytes = std::int64_t{64} << 20;

class Checker {
 public:
  Checker(const Layout& layout, std::span<const std::byte> bytes,
          const ElementType& type,
          const std::function<void(std::int64_t)>& passed,
          std::int64_t first_byte)
      : layout_(layout),
        bytes_(bytes),
        type_(type),
        passed_(passed),
        width_(static_cast<std::size_t>(type.bytes())),
        index_(layout.shape().size()),
        leaks_(layout, bytes, first_byte) {}

  CheckReport run() {
    report_.elements = layout_.elements();
    report_.padding = layout_.places() - layout_.elements();
    for (const Dim& dim : layout_.shape()) {
      nan_.push_back(inspect::counts_of(dim.name, dim.extent));
      inf_.push_back(inspect::counts_of(dim.name, dim.extent));
    }
    const bool floats = inspect::has_nan(type_);
    const std::int64_t places = layout_.places();
    // Without padding, integers have nothing to be looked at.
    if (report_.padding > 0 || floats) {
      for (std::int64_t place = 0; place < places;) {
        place = walk(place, std::min(places, place + block_places()), floats);
        if (passed_) passed_(place * layout_.element_bytes());
      }
    }
    leaks_.close();
    summarise();
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::int64_t block_places() const {
    return std::max<std::int64_t>(step_bytes / layout_.element_bytes(), 1);
  }
  [[nodiscard]] const std::byte* at(std::int64_t place) const {
    return bytes_.data() + static_cast<std::size_t>(place) * width_;
  }
  [[nodiscard]] bool zero(std::int64_t place) const {
    const std::byte* const p = at(place);
    return std::all_of(p, p + width_,
                       [](std::byte b) { return b == std::byte{0}; });
  }

  std::int64_t walk(std::int64_t place, std::int64_t end, bool floats) {
    constexpr std::int64_t zeros = 4096;
    static constexpr std::byte nothing[zeros] = {};
    const std::int64_t run = zeros / layout_.element_bytes();
    while (place < end) {
      // Zeros are neither NaN nor a leak: most of a sparse file.
      if (place + run <= end &&
          std::memcmp(at(place), nothing,
                      static_cast<std::size_t>(run) * width_) == 0) {
        place += run;
        continue;
      }
      const std::int64_t last = std::min(place + run, end);
      for (; place < last; ++place) look(place, floats);
    }
    return end;
  }

  void look(std::int64_t place, bool floats) {
    if (zero(place)) return;
    bool finite = true;
    if (floats) {
      const Value value = inspect::value_at(type_, at(place));
      finite = value.finite();
      if (finite && report_.padding == 0) return;
      if (!finite && layout_.element_at(place, index_) == Place::element) {
        return not_finite(value);
      }
    }
    if (layout_.element_at(place, index_) == Place::element) return;
    ++report_.padding_nonzero;
    if (!finite) ++report_.padding_not_finite;
    leaks_.add(place);
  }

  void not_finite(const Value& value) {
    const bool nan = value.nan();
    ++(nan ? report_.nan : report_.inf);
    auto& first = nan ? report_.first_nan : report_.first_inf;
    if (!first || index_ < *first) first = index_;
    auto& by_dim = nan ? nan_ : inf_;
    for (std::size_t d = 0; d < index_.size(); ++d) {
      inspect::add(by_dim[d], index_[d], 1);
    }
  }

  // ---------------------------------------------------------- sentences ---

  void summarise() {
    if (report_.padding_nonzero > 0) {
      report_.findings.push_back(
          fmt::format("{} of {} places without an element are not zero{}",
                      report_.padding_nonzero, report_.padding,
                      report_.padding_not_finite == 0
                          ? ""
                          : fmt::format(", {} of them NaN or infinite",
                                        report_.padding_not_finite)));
      for (std::string& sentence : leaks_.sentences()) {
        report_.findings.push_back(std::move(sentence));
      }
      report_.leaks = leaks_.runs();
      report_.leak_sets = leaks_.sets();
      report_.leak_runs = leaks_.all_runs();
    }
    report_.nan_indices = indices_of(report_.nan, nan_);
    report_.inf_indices = indices_of(report_.inf, inf_);
    places_of("NaN", report_.nan, report_.nan_indices);
    places_of("infinite", report_.inf, report_.inf_indices);
  }

  // "all of n=1, h=0..3", as diff says it; of one element, its index.
  [[nodiscard]] std::string indices_of(
      std::int64_t count, const std::vector<DiffCounts>& by_dim) const {
    if (count == 0) return "";
    std::string indices = inspect::print_all_counts(by_dim);
    if (count == 1) return indices;
    std::string where = inspect::print_where(by_dim, count, report_.elements);
    return where.empty() ? indices : where;
  }

  void places_of(const char* what, std::int64_t count,
                 const std::string& where) {
    if (count == 0) return;
    report_.findings.push_back(fmt::format(
        "{} element{} {} {}{}", count, count == 1 ? "" : "s",
        count == 1 ? "is" : "are", what, where.empty() ? "" : ": " + where));
  }

  const Layout& layout_;
  std::span<const std::byte> bytes_;
  const ElementType& type_;
  const std::function<void(std::int64_t)>& passed_;
  const std::size_t width_;
  std::vector<std::int64_t> index_;
  std::vector<DiffCounts> nan_;
  std::vector<DiffCounts> inf_;
  inspect::Leaks leaks_;
  CheckReport report_;
};

using Memory = std::unique_ptr<std::byte[]>;

// What memory is where the elements are those of `bytes`, or all of their bits are set:
// copies are equal then, and all else is zero.
Result<Memory> elements_alone(const Layout& layout,
                              std::span<const std::byte> bytes, bool all_set) {
  Memory alone = inspect::zeros(layout.size_bytes());
  for (const Tensor& tensor : layout.tensors()) {
    const Result<Layout> part = layout.part(tensor.name);
    if (!part) return unexpected(part.error());
    const Result<Layout> rows = row_major(*part, tensor.element_bits);
    if (!rows) return unexpected(rows.error());
    const Result<Plan> out = Plan::make(*part, *rows, Fill::keep);
    const Result<Plan> back = Plan::make(*rows, *part, Fill::keep);
    if (!out || !back) return unexpected((out ? back : out).error());
    const Memory memory = inspect::zeros(rows->size_bytes());
    if (alone == nullptr || memory == nullptr) {
      return fail(ErrorCode::overflow, "no memory to look at padding");
    }
    if (all_set) {
      std::fill_n(memory.get(), rows->size_bytes(), std::byte{0xff});
    } else {
      out->run(bytes.data(), memory.get());
    }
    back->run(memory.get(), alone.get());
  }
  return alone;
}

std::int64_t bits_set(std::byte byte) {
  return std::popcount(static_cast<unsigned>(byte));
}

// Bytes with bits that no element has, or with a copy that is not equal.
void find_leaks(std::span<const std::byte> bytes, const Memory& alone,
                const Memory& held, std::int64_t first_byte,
                CheckReport& report) {
  constexpr std::size_t most_runs = 16;
  std::int64_t copies = 0;  // bits
  const std::size_t size = bytes.size();
  for (std::size_t k = 0; k < size; ++k) {
    if (bytes[k] == alone[k]) continue;
    const std::size_t first = k;
    std::int64_t of_copies = 0;
    for (; k < size && bytes[k] != alone[k]; ++k) {
      const std::byte wrong = bytes[k] ^ alone[k];
      of_copies += bits_set(wrong & held[k]);
      report.padding_nonzero += bits_set(wrong & ~held[k]);
    }
    copies += of_copies;
    ++report.leak_runs;
    if (report.leaks.size() < most_runs) {
      report.leaks.push_back({first_byte + static_cast<std::int64_t>(first),
                              static_cast<std::int64_t>(k - first),
                              of_copies > 0 ? "a copy that is not equal" : ""});
    }
  }
  if (report.padding_nonzero > 0) {
    report.findings.push_back(fmt::format(
        "{} bit{} that no element has {} not zero", report.padding_nonzero,
        report.padding_nonzero == 1 ? "" : "s",
        report.padding_nonzero == 1 ? "is" : "are"));
  }
  if (copies > 0) {
    report.findings.push_back(fmt::format("{} bit{} of copies differ", copies,
                                          copies == 1 ? "" : "s"));
  }
}

Result<CheckReport> check_decoded(const Layout& layout,
                                  std::span<const std::byte> bytes,
                                  const ElementType& type,
                                  std::int64_t first_byte) {
  if (layout.unreadable()) return unexpected(*layout.unreadable());
  const Result<inspect::Decoded> rows = inspect::decode(layout, type, bytes);
  if (!rows) return unexpected(rows.error());
  CheckReport report =
      Checker(rows->layout, rows->bytes(), rows->type, {}, 0).run();
  for (std::string& finding : report.findings) {
    finding = inspect::with_own_names(std::move(finding), layout.shape());
  }
  for (std::string* indices : {&report.nan_indices, &report.inf_indices}) {
    *indices = inspect::with_own_names(std::move(*indices), layout.shape());
  }
  report.in_bits = true;
  report.padding = 0;
  // What is not one-to-one cannot be written again.
  report.padding_looked_at = layout.valid();
  if (!layout.valid()) return report;
  const Result<Memory> alone = elements_alone(layout, bytes, false);
  const Result<Memory> held = elements_alone(layout, bytes, true);
  if (!alone || !held) return unexpected((alone ? held : alone).error());
  report.padding = layout.size_bits();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    report.padding -= bits_set((*held)[k]);
  }
  find_leaks(bytes, *alone, *held, first_byte, report);
  return report;
}

}  // namespace

Result<CheckReport> check_memory(
    const Layout& layout, std::span<const std::byte> bytes,
    const ElementType& type, const std::function<void(std::int64_t)>& passed,
    std::int64_t first_byte) {
  if (!inspect::reads_as_is(layout) || plain_type(type) != type) {
    return check_decoded(layout, bytes, type, first_byte);
  }
  if (auto fits = inspect::check_bytes(layout, bytes, type, "the memory");
      !fits) {
    return unexpected(fits.error());
  }
  return Checker(layout, bytes, type, passed, first_byte).run();
}

}  // namespace stridewise
