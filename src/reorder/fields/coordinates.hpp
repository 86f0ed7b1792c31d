// The index space of two layouts as coordinates, and which of them places depend on
// together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/piece.hpp"

namespace stridewise::detail {

// A digit of a dim of the tensor, (x - low) / div % extent, or of its bits.
struct Coordinate {
  std::size_t dim;  // of the tensor's own dims; their number: the bits
  std::int64_t div;
  std::int64_t extent;
  std::int64_t low = 0;
  bool whole =
      false;  // of no digit in particular: all digits of the dim are of it
};

// A piece with the number of each dim of its tensor among those of src.
struct Side {
  const Piece* piece;
  std::vector<std::size_t> dims;  // of own dims; then that of the bits
};

// The coordinates of each dim, for each range of its values that is taken alone: where the
// digits of both pieces divide each other, a dim is taken apart to those, and what is left
// of it is a range of its own; else a dim is one coordinate. `extents`: of the dims of
// src, then of the bits (1 where elements move whole).
using Ranges = std::vector<std::vector<Coordinate>>;
[[nodiscard]] std::vector<Ranges> ranges_of(
    const Side& src, const Side& dst, std::span<const std::int64_t> extents);

// Coordinates in groups: a place is a sum of what each group adds, whatever the others
// are. Groups are in the order of their first coordinate.
struct Group {
  std::vector<std::size_t> coordinates = {};
  bool steps = false;  // what it adds is proportional to its one coordinate
};
[[nodiscard]] std::vector<Group> groups_of(
    const Side& src, const Side& dst,
    const std::vector<Coordinate>& coordinates);

// Whether all slices of the piece hold value x of a dim.
[[nodiscard]] bool holds(const Side& side, std::size_t dim, std::int64_t x);

}  // namespace stridewise::detail
