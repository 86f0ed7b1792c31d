// The pass that fuses padding: C = 17 into blocks of 16 leaves runs of one
// element and 15 zeros, which one kernel call writes together.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <optional>

#include "reorder/planner/pieces.hpp"

namespace stridewise {
namespace {

using Loops = std::vector<PlanLoop>;

// Whether kernels transpose elements of that width.
bool transposes(std::int64_t element_bytes) {
  constexpr std::int64_t longest = 32;
  return std::has_single_bit(static_cast<std::uint64_t>(element_bytes)) &&
         element_bytes <= longest;
}

// Removes the loop of neighbours in dst and returns its count; 1 without one.
std::int64_t take_run(Loops& loops, std::int64_t element_bytes) {
  const auto run =
      std::ranges::find(loops, element_bytes, &PlanLoop::dst_stride);
  if (run == loops.end()) return 1;
  const std::int64_t count = run->count;
  loops.erase(run);
  return count;
}

// Removes the last loop, of runs that are dense on both sides, and the one by which they
// go on in dst, where a kernel moves the runs as elements whose columns go on in src;
// returns how many runs that are, 0 without such loops.
std::int64_t take_rows(Loops& loops, std::int64_t element_bytes) {
  if (loops.empty() || loops.back().dst_stride != element_bytes ||
      loops.back().src_stride != element_bytes) {
    return 0;
  }
  const std::int64_t bytes = loops.back().count * element_bytes;
  const auto row = std::ranges::find(loops, bytes, &PlanLoop::dst_stride);
  const auto column = std::ranges::find(loops, bytes, &PlanLoop::src_stride);
  if (row == loops.end() || column == loops.end() || row == column ||
      !transposes(bytes)) {
    return 0;
  }
  const std::int64_t count = row->count;
  loops.erase(row);
  loops.pop_back();
  return count;
}

// The places of dst that loops visit, in one form.
Loops dst_places(Loops loops) {
  for (PlanLoop& loop : loops) loop.src_stride = 0;
  return normalise(std::move(loops));
}

// Whether a kernel can write zeros after the runs of this move: each a single element, or
// dense in src, or the rows of a transpose.
bool takes_zeros(const Piece& move, std::int64_t element_bytes) {
  if (std::ranges::find(move.loops, element_bytes, &PlanLoop::dst_stride) ==
      move.loops.end()) {
    return true;
  }
  return std::ranges::any_of(move.loops, [&](const PlanLoop& loop) {
    return loop.src_stride == element_bytes &&
           (loop.dst_stride == element_bytes || transposes(element_bytes));
  });
}

// The run of zeros that begins there in dst and wherever the loops around it lead, taken
// from `fills`: how many elements, if a multiple of so many and no more than `most`; else
// 0, and nothing is taken.
std::int64_t take_zeros(std::vector<Piece>& fills, std::int64_t dst_offset,
                        const std::vector<PlanLoop>& around,
                        std::int64_t element_bytes, std::int64_t multiple,
                        std::int64_t most) {
  const Loops wanted = dst_places(around);
  for (auto fill = fills.begin(); fill != fills.end(); ++fill) {
    if (fill->dst_offset != dst_offset) continue;
    Loops loops = fill->loops;
    const std::int64_t zeros = take_run(loops, element_bytes);
    if (zeros > most || zeros % multiple != 0 ||
        dst_places(std::move(loops)) != wanted) {
      continue;
    }
    fills.erase(fill);
    return zeros;
  }
  return 0;
}

}  // namespace

void fuse_padding(std::vector<Piece>& moves, std::vector<Piece>& fills,
                  std::int64_t element_bytes, std::int64_t most) {
  const auto zeros_after = [&](const Piece& move, std::int64_t run,
                               const Loops& around, std::int64_t multiple) {
    return take_zeros(fills, move.dst_offset + run * element_bytes, around,
                      element_bytes, multiple, most);
  };
  for (Piece& move : moves) {
    if (fills.empty()) return;
    if (takes_zeros(move, element_bytes)) {
      Loops around = move.loops;
      const std::int64_t run = take_run(around, element_bytes);
      move.zeros = zeros_after(move, run, around, 1);
    }
    if (move.zeros > 0) continue;
    Loops around = move.loops;
    const std::int64_t rows = take_rows(around, element_bytes);
    if (rows == 0) continue;
    const std::int64_t run = move.loops.back().count;
    move.zeros = zeros_after(move, rows * run, around, run);
    move.zeros_after_rows = move.zeros > 0;
  }
}

}  // namespace stridewise
