// The pass that lays out stages: how the tiles of a nest lie in the buffer by way of
// which their values change.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {
namespace {

// The dim whose elements are a run of the tile on the side of the stage; 4: none.
std::size_t dim_of_runs(const ScheduledNest& scheduled) {
  const KernelKind kind = scheduled.kernel->kind;
  if (kind == KernelKind::copy) return 1;
  const bool single =
      kind == KernelKind::strided || scheduled.conversion == Conversion::before;
  return single ? 4 : 0;
}

// How far apart in memory runs may lie whose gaps are converted, too: where that
// takes less time than to begin anew. Of dst nothing else may be written.
std::int64_t widest_gap(const ScheduledNest& scheduled, std::int64_t extent) {
  if (scheduled.conversion == Conversion::after) return 0;
  // Of what no part can be cut from, gaps might be more than the stage holds.
  if (scheduled.kernel->kind == KernelKind::grouped) return 0;
  return std::max(8 * scheduled.kernel->element_bytes, std::min(extent, line));
}

// Whether a kernel is chosen by how far rows of src are apart.
bool needs_close_rows(KernelKind kind) {
  return kind == KernelKind::deinterleave || kind == KernelKind::permuted;
}

// A loop of the tile on the side of the stage, and of which dim; of irregular rows or
// columns, which of the loops that they are made of.
struct Loop {
  StageLoop loop;
  std::int64_t stride;  // as moves are planned
  bool irregular;       // at offsets that only a table tells
  std::size_t dim;
  std::size_t index;
};

// The loops that rows or columns of no one stride there are made of; else none.
std::vector<PlanLoop> made_of(const ScheduledNest& scheduled, std::size_t dim) {
  const bool before = scheduled.conversion == Conversion::before;
  const bool grouped = scheduled.kernel->kind == KernelKind::grouped;
  if (dim == 0 && before) return scheduled.nest.rows;
  if (dim == 1 && (!before || grouped)) return scheduled.nest.columns;
  return {};
}

// The dims of the tile outside its runs. Irregular rows or columns are the loops that
// they are made of, where parts do not cut them.
std::vector<Loop> loops_of(const ScheduledNest& scheduled,
                           const std::array<std::int64_t, 4>& count) {
  const bool before = scheduled.conversion == Conversion::before;
  const auto stride = before ? &PlanLoop::src_stride : &PlanLoop::dst_stride;
  std::vector<Loop> loops;
  for (std::size_t d = 0; d < 4; ++d) {
    const std::vector<PlanLoop> parts = made_of(scheduled, d);
    if (d == dim_of_runs(scheduled) || (count[d] == 1 && parts.empty())) {
      continue;
    }
    if (parts.empty()) {
      loops.push_back({{d, 0, 0, 0}, scheduled.tile[d].*stride, false, d, 0});
    } else if (scheduled.part[d] < scheduled.tile[d].count ||
               parts.size() + 3 > most_stage_loops) {
      // No part is cut from grouped columns, for which src has no table.
      assert(!before || d == 0);
      loops.push_back({{d, 0, 0, 0}, 0, true, d, 0});
    } else {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        loops.push_back({{StageLoop::fixed, parts[k].count, 0, 0},
                         parts[k].*stride,
                         false,
                         d,
                         k});
      }
    }
  }
  // Rows lie as close to each other as in src where kernels hang on that: what is
  // nearer there, but reaches beyond the next row, goes around them.
  const bool close = before && needs_close_rows(scheduled.kernel->kind);
  const auto crosses = [&](const Loop& loop) {
    const std::size_t d = loop.loop.dim;
    return close && d >= 2 && d < 4 &&
           std::abs(loop.stride) >
               std::abs(scheduled.tile[0].src_stride) / count[d];
  };
  // From the nearest on; what only a table tells comes last.
  std::ranges::stable_sort(loops, {}, [&](const Loop& loop) {
    return std::tuple(loop.irregular, crosses(loop), std::abs(loop.stride));
  });
  return loops;
}

