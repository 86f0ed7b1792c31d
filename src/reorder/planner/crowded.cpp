// Which rows and columns share sets of the L1 cache.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {
namespace {

// How many lines of rows may share a set before a copy of them is faster. Four strips
// that come from beyond the L1 cache suffer less from sharing: measured on Zen 5, and
// where sets hold 8 lines on Zen 4. Where no cache holds src a copy pays later, but for
// bytes of more rows than a strip has.
std::int64_t most_rows_per_set(const PlanData& data, std::int64_t unit,
                               std::int64_t rows, bool wide) {
  constexpr std::int64_t few = 8, some = 12, many = 16;
  if (!wide) return few;
  if (sets_have_many_ways() || unit >= 16) return many;
  if (unit == 1 && rows > line / unit) return data.in_memory() ? some : many;
  return data.in_memory() ? many : some;
}

// Of the first rows of so many strips, the most whose lines share a set.
std::int64_t rows_per_set(const ScheduledNest& scheduled, const PlanNest& nest,
                          std::int64_t strips) {
  const PlanLoop& row = nest.tile[0];
  const std::int64_t rows = strips * line / scheduled.kernel->element_bytes;
  return lines_per_set({scheduled.row_offsets, row.src_stride},
                       std::min(row.count, rows));
}

// The same of the first `some_columns`.
constexpr std::int64_t some_columns = 64;
std::int64_t columns_per_set(const ScheduledNest& scheduled,
                             const PlanNest& nest) {
  const PlanLoop& column = nest.tile[1];
  return lines_per_set({scheduled.column_offsets, column.dst_stride},
                       std::min(column.count, some_columns));
}

}  // namespace

void mark_crowded(ScheduledNest& scheduled, const PlanNest& nest,
                  const PlanData& data, bool streams) {
  const Kernel& kernel = *scheduled.kernel;
  if (kernel.kind != KernelKind::transpose &&
      kernel.kind != KernelKind::short_columns) {
    return;
  }
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t of_columns = columns_per_set(scheduled, nest);
  const bool crowded_dst = of_columns > 16;
  // As many as leave the rows of src room in the L1 cache.
  const std::int64_t strips = sets_have_many_ways() ? 8 : 4;
  scheduled.crowded_dst = crowded_dst ? strips : 0;
  const bool wide = crowded_dst || data.prefetch;
  const std::int64_t of_rows = rows_per_set(scheduled, nest, wide ? 4 : 1);
  const std::int64_t most =
      most_rows_per_set(data, unit, nest.tile[0].count, wide);
  scheduled.crowded_src = of_rows > most ? of_rows : 0;
  if (kernel.kind == KernelKind::transpose && unit < 16 && !streams) {
    choose_squares(scheduled, nest, data, of_columns);
  }
}

// Of the rows of 4 strips. They are marked, too, where columns of dst are half a page or
// more apart, by powers of two; of 8 bytes, which write twice as much a column, a page.
// Where caches hold src and dst, and columns do not crowd, a copy of rows takes half as
// long. Elements of one and two bytes stream column by column where 16 columns share a
// set; longer ones where rows are read as they are and at most 16 of those do: of more,
// caches lose lines before all strips have used them. Measured on Zen 3.
void mark_crowded_stream(ScheduledNest& scheduled, const PlanNest& nest,
                         const PlanData& data) {
  constexpr std::int64_t full_set = 8;
  constexpr std::int64_t long_row = 256;  // as Strip::packs (kernels/strip.hpp)
  const std::int64_t unit = scheduled.kernel->element_bytes;
  if (scheduled.kernel->kind != KernelKind::transpose ||
      scheduled.kernel->isa != Isa::avx2 || unit > 8) {
    return;
  }
  const std::int64_t of_columns = columns_per_set(scheduled, nest);
  const bool by_columns =
      of_columns > 1 && 2 * of_columns >= nest.tile[1].count;
  if (unit < 4) {
    scheduled.stream_columns = of_columns >= some_columns / 4 || by_columns;
    return;
  }
  const std::int64_t full = unit == 4 ? some_columns / 2 : some_columns;
  const bool crowded_dst = of_columns >= full;
  // Columns of short rows stream one by one where half of them share a set: lines of
  // different columns would wait for each other.
  // measured: Zen 3, 2026-11-27, f32 nhwc to nchw, 1x32x256x256: 3.0 times as fast.
  if (nest.tile[1].count * unit < long_row) {
    if (!by_columns) return;
    scheduled.stream_columns = scheduled.reads_crowded = true;
    scheduled.crowded_src = 1;
    return;
  }
  const std::int64_t of_rows = rows_per_set(scheduled, nest, 4);
  scheduled.reads_crowded = crowded_dst || data.in_memory();
  if (crowded_dst || (of_rows >= full_set && scheduled.reads_crowded)) {
    scheduled.crowded_src = of_rows;
    scheduled.stream_columns = of_rows <= 2 * full_set;
  }
}

bool streams_by_blocks(const ScheduledNest& scheduled, const PlanNest& nest,
                       const PlanData& data) {
  constexpr std::int64_t some_rows = 128;
  const Kernel& kernel = *scheduled.kernel;
  const PlanLoop& row = nest.tile[0];
  const PlanLoop& column = nest.tile[1];
  return kernel.kind == KernelKind::transpose && nest.zeros == 0 &&
         nest.columns.empty() &&
         streams_dense(row.count, column.count, column.dst_stride,
                       kernel.element_bytes) &&
         !(data.in_memory() && scheduled.crowded_src > 0 &&
           row.count > some_rows);
}

}  // namespace stridewise::detail
