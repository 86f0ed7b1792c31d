// Where an axis has nothing but gaps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/axis.hpp"

namespace stridewise::draw {

// That many units in a row are drawn; of more, the first and the last.
inline constexpr std::int64_t few_gaps = 8;

struct Units {
  std::int64_t begin, end;
};

// The first unit from `unit` on that is not all gaps, or where they end. Where
// terms do not nest, all up to `used`.
[[nodiscard]] std::int64_t next_used_unit(std::span<const AxisTerm> terms,
                                          const AxisView& view,
                                          std::int64_t unit, std::int64_t used);

// Runs of more than a few units of gaps, where units before `used` hold
// elements or padding. Of a large axis, the one at the end alone.
[[nodiscard]] std::vector<Units> long_gaps(std::span<const AxisTerm> terms,
                                           const AxisView& view,
                                           std::int64_t units,
                                           std::int64_t used);

}  // namespace stridewise::draw
