// A conversion as a few strided copies: what an array library can be asked to
// do by views and an assignment, or a reorder primitive by strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise::cli {

// One loop over elements of both sides. Strides are in elements.
struct StridedLoop {
  std::int64_t extent;
  std::int64_t src_stride;
  std::int64_t dst_stride;
};

// All combinations of its loops, from these element offsets on.
struct Rectangle {
  std::int64_t src_offset;
  std::int64_t dst_offset;
  std::vector<StridedLoop> loops;  // slowest in dst first; no loop of one step
};

// The rectangles that make up the tensor, disjoint: one where blocks divide the
// extents, and more for tails. nullopt where a digit has a bias, or where the
// digits of a dim do not divide each other (c/6 beside c/4). Pre: src and dst
// are valid and of the same dims, of any order.
[[nodiscard]] std::optional<std::vector<Rectangle>> rectangles(
    const Layout& src, const Layout& dst);

}  // namespace stridewise::cli
