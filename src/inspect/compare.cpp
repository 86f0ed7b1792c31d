// SPDX-License-Identifier: Apache-2.0
#include "inspect/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "inspect/parts.hpp"
#include "inspect/value.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::int64_t part_bytes = std::int64_t{16} << 20;
// Bytes that are skipped at once where both sides are the same.
constexpr std::int64_t block_bytes = std::int64_t{1} << 16;
// An axis with more coordinates than this is not counted.
constexpr std::int64_t most_counted = 1 << 16;

class Comparer {
 public:
  Comparer(const Sides& sides, const DiffOptions& options, DiffReport& report)
      : sides_(sides),
        options_(options),
        report_(report),
        width_(sides.a.element_bytes()),
        coordinates_(sides.a.axes().size()) {
    for (const Dim& dim : sides.a.shape()) {
      report_.by_dim.push_back({dim.name, {}});
    }
    if (sides.a.axes().size() < 2) return;
    for (const BoundAxis& axis : sides.a.axes()) {
      report_.by_axis.push_back({axis.name, {}});
    }
  }

  Result<Extent> run() {
    if (sides_.a == sides_.b) {
      in_memory_order();
      return extent_;
    }
    for (const Box& box :
         boxes_of(sides_.a, sides_.b,
                  std::max(part_bytes / width_, std::int64_t{1}))) {
      if (auto done = in_logical_order(box); !done) {
        return unexpected(done.error());
      }
    }
    return extent_;
  }

 private:
  [[nodiscard]] bool equal_bytes(const std::byte* a, const std::byte* b,
                                 std::int64_t count) const {
    return std::memcmp(a, b, static_cast<std::size_t>(count)) == 0;
  }

  // Equal layouts: equal bytes are equal elements. The places that differ are
  // asked what they hold.
  void in_memory_order() {
    const std::byte* const a = sides_.a_bytes.data();
    const std::byte* const b = sides_.b_bytes.data();
    const std::int64_t size = sides_.a.size_bytes();
    const std::int64_t block = block_bytes / width_ * width_;
    std::int64_t told = 0;
    std::vector<std::int64_t> index(sides_.a.shape().size());
    for (std::int64_t at = 0; at < size; at += block) {
      const std::int64_t count = std::min(block, size - at);
      if (!equal_bytes(a + at, b + at, count)) {
        for (std::int64_t byte = at; byte < at + count; byte += width_) {
          if (equal_bytes(a + byte, b + byte, width_)) continue;
          if (sides_.a.element_at(byte / width_, index) != Place::element) {
            continue;
          }
          element(index, byte, byte);
        }
      }
      if (options_.passed && at + count - told >= 4 * part_bytes) {
        told = at + count;
        options_.passed(told, told);
      }
    }
  }

  Result<void> in_logical_order(const Box& box) {
    const Result<Layout> dense = logical_order(box.shape, width_);
    if (!dense) return unexpected(dense.error());
    buffer_a_.resize(static_cast<std::size_t>(dense->size_bytes()));
    buffer_b_.resize(buffer_a_.size());
    if (auto read = gather(sides_.a, sides_.a_bytes, box, *dense, buffer_a_);
        !read) {
      return read;
    }
    if (auto read = gather(sides_.b, sides_.b_bytes, box, *dense, buffer_b_);
        !read) {
      return read;
    }
    const std::int64_t size = dense->size_bytes();
    const std::int64_t block = block_bytes / width_ * width_;
    for (std::int64_t at = 0; at < size; at += block) {
      const std::int64_t count = std::min(block, size - at);
      if (equal_bytes(buffer_a_.data() + at, buffer_b_.data() + at, count)) {
        continue;
      }
      for (std::int64_t byte = at; byte < at + count; byte += width_) {
        if (equal_bytes(buffer_a_.data() + byte, buffer_b_.data() + byte,
                        width_)) {
          continue;
        }
        std::vector<std::int64_t> index(box.begin);
        std::int64_t rest = byte / width_;
        for (std::size_t d = index.size(); d-- > 0;) {
          index[d] += rest % box.shape[d].extent;
          rest /= box.shape[d].extent;
        }
        element(index, sides_.a.offset(index) * width_,
                sides_.b.offset(index) * width_);
      }
    }
    if (options_.passed) options_.passed(0, 0);
    return {};
  }

