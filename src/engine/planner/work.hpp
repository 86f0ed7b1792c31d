// What candidates are asked to move, and what they propose.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/tile.hpp"
#include "machine/machine.hpp"

namespace stridewise::engine {

using Loops = std::vector<Loop>;
using Side = std::int64_t Loop::*;

// Loops over elements of `width` bytes; after the loop by which dst goes on from element to
// element follow so many zeros.
// Steps in dst are positive and those in src not negative, as those of plain layouts are;
// each loop has two iterations at least.
struct Work {
  Loops loops;
  std::int64_t width = 1;
  std::int64_t zeros = 0;

  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t bytes = width;
    for (const Loop& loop : loops) bytes *= loop.count;
    return bytes;
  }
};

// One kernel for all of it: the loops that are its rows, its columns and its planes, the
// innermost first.
struct Move {
  Kind kind;
  std::int64_t unit;  // bytes of an element of the kernel
  Loops rows, columns, planes;
  std::int64_t zeros = 0;
  double cycles = 0;
};

[[nodiscard]] inline std::int64_t count_of(std::span<const Loop> loops) {
  std::int64_t count = 1;
  for (const Loop& loop : loops) count *= loop.count;
  return count;
}

// Of loops sorted anyhow, the one with such a step; nullptr where there is none.
[[nodiscard]] inline const Loop* find_loop(std::span<const Loop> loops,
                                           Side side, std::int64_t step) {
  const auto loop = std::ranges::find(loops, step, side);
  return loop == loops.end() ? nullptr : &*loop;
}

// Whether its iterations read the same lines of src.
[[nodiscard]] inline bool shares_lines(const Loop& loop) {
  return loop.src > 0 && loop.src < line_bytes;
}

// Removes one of the loops.
inline Loop take(Loops& loops, const Loop* loop) {
  const Loop taken = *loop;
  loops.erase(loops.begin() + (loop - loops.data()));
  return taken;
}

// Where each element lies in a side, of loops that make them, the innermost first; so many
// times no_row after the innermost.
[[nodiscard]] std::vector<std::int64_t> places_of(std::span<const Loop> loops,
                                                  std::int64_t zeros,
                                                  Side side);
// What each kernel would make of it, if it can; programs only where they cost less than the
// others and `besides`.
void propose_moves(const Work& work, const Machine& machine,
                   std::vector<Move>& moves, double besides = 0);
// Whether what is cut in blocks is the outermost of the loops that make a count of its tile.
[[nodiscard]] bool can_be_cut(const Move& move);

// As runs of bytes, in the order of dst.
[[nodiscard]] Move copy_of(const Work& work, const Machine& machine);
// The cheapest of those. Copies can do all.
[[nodiscard]] Move cheapest_move(const Work& work, const Machine& machine);

}  // namespace stridewise::engine
