// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/zeros.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/checked.hpp"
#include "reorder/fields/regroup.hpp"

namespace stridewise::detail {
namespace {

using engine::BitPart;
using Parts = std::vector<BitPart>;

constexpr std::int64_t most_gap_bytes = 64;

// Zeros for the bytes between those of the parts, from `begin` up to `end`.
void fill_gaps(std::int64_t begin, std::int64_t end, Parts& parts) {
  const std::size_t count = parts.size();
  const auto fill = [&](std::int64_t from, std::int64_t to) {
    if (to - from > most_gap_bytes) return;
    for (; from < to; ++from) parts.push_back({.dst = from});
  };
  fill(begin, parts.front().dst);
  for (std::size_t k = 0; k < count; ++k) {
    fill(parts[k].dst + 1, k + 1 < count ? parts[k + 1].dst : end);
  }
  std::ranges::stable_sort(parts, {}, &BitPart::dst);
}

// A loop as what it steps at least in dst, and how far it goes; bits.
struct Stride {
  std::int64_t step;
  std::int64_t range;
  std::int64_t lowest;
};
Stride stride_of(const PlaceLoop& loop) {
  if (loop.places.empty()) {
    const std::int64_t range = (loop.count - 1) * loop.step.dst;
    return {least_step(loop), std::abs(range),
            std::min<std::int64_t>(range, 0)};
  }
  // Ascending in dst.
  const std::int64_t range = loop.places.back().dst - loop.places.front().dst;
  return {least_step(loop), range, loop.places.front().dst};
}

// Where blocks of dst lie, if each loop steps over all of those within.
class Blocks {
 public:
  explicit Blocks(const FieldNest& nest) {
    for (const PlaceLoop& loop : nest.outer) {
      strides_.push_back(stride_of(loop));
      first_ += strides_.back().lowest;
    }
    first_ += nest.base.dst;
    std::ranges::sort(strides_, {}, &Stride::step);
  }

  // Whether blocks of so many bits that begin so far from their places lie apart, within
  // dst.
  [[nodiscard]] bool apart(std::int64_t begin, std::int64_t bits,
                           std::int64_t dst_bits) const {
    std::int64_t extent = bits;
    for (const Stride& stride : strides_) {
      if (stride.step < extent) return false;
      extent += stride.range;
    }
    return first_ + begin >= 0 && first_ + begin + extent <= dst_bits;
  }
  [[nodiscard]] std::int64_t least_step() const {
    return strides_.empty() ? 0 : strides_.front().step;
  }

 private:
  std::vector<Stride> strides_;
  std::int64_t first_ = 0;
};

}  // namespace

bool lies_apart(const FieldNest& nest) {
  // In whole bytes, wherever within one the base is; fields may lie before it.
  const std::int64_t rest = nest.base.dst & 7;
  const std::int64_t begin =
      ((nest.inner.front().dst + rest) & ~std::int64_t{7}) - rest;
  const std::int64_t end = nest.inner.front().dst + span_of(nest.inner);
  std::int64_t bits = ceil_div(end - begin, 8) * 8;
  const bool whole = std::ranges::all_of(nest.outer, steps_by_bytes);
  if (!whole) bits += 8;
  return Blocks(nest).apart(begin, bits,
                            std::numeric_limits<std::int64_t>::max());
}

bool fill_zeros(const FieldNest& nest, std::int64_t dst_bits, bool between,
                Parts& parts) {
  const Blocks blocks(nest);
  const std::int64_t begin = parts.front().dst;
  const std::int64_t end = parts.back().dst + 1;
  const std::int64_t span = end - begin;
  if (!blocks.apart(8 * begin, 8 * span, dst_bits)) return false;
  const std::int64_t room = blocks.least_step() / 8;
  if (between && room > span && room - span <= most_gap_bytes) {
    for (const std::int64_t from : {begin, end - room}) {
      if (!blocks.apart(8 * from, 8 * room, dst_bits)) continue;
      fill_gaps(from, from + room, parts);
      return true;
    }
  }
  fill_gaps(begin, end, parts);
  return true;
}

}  // namespace stridewise::detail
