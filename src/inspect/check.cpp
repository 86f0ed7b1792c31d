// A tensor in memory on its own: what lies where nothing should.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "inspect/sizes.hpp"
#include "inspect/value.hpp"
#include "inspect/words.hpp"
#include "stridewise/diff.hpp"

namespace stridewise {
namespace {

using inspect::Value;

constexpr std::int64_t step_bytes = std::int64_t{64} << 20;
constexpr std::size_t most_leaks = 16;
constexpr std::int64_t most_followed = 4096;  // places of padding looked into

class Checker {
 public:
  Checker(const Layout& layout, std::span<const std::byte> bytes,
          const ElementType& type,
          const std::function<void(std::int64_t)>& passed)
      : layout_(layout),
        bytes_(bytes),
        type_(type),
        passed_(passed),
        width_(static_cast<std::size_t>(type.bytes())),
        index_(layout.shape().size()) {}

  CheckReport run() {
    report_.elements = layout_.elements();
    report_.padding = layout_.places() - layout_.elements();
    for (const Dim& dim : layout_.shape()) {
      nan_.push_back({dim.name, {}});
      inf_.push_back({dim.name, {}});
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
    close();
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
    if (floats) {
      const Value value = inspect::value_at(type_, at(place));
      if (value.finite()) {
        if (report_.padding == 0) return;
      } else if (layout_.element_at(place, index_) == Place::element) {
        return not_finite(value);
      }
    }
    if (layout_.element_at(place, index_) == Place::element) return;
    ++report_.padding_nonzero;
    leak(place);
  }

  void not_finite(const Value& value) {
    const bool nan = value.nan();
    ++(nan ? report_.nan : report_.inf);
    auto& first = nan ? report_.first_nan : report_.first_inf;
    if (!first || index_ < *first) first = index_;
    auto& by_dim = nan ? nan_ : inf_;
    for (std::size_t d = 0; d < index_.size(); ++d) {
      auto& counts = by_dim[d].counts;
      counts.resize(static_cast<std::size_t>(layout_.shape()[d].extent));
      ++counts[static_cast<std::size_t>(index_[d])];
    }
  }

  // ------------------------------------------------------------- leaks ---

  void leak(std::int64_t place) {
    if (last_leak_ + 1 != place || last_leak_ < 0) {
      close();
      first_leak_ = place;
    }
    last_leak_ = place;
    if (followed_ < most_followed) {
      ++followed_;
      follow(place);
    }
  }
  void close() {
    if (last_leak_ < 0 || report_.leaks.size() >= most_leaks) return;
    const std::int64_t count = last_leak_ - first_leak_ + 1;
    report_.leaks.push_back({first_leak_ * layout_.element_bytes(), count,
                             origin_of(first_leak_, count)});
    last_leak_ = -1;
  }

  // An element that has what these places have; the nearest one wins.
  std::string origin_of(std::int64_t place, std::int64_t count) {
    const std::int64_t reach =
        std::min<std::int64_t>(layout_.places(), 1 << 16);
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::int64_t>(count, 64)) * width_;
    const auto have = static_cast<std::int64_t>(size / width_);
    // One value is found by chance.
    if (have < 2 || constant(place, have)) return "";
    for (std::int64_t away = 1; away <= reach; ++away) {
      for (const std::int64_t other : {place + away, place - away}) {
        if (other < 0 || other + have > layout_.places()) continue;
        if (std::memcmp(at(other), at(place), size) != 0) continue;
        std::vector<std::int64_t> first(index_.size());
        std::vector<std::int64_t> last(index_.size());
        if (layout_.element_at(other, first) != Place::element ||
            layout_.element_at(other + have - 1, last) != Place::element) {
          continue;
        }
        return range(first, last);
      }
    }
    return "";
  }
  [[nodiscard]] bool constant(std::int64_t place, std::int64_t count) const {
    for (std::int64_t k = 1; k < count; ++k) {
      if (std::memcmp(at(place), at(place + k), width_) != 0) return false;
    }
    return true;
  }
  // "n=0,c=0..7,h=1,w=0"
  [[nodiscard]] std::string range(const std::vector<std::int64_t>& first,
                                  const std::vector<std::int64_t>& last) const {
    std::string text;
    for (std::size_t d = 0; d < first.size(); ++d) {
      text += fmt::format("{}{}={}", d == 0 ? "" : ",", layout_.shape()[d].name,
                          first[d]);
      if (last[d] != first[d]) text += fmt::format("..{}", last[d]);
    }
    return text;
  }

