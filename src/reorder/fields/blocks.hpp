// Nests whose innermost table is a block of whole lines of dst, as far as there are such.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// A nest of which a table is one block; `apart`: no other one writes between its first byte
// and its last.
struct Block {
  FieldNest nest;
  bool apart = true;
};

// The nest as one of blocks, then those of what blocks leave over, which are to follow it;
// none where blocks would not step by whole bytes or are no few lines. Pre: the innermost table is not empty.
[[nodiscard]] std::vector<Block> in_blocks(FieldNest nest);

// The loop as loops of equal steps, as far as it is made of such, the fastest last, and
// where they begin. Its places ascend in dst.
struct Loops {
  Places begin;
  std::vector<PlaceLoop> loops;
};
[[nodiscard]] Loops taken_apart(PlaceLoop loop);

// The nests as such moves; none where one of them is more than that.
[[nodiscard]] std::vector<StridedMove> strided_moves(
    const std::vector<FieldNest>& nests);

}  // namespace stridewise::detail
