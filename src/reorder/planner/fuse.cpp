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

// The places of dst that loops visit, in one form.
Loops dst_places(Loops loops) {
  for (PlanLoop& loop : loops) loop.src_stride = 0;
  return normalise(std::move(loops));
}

// Whether a kernel can write zeros after the runs of this move.
bool takes_zeros(const Piece& move, std::int64_t element_bytes) {
  return std::ranges::any_of(move.loops, [&](const PlanLoop& loop) {
    return loop.src_stride == element_bytes &&
           (loop.dst_stride == element_bytes ||
            find_kernel(KernelKind::transpose, element_bytes) != nullptr);
  });
}

}  // namespace

void fuse_padding(std::vector<Piece>& moves, std::vector<Piece>& fills,
                  std::int64_t element_bytes, std::int64_t most) {
  for (Piece& move : moves) {
    if (!takes_zeros(move, element_bytes)) continue;
    Loops around = move.loops;
    const std::int64_t after =
        move.dst_offset + take_run(around, element_bytes) * element_bytes;
    const Loops wanted = dst_places(std::move(around));
    const auto fill = std::ranges::find_if(fills, [&](const Piece& piece) {
      if (piece.dst_offset != after) return false;
      Loops loops = piece.loops;
      take_run(loops, element_bytes);
      return dst_places(std::move(loops)) == wanted;
    });
    if (fill == fills.end()) continue;
    Loops loops = fill->loops;
    const std::int64_t zeros = take_run(loops, element_bytes);
    if (zeros > most) continue;
    move.zeros = zeros;
    fills.erase(fill);
  }
}

}  // namespace stridewise
