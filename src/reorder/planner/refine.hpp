// The digits of one dim in two layouts -> common digits, as rectangular pieces.
//
// Both layouts place index x of the dim at a sum of digits. Cut the indices
// where any digit of either steps or wraps, and what lies between two cuts is a
// plain run; what repeats with the digits' common periods is a loop over it.
// Blocks of 16 against none give one loop nest and a tail; blocks of 8 against
// 12 repeat every 24; a start NPU shifts the cuts of one side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// One digit of the dim in one layout; stride in bytes.
struct DigitStep {
  std::int64_t bias;
  std::int64_t div;
  std::int64_t mod;  // 0: none
  std::int64_t stride;
};

// A rectangular set of indices: loops, outermost first, from two offsets.
// Offsets and strides in bytes, relative to the layouts' base offsets.
struct Piece {
  std::int64_t src_offset = 0;
  std::int64_t dst_offset = 0;
  std::vector<PlanLoop> loops;
  std::int64_t zeros = 0;  // elements of zeros that follow each run in dst
  // They follow all the runs that make a longer one in dst instead, and are a whole
  // number of runs: the rows of a transpose of runs.
  bool zeros_after_rows = false;

  friend bool operator==(const Piece&, const Piece&) = default;
};

// Pieces that together visit each index in [begin, end) once. `begin` may be
// negative (the padding before a bias). The number of pieces depends on how
// irregular the digits are to each other, not on the extent; error unsupported
// when it passes most_pieces.
inline constexpr std::size_t most_pieces = 4096;
[[nodiscard]] Result<std::vector<Piece>> refine(std::span<const DigitStep> src,
                                                std::span<const DigitStep> dst,
                                                std::int64_t begin,
                                                std::int64_t end);

}  // namespace stridewise
