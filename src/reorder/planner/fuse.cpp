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
      find_kernel(KernelKind::transpose, bytes) == nullptr) {
    return 0;
  }
  const std::int64_t count = row->count;
  loops.erase(row);
  loops.pop_back();
  return count;
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

std::int64_t take_run(std::vector<PlanLoop>& loops,
                      std::int64_t element_bytes) {
  const auto run =
      std::ranges::find(loops, element_bytes, &PlanLoop::dst_stride);
  if (run == loops.end()) return 1;
  const std::int64_t count = run->count;
  loops.erase(run);
  return count;
}

std::vector<PlanLoop> dst_places(std::vector<PlanLoop> loops) {
  for (PlanLoop& loop : loops) loop.src_stride = 0;
  return normalise(std::move(loops));
}

void fuse_padding(std::vector<Piece>& moves, std::vector<Piece>& fills,
                  std::int64_t element_bytes, std::int64_t most) {
  // The zeros after `run` elements in dst, wherever the loops around those lead, if they
  // are a multiple of so many: they are then in `fills` no more.
  const auto zeros_after = [&](const Piece& move, std::int64_t run,
                               Loops around, std::int64_t multiple) {
    const std::int64_t after = move.dst_offset + run * element_bytes;
    const Loops wanted = dst_places(std::move(around));
    for (auto fill = fills.begin(); fill != fills.end(); ++fill) {
      if (fill->dst_offset != after) continue;
      Loops loops = fill->loops;
      const std::int64_t zeros = take_run(loops, element_bytes);
      if (zeros > most || zeros % multiple != 0 ||
          dst_places(std::move(loops)) != wanted) {
        continue;
      }
      fills.erase(fill);
      return zeros;
    }
    return std::int64_t{0};
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
    if (rows == 0) continue;
    const std::int64_t run = move.loops.back().count;
    move.zeros = zeros_after(move, rows * run, std::move(around), run);
    move.zeros_after_rows = move.zeros > 0;
  }
}

}  // namespace stridewise