  static Result<void> gather(const Layout& layout,
                             std::span<const std::byte> bytes, const Box& box,
                             const Layout& dense,
                             std::vector<std::byte>& into) {
    const Result<Layout> part = part_of(layout, box);
    if (!part) return unexpected(part.error());
    const Result<Plan> plan =
        Plan::make(*part, dense, PlanOptions{.fill = Fill::keep});
    if (!plan) return unexpected(plan.error());
    plan->run(bytes.data(), into.data());
    return {};
  }

  // Whether values that differ are near enough.
  [[nodiscard]] bool tolerated(const Difference& d, const Value& a,
                               const Value& b) const {
    if (a.nan() && b.nan()) return true;
    if (a.real == b.real && a.imaginary == b.imaginary) {
      // Integers of 64 bits may be one double and yet differ.
      return has_nan(options_.type);
    }
    if (a.nan() || b.nan()) return false;
    const Tolerance& t = options_.tolerance;
    const double room = t.atol + t.rtol * std::hypot(b.real, b.imaginary);
    if (room > 0 && std::isfinite(d.abs) && d.abs <= room) return true;
    return t.ulp >= 0 && has_nan(options_.type) && d.ulp <= t.ulp &&
           options_.type.kind != ElementKind::complex_floating;
  }

  // An element whose bits differ.
  void element(const std::vector<std::int64_t>& index, std::int64_t byte_a,
               std::int64_t byte_b) {
    const std::byte* const at_a = sides_.a_bytes.data() + byte_a;
    const std::byte* const at_b = sides_.b_bytes.data() + byte_b;
    const Value a = value_at(options_.type, at_a);
    const Value b = value_at(options_.type, at_b);
    Difference d{.index = {},
                 .byte_a = byte_a,
                 .byte_b = byte_b,
                 .a = a.real,
                 .b = b.real};
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const bool finite = a.finite() && b.finite();
    d.abs = finite ? std::hypot(a.real - b.real, a.imaginary - b.imaginary)
                   : infinite;
    const double size = std::hypot(b.real, b.imaginary);
    d.rel = finite && size > 0 ? d.abs / size : infinite;
    d.ulp = a.nan() || b.nan() ? 0 : ulp_distance(options_.type, at_a, at_b);
    if (tolerated(d, a, b)) return;
    ++report_.differences;
    report_.nan_a += a.nan() && !b.nan() ? 1 : 0;
    report_.nan_b += b.nan() && !a.nan() ? 1 : 0;
    if (finite) report_.max_abs = std::max(report_.max_abs, d.abs);
    if (std::isfinite(d.rel))
      report_.max_rel = std::max(report_.max_rel, d.rel);
    report_.max_ulp = std::max(report_.max_ulp, d.ulp);
    extent_.first_byte_a = extent_.first_byte_a < 0
                               ? byte_a
                               : std::min(extent_.first_byte_a, byte_a);
    extent_.last_byte_a = std::max(extent_.last_byte_a, byte_a);
    count(index);
    if (!report_.first || index < report_.first->index) {
      report_.first = d;
      report_.first->index = index;
    }
    if (!report_.worst || d.abs > report_.worst->abs ||
        (d.abs == report_.worst->abs && index < report_.worst->index)) {
      report_.worst = d;
      report_.worst->index = index;
    }
  }

  void count(const std::vector<std::int64_t>& index) {
    for (std::size_t d = 0; d < index.size(); ++d) {
      auto& counts = report_.by_dim[d].counts;
      if (counts.empty()) {
        counts.resize(static_cast<std::size_t>(sides_.a.shape()[d].extent));
      }
      ++counts[static_cast<std::size_t>(index[d])];
    }
    if (report_.by_axis.empty()) return;
    sides_.a.coordinates_of(index, coordinates_);
    for (std::size_t k = 0; k < coordinates_.size(); ++k) {
      if (sides_.a.axes()[k].extent > most_counted) continue;
      auto& counts = report_.by_axis[k].counts;
      if (counts.empty()) {
        counts.resize(static_cast<std::size_t>(sides_.a.axes()[k].extent));
      }
      ++counts[static_cast<std::size_t>(coordinates_[k])];
    }
  }

  const Sides& sides_;
  const DiffOptions& options_;
  DiffReport& report_;
  const std::int64_t width_;
  std::vector<std::int64_t> coordinates_;
  std::vector<std::byte> buffer_a_;
  std::vector<std::byte> buffer_b_;
  Extent extent_;
};

}  // namespace

Result<Extent> compare(const Sides& sides, const DiffOptions& options,
                       DiffReport& report) {
  return Comparer(sides, options, report).run();
}

}  // namespace stridewise::inspect
