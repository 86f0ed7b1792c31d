// Which rows and columns share sets of the L1 cache.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <span>

#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {
namespace {

constexpr std::size_t l1_sets = 64;

// The set of an L1 cache in which line k of those begins that lie so far apart.
std::size_t set_of(std::span<const std::int64_t> offsets, std::int64_t stride,
                   std::int64_t k) {
  const std::int64_t at =
      offsets.empty() ? k * stride : offsets[static_cast<std::size_t>(k)];
  // Unsigned also for negative offsets: sets repeat by a power of two.
  return static_cast<std::size_t>(at) / line % l1_sets;
}

// Of as many such lines at once, how many share a set.
std::int64_t lines_per_set(std::span<const std::int64_t> offsets,
                           std::int64_t stride, std::int64_t count) {
  std::array<std::int64_t, l1_sets> lines{};
  const auto some = offsets.empty() ? count : std::ssize(offsets);
  for (std::int64_t k = 0; k < std::min(count, some); ++k) {
    ++lines[set_of(offsets, stride, k)];
  }
  return std::ranges::max(lines);
}

// How many of the first `count` such lines come before a set has more than `ways`.
std::int64_t lines_that_fit(std::span<const std::int64_t> offsets,
                            std::int64_t stride, std::int64_t count, int ways) {
  std::array<std::uint8_t, l1_sets> lines{};
  for (std::int64_t k = 0; k < count; ++k) {
    if (++lines[set_of(offsets, stride, k)] > ways) return k;
  }
  return count;
}

// As many as leave the rows of src room in the L1 cache.
std::int64_t strips_of_crowded_columns() {
#if defined(_SC_LEVEL1_DCACHE_ASSOC)
  static const bool many_ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC) > 8;
#else
  constexpr bool many_ways = false;
#endif
  return many_ways ? 8 : 4;
}

// How many bytes of each row squares may take at once, so that their columns have
// sets enough of the L1 cache; of rows, twice as many lines a set are still better
// than a copy. Rows of one square alone are as well read otherwise.
std::int64_t square_bytes_of(const ScheduledNest& scheduled,
                             const PlanNest& nest, std::int64_t unit) {
  constexpr int ways = 8;
  const std::int64_t side = line / unit;
  const PlanLoop& row = nest.tile[0];
  const PlanLoop& column = nest.tile[1];
  if (row.count <= side) return 0;
  const std::int64_t rows = std::min(row.count, 2 * side);
  // Rows of a stage lie side by side.
  if (scheduled.conversion != Conversion::before &&
      lines_that_fit(scheduled.row_offsets, row.src_stride, rows, 2 * ways) <
          rows) {
    return 0;
  }
  const std::int64_t columns = std::min(column.count, 2 * side);
  const std::int64_t fit = lines_that_fit(scheduled.column_offsets,
                                          column.dst_stride, columns, ways);
  for (const std::int64_t bytes : {2 * line, line, line / 2}) {
    if (fit >= std::min(columns, bytes / unit)) return bytes;
  }
  return 0;
}

// In the caches, squares of whole lines are best taken out of order: along rows
// where the lines of the columns stay in the L1 cache until the next rows complete
// them, else down columns where those of the rows do. Measured on Zen 5.
SquareOrder square_order_of(const ScheduledNest& scheduled,
                            const PlanNest& nest, std::int64_t unit,
                            std::int64_t of_columns) {
  constexpr std::int64_t some = 64;
  const std::int64_t side = line / unit;
  const std::int64_t rows = nest.tile[0].count;
  const std::int64_t columns = nest.tile[1].count;
  const std::int64_t bytes = scheduled.square_bytes;
  if (std::min(rows, columns) < side) return SquareOrder::blocks;
  const bool tables = !nest.rows.empty() || !nest.columns.empty();
  const std::int64_t of_rows = lines_per_set(
      scheduled.row_offsets, nest.tile[0].src_stride, std::min(rows, some));
  if (unit <= 2 && tables) return SquareOrder::blocks;
  if (unit == 1) {
    if (std::max(of_rows, of_columns) > 16) return SquareOrder::blocks;
    const bool down = rows >= 3 * columns || of_columns > 8;
    return down ? SquareOrder::down_columns : SquareOrder::along_rows;
  }
  if (unit == 2) {
    // Registers hold half a line of each row: lines that are read twice should not
    // be written twice, too.
    if (columns >= rows) {
      return of_rows <= 32 && of_columns <= 16 ? SquareOrder::along_rows
                                               : SquareOrder::blocks;
    }
    return bytes > 0 && columns >= 2 * side ? SquareOrder::down_columns
                                            : SquareOrder::blocks;
  }
  const bool crowded = of_rows >= 16;
  const bool misaligned = tables || (nest.tile[0].src_stride % line != 0 &&
                                     nest.tile[1].dst_stride % line != 0);
  const bool along =
      crowded || columns >= rows || (misaligned && columns >= 4 * side);
  if (of_columns <= 8 && along) return SquareOrder::along_rows;
  const bool down =
      bytes >= line && rows >= 4 * side && of_rows <= (unit == 4 ? 15 : 16);
  return down ? SquareOrder::down_columns : SquareOrder::blocks;
}

}  // namespace

void mark_crowded(ScheduledNest& scheduled, const PlanNest& nest,
                  const PlanData& data, bool streams) {
  const Kernel& kernel = *scheduled.kernel;
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t of_columns =
      lines_per_set(scheduled.column_offsets, nest.tile[1].dst_stride,
                    std::min<std::int64_t>(nest.tile[1].count, 64));
  const bool crowded_dst = of_columns > 16;
  scheduled.crowded_dst = crowded_dst ? strips_of_crowded_columns() : 0;
  // Of an L1 cache of 8 ways. Four strips that come from beyond it suffer less.
  const bool wide = crowded_dst || data.prefetch;
  const std::int64_t of_rows =
      lines_per_set(scheduled.row_offsets, nest.tile[0].src_stride,
                    std::min(nest.tile[0].count, line / unit * (wide ? 4 : 1)));
  scheduled.crowded_src = of_rows > (wide ? 16 : 8) ? of_rows : 0;
  const bool squares =
      kernel.kind == KernelKind::transpose && unit < 16 && !streams;
  scheduled.square_bytes = squares ? square_bytes_of(scheduled, nest, unit) : 0;
  scheduled.squares_of_parts = of_columns >= 16;
  const bool in_caches = data.src_bytes + data.dst_bytes < all_caches_bytes;
  const bool ordered =
      squares && in_caches && scheduled.conversion == Conversion::none;
  scheduled.square_order =
      ordered ? square_order_of(scheduled, nest, unit, of_columns)
              : SquareOrder::blocks;
}

}  // namespace stridewise::detail
