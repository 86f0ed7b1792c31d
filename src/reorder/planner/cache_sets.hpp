// How lines share the sets of an L1 cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace stridewise::detail {

// Lines that begin at `offsets`, or at multiples of `stride` where there are none.
struct Lines {
  std::span<const std::int64_t> offsets;
  std::int64_t stride;
};

// Of the first `count` lines, the most that share a set.
[[nodiscard]] std::int64_t lines_per_set(const Lines& lines,
                                         std::int64_t count);

// Whether more of so many lines share a set than any cache keeps, by a stride of bytes.
[[nodiscard]] bool share_sets(std::int64_t count, std::int64_t stride);

// How many of the first `count` lines come before a set has more than `ways`.
[[nodiscard]] std::int64_t lines_that_fit(const Lines& lines,
                                          std::int64_t count, int ways);

// Whether a set holds more than 8 lines, as from Zen 5 and Ice Lake on.
[[nodiscard]] bool sets_have_many_ways();

}  // namespace stridewise::detail
