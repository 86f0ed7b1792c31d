// The pass that fuses padding: C = 17 into blocks of 16 leaves runs of one
// element and 15 zeros, which one kernel call writes together.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {
namespace {

using Loops = std::vector<PlanLoop>;

// Removes the loop of neighbours in dst and returns its count; 1 without one.
std::int64_t take_run(Loops& loops, std::int64_t element_bytes) {
  const auto run =
      std::ranges::find(loops, element_bytes, &PlanLoop::dst_stride);
  if (run == loops.end()) return 1;
  const std::int64_t count = run->count;
  loops.erase(run);
  return count;
}

// The same of runs that are dense in src as well, and then of the loop by which they go on
// in dst, where a kernel moves the runs as elements whose columns go on in src; 1 without
// such loops.
std::int64_t take_rows(Loops& loops, std::int64_t element_bytes) {
  const auto run =
      std::ranges::find(loops, element_bytes, &PlanLoop::dst_stride);
  if (run == loops.end() || run->src_stride != element_bytes) return 1;
  const std::int64_t bytes = run->count * element_bytes;
  const auto row = std::ranges::find(loops, bytes, &PlanLoop::dst_stride);
  const auto column = std::ranges::find(loops, bytes, &PlanLoop::src_stride);
  if (row == loops.end() || column == loops.end() || row == column ||
      find_kernel(KernelKind::transpose, bytes) == nullptr) {
    return 1;
  }
  const std::int64_t count = run->count * row->count;
  loops.erase(row);
  take_run(loops, element_bytes);
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
           (loop.dst_stride == element_bytes ||
            find_kernel(KernelKind::transpose, element_bytes) != nullptr);
  });
}

}  // namespace

void fuse_padding(std::vector<Piece>& moves, std::vector<Piece>& fills,
                  std::int64_t element_bytes, std::int64_t most) {
  // The zeros after `run` elements in dst, wherever the loops around those lead, if they
  // are a multiple of so many: they are then in `fills` no more.
  const auto zeros_after = [&](const Piece& move, std::int64_t run,
                               Loops around, std::int64_t multiple) {
    const std::int64_t after = move.dst_offset + run * element_bytes;
    const Loops wanted = dst_places(std::move(around));
    std::int64_t zeros = 0;
    const auto fill = std::ranges::find_if(fills, [&](const Piece& piece) {
      if (piece.dst_offset != after) return false;
      Loops loops = piece.loops;
      zeros = take_run(loops, element_bytes);
      return zeros <= most && zeros % multiple == 0 &&
             dst_places(std::move(loops)) == wanted;
    });
    if (fill == fills.end()) return std::int64_t{0};
    fills.erase(fill);
    return zeros;
  };
  for (Piece& move : moves) {
    if (fills.empty()) return;
    if (takes_zeros(move, element_bytes)) {
      Loops around = move.loops;
      const std::int64_t run = take_run(around, element_bytes);
      move.zeros = zeros_after(move, run, std::move(around), 1);
    }
    if (move.zeros > 0) continue;
    Loops around = move.loops;
    const std::int64_t rows = take_rows(around, element_bytes);
    if (rows == 1) continue;
    const std::int64_t run = move.loops.back().count;
    move.zeros = zeros_after(move, rows, std::move(around), run);
    move.zeros_after_rows = move.zeros > 0;
  }
}

}  // namespace stridewise
