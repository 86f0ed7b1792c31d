// The pass that chooses kernels: what remains of a piece's loops after the
// kernel took its tile are the loops around it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {
namespace {

PlanLoop take_last(std::vector<PlanLoop>& loops) {
  if (loops.empty()) return {1, 0, 0};
  const PlanLoop last = loops.back();
  loops.pop_back();
  return last;
}

PlanNest nest_of(const Piece& piece, std::vector<PlanLoop> loops,
                 const Kernel& kernel, std::vector<PlanLoop> tile) {
  return PlanNest{.loops = std::move(loops),
                  .tile = std::move(tile),
                  .kernel = std::string(kernel.name),
                  .element_bytes = kernel.element_bytes,
                  .src_offset = piece.src_offset,
                  .dst_offset = piece.dst_offset,
                  .fills = kernel.kind == KernelKind::fill};
}

// Few enough rows or columns that lie side by side are permuted in registers.
const Kernel* transpose_kernel(const PlanLoop& row, const PlanLoop& column,
                               std::int64_t zeros, std::int64_t width) {
  constexpr std::int64_t few = 8;
  const std::int64_t rows = row.count + zeros;
  if (rows <= few && column.dst_stride == rows * width) {
    if (const Kernel* k = find_kernel(KernelKind::interleave, width)) return k;
  }
  if (zeros == 0 && column.count <= few && row.src_stride > 0 &&
      row.src_stride % width == 0 && row.src_stride / width <= few) {
    if (const Kernel* k = find_kernel(KernelKind::deinterleave, width)) {
      return k;
    }
  }
  return find_kernel(KernelKind::transpose, width);
}

// Too few rows to fill a vector: the loops that continue them in dst become
// rows too, each with an offset of its own in src. Takes them from `loops`.
std::vector<PlanLoop> gather_rows(std::vector<PlanLoop>& loops,
                                  const PlanLoop& row) {
  constexpr std::int64_t enough = 64;  // elements: a line of bytes
  constexpr std::int64_t most = 1024;
  std::vector<PlanLoop> rows = {row};
  std::int64_t count = row.count;
  while (count < enough) {
    const auto next =
        std::ranges::find(loops, count * row.dst_stride, &PlanLoop::dst_stride);
    if (next == loops.end() || next->count > most / count) break;
    rows.insert(rows.begin(), *next);
    count *= next->count;
    loops.erase(next);
  }
  return rows;
}

// A move whose runs are followed by zeros.
PlanNest lower_padded(const Piece& piece, std::int64_t width) {
  std::vector<PlanLoop> loops = piece.loops;
  PlanLoop run{1, 0, width};
  if (!loops.empty() && loops.back().dst_stride == width) {
    run = take_last(loops);
  }
  if (run.count > 1 && run.src_stride == width) {
    const PlanLoop inner = take_last(loops);
    PlanNest nest =
        nest_of(piece, std::move(loops), *find_kernel(KernelKind::copy, 1),
                {inner, {run.count * width, 1, 1}});
    nest.zeros = piece.zeros * width;
    return nest;
  }
  const auto column = std::ranges::find(loops, width, &PlanLoop::src_stride);
  const PlanLoop columns = *column;
  loops.erase(column);
  PlanNest nest = nest_of(piece, std::move(loops),
                          *transpose_kernel(run, columns, piece.zeros, width),
                          {run, columns});
  nest.zeros = piece.zeros;
  return nest;
}

}  // namespace

PlanNest lower_move(const Piece& piece, std::int64_t element_bytes) {
  if (piece.zeros > 0) return lower_padded(piece, element_bytes);
  std::vector<PlanLoop> loops = piece.loops;
  // Elements that stay neighbours on both sides move as one wider element.
  std::int64_t run = element_bytes;
  if (!loops.empty() && loops.back().src_stride == run &&
      loops.back().dst_stride == run) {
    run *= take_last(loops).count;
  }
  const bool transposable = find_kernel(KernelKind::transpose, run) != nullptr;
  const auto row = std::ranges::find(loops, run, &PlanLoop::dst_stride);
  const auto column = std::ranges::find(loops, run, &PlanLoop::src_stride);
  if (transposable && row != loops.end() && column != loops.end()) {
    const Kernel& kernel = *transpose_kernel(*row, *column, 0, run);
    std::vector<PlanLoop> tile = {*row, *column};
    std::vector<PlanLoop> around;
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
      if (loop != row && loop != column) around.push_back(*loop);
    }
    std::vector<PlanLoop> rows;
    if (kernel.kind == KernelKind::transpose && tile[0].count * run < 64) {
      rows = gather_rows(around, tile[0]);
    }
    if (rows.size() < 2) {
      return nest_of(piece, std::move(around), kernel, std::move(tile));
    }
    std::int64_t count = 1;
    for (const PlanLoop& loop : rows) count *= loop.count;
    tile[0] = {count, 0, run};
    PlanNest nest = nest_of(piece, std::move(around), kernel, std::move(tile));
    nest.rows = std::move(rows);
    return nest;
  }
  const PlanLoop inner = take_last(loops);
  if (const Kernel* strided = find_kernel(KernelKind::strided, run);
      strided != nullptr && !(loops.empty() && inner.count == 1)) {
    const PlanLoop outer = take_last(loops);
    return nest_of(piece, std::move(loops), *strided, {outer, inner});
  }
  return nest_of(piece, std::move(loops), *find_kernel(KernelKind::copy, 1),
                 {inner, {run, 1, 1}});
}

PlanNest lower_fill(const Piece& piece, std::int64_t element_bytes) {
  std::vector<PlanLoop> loops = piece.loops;
  std::int64_t run = element_bytes;
  if (!loops.empty() && loops.back().dst_stride == run) {
    run *= take_last(loops).count;
  }
  const PlanLoop inner = take_last(loops);
  return nest_of(piece, std::move(loops), *find_kernel(KernelKind::fill, 1),
                 {inner, {run, 0, 1}});
}

}  // namespace stridewise
