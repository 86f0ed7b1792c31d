// The pass that moves blocks of a few vectors, whatever the order of their elements, by
// permutations of their bytes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {

std::optional<Lowered> permuted_block(const Piece& piece, const Lowered& direct,
                                      std::int64_t element_bytes, Reach reach) {
  const Kernel* const kernel = find_kernel(KernelKind::permuted, element_bytes);
  // Permuted tiles do not stream; lanes hold too little, and runs are permuted as they
  // are (short_runs.hpp).
  if (reach >= Reach::streams || kernel == nullptr || permutes_lanes(*kernel) ||
      piece.zeros_after_rows || direct.kernel->kind == KernelKind::copy) {
    return std::nullopt;
  }
  const std::int64_t most = kernel->most_short;
  std::vector<PlanLoop> around = piece.loops;
  std::vector<PlanLoop> rows;  // the fastest last
  std::int64_t bytes = element_bytes, span = element_bytes;
  const auto next = [&] {
    return std::ranges::find(around, bytes, &PlanLoop::dst_stride);
  };
  if (piece.zeros > 0) {
    PlanLoop row{1, 0, element_bytes};
    if (const auto run = next(); run != around.end()) {
      row = *run;
      around.erase(run);
    }
    row.zeros = piece.zeros;
    bytes *= row.count + row.zeros;
    span += (row.count - 1) * row.src_stride;
    if (row.src_stride < 0 || std::max(bytes, span) > most) return std::nullopt;
    rows.push_back(row);
  }
  for (auto loop = next(); loop != around.end(); loop = next()) {
    if (loop->src_stride <= 0 || loop->src_stride > most) break;
    const auto part =
        take_most(around, loop,
                  std::min(most / bytes, (most - span) / loop->src_stride + 1));
    if (!part) break;
    bytes *= part->count;
    span += (part->count - 1) * part->src_stride;
    rows.insert(rows.begin(), *part);
  }
  // Of less than a vector, or that lie wide apart in src, others move more at once.
  if (rows.size() < 2 || bytes < permuted_vector(*kernel) || span > 2 * bytes) {
    return std::nullopt;
  }
  // Blocks that follow each other in dst are best taken so.
  if (const auto loop = next(); loop != around.end()) {
    std::rotate(loop, loop + 1, around.end());
  }
  Lowered block{PlanNest{.loops = std::move(around),
                         .tile = {{bytes / element_bytes, 0, element_bytes},
                                  {1, element_bytes, bytes}},
                         .rows = std::move(rows),
                         .element_bytes = element_bytes,
                         .src_offset = piece.src_offset,
                         .dst_offset = piece.dst_offset},
                kernel};
  if (cost_of_all(block) >= cost_of_all(direct)) return std::nullopt;
  return block;
}

}  // namespace stridewise