  // Where a digit of a dim leads beyond its extent: the index it would have.
  void follow(std::int64_t place) {
    for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
      const auto found = beyond(place, d);
      if (found < 0) continue;
      ++beyond_[{d, found}];
      return;
    }
    ++gaps_;
  }
  // The index >= extent of dim d of which this would be the place, if the tensor
  // were larger; -1: it is not.
  std::int64_t beyond(std::int64_t place, std::size_t d) {
    if (larger_.empty()) make_larger();
    if (!larger_[d]) return -1;
    std::vector<std::int64_t> index(index_.size());
    if (place >= larger_[d]->places() ||
        larger_[d]->element_at(place, index) != Place::element ||
        index[d] < layout_.shape()[d].extent) {
      return -1;
    }
    return index[d];
  }
  // The same memory with one dim filled up to whole blocks.
  void make_larger() {
    for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
      std::int64_t block = 1;
      Expression expression = layout_.expression();
      std::size_t k = 0;
      for (Axis& axis : expression.axes) {
        for (Term& term : axis.terms) {
          const BoundTerm& bound = layout_.terms()[k++];
          term.stride = {Step::Kind::exact, bound.stride};
          if (bound.dim == static_cast<std::int32_t>(d) && bound.mod != 0) {
            block = std::max(block, bound.div * bound.mod);
          }
        }
      }
      for (std::size_t a = 0; a + 1 < expression.axes.size(); ++a) {
        expression.axes[a].pitch = {Step::Kind::exact,
                                    layout_.axes()[a].pitch_bytes};
      }
      Shape shape = layout_.shape();
      shape[d].extent = (shape[d].extent + block - 1) / block * block;
      Result<Layout> bound =
          Layout::bind(expression, shape, layout_.element_bytes());
      const bool usable = bound && bound->valid() &&
                          shape[d].extent > layout_.shape()[d].extent;
      larger_.push_back(usable ? std::optional<Layout>(*std::move(bound))
                               : std::nullopt);
    }
  }

  // ---------------------------------------------------------- sentences ---

  void summarise() {
    if (report_.padding_nonzero > 0) {
      report_.findings.push_back(
          fmt::format("{} of {} places without an element are not zero",
                      report_.padding_nonzero, report_.padding));
      tails();
      for (const LeakReport& leak : report_.leaks) {
        if (leak.holds.empty()) continue;
        report_.findings.push_back(
            fmt::format("byte {} holds {}", leak.byte, leak.holds));
        break;
      }
      if (gaps_ > 0) {
        report_.findings.push_back(fmt::format(
            "gaps between rows, planes or alignments are not zero, from byte "
            "{} on",
            report_.leaks.empty() ? 0 : report_.leaks[0].byte));
      }
    }
    places_of("NaN", report_.nan, nan_);
    places_of("infinite", report_.inf, inf_);
  }

  // "the tail channels c=17..31 are not zero"
  void tails() {
    for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
      std::int64_t low = -1;
      std::int64_t high = -1;
      for (const auto& [where, count] : beyond_) {
        if (where.first != d) continue;
        low = low < 0 ? where.second : std::min(low, where.second);
        high = std::max(high, where.second);
      }
      if (low < 0) continue;
      const std::string name = layout_.shape()[d].name;
      report_.findings.push_back(fmt::format(
          "the tail of {} is not zero: {}={}{} of the last block", name, name,
          low, low == high ? "" : fmt::format("..{}", high)));
    }
  }

  void places_of(const char* what, std::int64_t count,
                 const std::vector<DiffCounts>& by_dim) {
    if (count == 0) return;
    std::string where;
    for (const DiffCounts& dim : by_dim) {
      std::vector<bool> in;
      for (const std::int64_t c : dim.counts) in.push_back(c > 0);
      if (const std::string set = inspect::print_set(dim.name, in);
          !set.empty()) {
        where += (where.empty() ? "" : ", ") + set;
      }
    }
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
  std::int64_t first_leak_ = -1;
  std::int64_t last_leak_ = -1;
  std::int64_t followed_ = 0;
  std::int64_t gaps_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> beyond_;
  std::vector<std::optional<Layout>> larger_;
  CheckReport report_;
};

}  // namespace

Result<CheckReport> check_memory(
    const Layout& layout, std::span<const std::byte> bytes,
    const ElementType& type, const std::function<void(std::int64_t)>& passed) {
  if (auto fits = inspect::check_bytes(layout, bytes, type, "the memory");
      !fits) {
    return unexpected(fits.error());
  }
  return Checker(layout, bytes, type, passed).run();
}

}  // namespace stridewise
