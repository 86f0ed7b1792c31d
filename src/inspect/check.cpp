// A tensor in memory on its own: what lies where nothing should.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "inspect/leaks.hpp"
#include "inspect/sizes.hpp"
#include "inspect/value.hpp"
#include "inspect/words.hpp"
#include "stridewise/diff.hpp"

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
      report_.leak_runs = leaks_.all_runs();
    }
    places_of("NaN", report_.nan, nan_);
    places_of("infinite", report_.inf, inf_);
  }

  void places_of(const char* what, std::int64_t count,
                 const std::vector<DiffCounts>& by_dim) {
    if (count == 0) return;
    const std::string where = inspect::print_all_counts(by_dim);
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

}  // namespace

Result<CheckReport> check_memory(
    const Layout& layout, std::span<const std::byte> bytes,
    const ElementType& type, const std::function<void(std::int64_t)>& passed,
    std::int64_t first_byte) {
  if (auto fits = inspect::check_bytes(layout, bytes, type, "the memory");
      !fits) {
    return unexpected(fits.error());
  }
  return Checker(layout, bytes, type, passed, first_byte).run();
}

}  // namespace stridewise
