// Which rows and columns share sets of the L1 cache.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {

void mark_crowded(ScheduledNest& scheduled, const PlanNest& nest,
                  const PlanData& data, bool streams) {
  const Kernel& kernel = *scheduled.kernel;
  const std::int64_t unit = kernel.element_bytes;
  const Lines rows{scheduled.row_offsets, nest.tile[0].src_stride};
  const Lines columns{scheduled.column_offsets, nest.tile[1].dst_stride};
  const std::int64_t of_columns =
      lines_per_set(columns, std::min<std::int64_t>(nest.tile[1].count, 64));
  const bool crowded_dst = of_columns > 16;
  // As many as leave the rows of src room in the L1 cache.
  const std::int64_t strips = sets_have_many_ways() ? 8 : 4;
  scheduled.crowded_dst = crowded_dst ? strips : 0;
  // Of an L1 cache of 8 ways. Four strips that come from beyond it suffer less.
  const bool wide = crowded_dst || data.prefetch;
  const std::int64_t of_rows = lines_per_set(
      rows, std::min(nest.tile[0].count, line / unit * (wide ? 4 : 1)));
  scheduled.crowded_src = of_rows > (wide ? 16 : 8) ? of_rows : 0;
  if (kernel.kind == KernelKind::transpose && unit < 16 && !streams) {
    choose_squares(scheduled, nest, data, of_columns);
  }
}

}  // namespace stridewise::detail