// Lays out a tile of such counts; returns the bytes that it takes.
std::int64_t lay_out(const PlanData& data, ScheduledNest& scheduled,
                     const std::array<std::int64_t, 4>& count) {
  const bool before = scheduled.conversion == Conversion::before;
  Stage& stage = scheduled.stage;
  stage = {};
  if (const std::size_t d = dim_of_runs(scheduled); d < 4) {
    stage.stride[d] = scheduled.kernel->element_bytes;
  }
  // Of rows and columns, in the stage.
  std::array<std::vector<PlanLoop>, 2> parts = {made_of(scheduled, 0),
                                                made_of(scheduled, 1)};
  std::array<bool, 2> table{};
  std::int64_t extent = run_bytes(scheduled, count, scheduled.nest.zeros);
  for (auto& [loop, stride, irregular, dim, index] :
       loops_of(scheduled, count)) {
    const std::int64_t gap = stride - extent;
    if (stage.loops.size() == stage.dense && !irregular && gap >= 0 &&
        gap <= widest_gap(scheduled, extent)) {
      loop.stride = stride;
      ++stage.dense;
    } else {
      // Runs of some lines begin with one.
      loop.stride = extent < 4 * line ? extent : ceil_div(extent, line) * line;
    }
    loop.memory_stride = before ? data.in_src(stride) : data.in_dst(stride);
    const bool fixed = loop.dim == StageLoop::fixed;
    extent += ((fixed ? loop.count : count[loop.dim]) - 1) * loop.stride;
    if (fixed) {
      parts[dim][index].src_stride = loop.stride;
      table[dim] = true;
    } else {
      stage.stride[loop.dim] = loop.stride;
    }
    stage.loops.push_back(loop);
  }
  const auto offsets = [&](std::size_t dim) {
    return table[dim] ? offsets_of(parts[dim], &PlanLoop::src_stride)
                      : std::vector<std::int64_t>{};
  };
  stage.offsets = offsets(before ? 0 : 1);
  if (before) stage.column_src = offsets(1);
  return extent;
}

// Whether a call needs all of the dim, see KernelKind.
bool needs_whole(KernelKind kind, std::size_t dim) {
  switch (kind) {
    case KernelKind::interleave:
    case KernelKind::short_columns:
    case KernelKind::padded_columns:
      return dim == 0;
    case KernelKind::permuted:
    case KernelKind::grouped:
      return dim < 2;
    case KernelKind::deinterleave:
    case KernelKind::short_rows:
      return dim == 1;
    default:
      return false;
  }
}

// What reaches farthest in the stage of that which may be cut. What kernels need
// whole are a few elements, which fit.
std::size_t dim_to_cut(const ScheduledNest& scheduled,
                       const std::array<std::int64_t, 4>& count) {
  const std::size_t irregular =
      scheduled.conversion == Conversion::before ? 0 : 1;
  const auto& loops = scheduled.stage.loops;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const std::size_t d = loop->dim == StageLoop::fixed ? irregular : loop->dim;
    if (count[d] > 1 && !needs_whole(scheduled.kernel->kind, d)) return d;
  }
  assert(false);
  return 3;
}

}  // namespace

std::int64_t run_bytes(const ScheduledNest& scheduled,
                       const std::array<std::int64_t, 4>& count,
                       std::int64_t zeros) {
  const std::size_t d = dim_of_runs(scheduled);
  const std::int64_t unit = scheduled.kernel->element_bytes;
  if (d == 4) return unit;
  const bool after = scheduled.conversion == Conversion::after;
  const std::int64_t of_zeros = after ? zeros : 0;
  return (count[d] + of_zeros) * unit;
}

void lay_out_stage(const PlanData& data, ScheduledNest& scheduled) {
  constexpr std::int64_t halves = 2;
  const bool before = scheduled.conversion == Conversion::before;
  for (;;) {
    std::array<std::int64_t, 4> count;  // NOLINT: filled below
    for (std::size_t d = 0; d < 4; ++d) {
      count[d] = std::min(scheduled.part[d], scheduled.tile[d].count);
    }
    if (scheduled.leads) {
      count[0] = std::min(count[0] + line / scheduled.kernel->element_bytes,
                          scheduled.tile[0].count);
    }
    if (lay_out(data, scheduled, count) <= stage_bytes) break;
    // Gaps made it longer.
    const std::size_t cut = dim_to_cut(scheduled, count);
    if (cut < 2) scheduled.combine = {};
    scheduled.part[cut] = ceil_div(
        std::min(scheduled.part[cut], scheduled.tile[cut].count), halves);
    scheduled.leads = false;
  }
  for (std::int64_t& at : scheduled.row_offsets) {
    if (before) at = data.in_src(at);
  }
  for (std::int64_t& at : scheduled.column_offsets) {
    if (!before) at = data.in_dst(at);
  }
}

}  // namespace stridewise::detail
