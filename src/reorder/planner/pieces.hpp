// What the passes hand each other: the pieces of a tensor on which both layouts are plain
// strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reorder/planner/refine.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {

// The steps of one dim's digits in a layout, in bytes of its whole memory if its
// elements had `element_bytes`.
[[nodiscard]] std::vector<DigitStep> digit_steps(const Layout& layout,
                                                 std::int32_t dim,
                                                 std::int64_t element_bytes);

// Every combination of one piece of each factor: rectangles of a tensor from
// rectangles of its dims. Loops keep the order of the factors.
[[nodiscard]] Result<std::vector<Piece>> product(
    const std::vector<std::vector<Piece>>& factors);

// Sorts loops by descending dst stride (src stride where those are equal),
// drops those of one step, and merges each pair of which the outer continues
// the inner on both sides.
[[nodiscard]] std::vector<PlanLoop> normalise(std::vector<PlanLoop> loops);

// Gives the dst side of a piece that is planned with elements of one width those of another.
void give_width(Piece& piece, std::int64_t from, std::int64_t to);

// Pieces (of which only the dst side means anything) that visit each place of
// `layout` that holds no element once, by runs of elements; loops in bytes.
// nullopt when the layout's digits interleave so that only its inverse tells:
// then places must be asked one by one.
[[nodiscard]] Result<std::optional<std::vector<Piece>>> places_without_element(
    const Layout& layout);

// Hands padding that follows the runs of a move, or rows of those where it is a whole
// number of runs, to that move: what one pass over dst can write needs no second. Removes
// those pieces from `fills`, but for runs of more than `most` zeros. Pre: all loops are
// normalised.
void fuse_padding(std::vector<Piece>& moves, std::vector<Piece>& fills,
                  std::int64_t element_bytes, std::int64_t most);

}  // namespace stridewise
