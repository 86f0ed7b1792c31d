// How squares of a transpose are best taken in the caches: how much of each row at
// once, and in what order.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {
namespace {

// What the choice follows from.
struct Sides {
  std::int64_t unit;  // bytes of an element
  std::int64_t rows;
  std::int64_t columns;
  // Of 64 lines at once, how many share a set.
  std::int64_t of_rows;
  std::int64_t of_columns;
  bool tables;      // rows or columns have no one stride
  bool misaligned;  // neither rows nor columns are whole lines apart
  bool near;        // the caches next to a core hold both sides
};

struct Choice {
  SquareOrder order = SquareOrder::blocks;
  std::int64_t bytes = 0;
  bool short_vectors = false;  // of 256 bits, if the machine halves longer ones
};

// How many bytes of each row squares may take at once, so that their columns have
// sets enough of the L1 cache; of rows, twice as many lines a set are still better
// than a copy. Rows of one square alone are as well read otherwise, but for bytes.
std::int64_t square_bytes_of(const ScheduledNest& scheduled,
                             const PlanNest& nest, const Sides& sides) {
  constexpr int ways = 8;
  const std::int64_t side = line / sides.unit;
  if (sides.rows <= side && sides.unit > 1) return 0;
  const std::int64_t rows = std::min(sides.rows, 2 * side);
  // Rows of a stage lie side by side.
  if (scheduled.conversion != Conversion::before &&
      lines_that_fit({scheduled.row_offsets, nest.tile[0].src_stride}, rows,
                     2 * ways) < rows) {
    return 0;
  }
  const std::int64_t columns = std::min(sides.columns, 2 * side);
  const std::int64_t fit = lines_that_fit(
      {scheduled.column_offsets, nest.tile[1].dst_stride}, columns, ways);
  for (const std::int64_t bytes : {2 * line, line, line / 2}) {
    if (fit >= std::min(columns, bytes / sides.unit)) return bytes;
  }
  return 0;
}

// Along rows where the lines of the columns stay in the L1 cache until the next rows
// complete them, else down columns where those of the rows do. Measured on Zen 5.
SquareOrder order_of(const Sides& sides, std::int64_t bytes) {
  const auto [unit, rows, columns, of_rows, of_columns, tables, misaligned,
              near] = sides;
  const std::int64_t side = line / unit;
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
  const bool along =
      of_rows >= 16 || columns >= rows || (misaligned && columns >= 4 * side);
  if (of_columns <= 8 && along) return SquareOrder::along_rows;
  const bool down =
      bytes >= line && rows >= 4 * side && of_rows <= (unit == 4 ? 15 : 16);
  return down ? SquareOrder::down_columns : SquareOrder::blocks;
}

// The same where sets hold 8 lines: out of order pays less, strips of a line (strip.hpp)
// pay more. Measured on Zen 4, 840 transposes of 256 KiB to 5 MiB.
Choice choice_of_few_ways(const Sides& sides, std::int64_t bytes) {
  const auto [unit, rows, columns, of_rows, of_columns, tables, misaligned,
              near] = sides;
  if (unit == 2) {
    return {SquareOrder::blocks, bytes, near && columns >= rows / 2};
  }
  if (unit == 1) {
    if (tables || of_rows > 16) return {SquareOrder::blocks, bytes};
    if (!near) {
      const bool along = of_columns >= 8 || rows >= 4 * columns;
      return {along ? SquareOrder::along_rows : SquareOrder::down_columns,
              bytes};
    }
    const bool down = of_rows == 16 && rows > line;
    return {down ? SquareOrder::down_columns : SquareOrder::blocks, bytes};
  }
  if (!near) return {SquareOrder::blocks, of_rows <= 4 ? 0 : bytes};
  const bool strips =
      of_columns < 16 || of_rows <= 2 || (of_columns == 16 && of_rows <= 8);
  if (strips && !tables) return {SquareOrder::blocks, 0, true};
  if (of_columns == 16) return {SquareOrder::blocks, bytes, true};
  return {order_of(sides, bytes), bytes};
}

}  // namespace

void choose_squares(ScheduledNest& scheduled, const PlanNest& nest,
                    const PlanData& data) {
  const auto [row, column] = std::tie(nest.tile[0], nest.tile[1]);
  constexpr std::int64_t some = 64;
  const std::int64_t unit = scheduled.kernel->element_bytes;
  const bool tables = !nest.rows.empty() || !nest.columns.empty();
  const Sides sides{
      .unit = unit,
      .rows = row.count,
      .columns = column.count,
      .of_rows = lines_per_set({scheduled.row_offsets, row.src_stride},
                               std::min(row.count, some)),
      .of_columns = lines_per_set({scheduled.column_offsets, column.dst_stride},
                                  std::min(column.count, some)),
      .tables = tables,
      .misaligned = tables || (row.src_stride % line != 0 &&
                               column.dst_stride % line != 0),
      .near = !data.prefetch};
  const std::int64_t bytes = square_bytes_of(scheduled, nest, sides);
  const bool many = sets_have_many_ways();
  Choice choice = many ? Choice{order_of(sides, bytes), bytes}
                       : choice_of_few_ways(sides, bytes);
  const bool ordered = data.src_bytes + data.dst_bytes < all_caches_bytes &&
                       scheduled.conversion == Conversion::none &&
                       std::min(sides.rows, sides.columns) >= line / unit;
  if (!ordered) choice = {SquareOrder::blocks, bytes};
  if (choice.short_vectors && halves_vectors()) {
    scheduled.kernel = find_kernel(scheduled.kernel->kind, unit,
                                   std::min(scheduled.kernel->isa, Isa::avx2));
    scheduled.run = scheduled.kernel->run;
  }
  scheduled.square_bytes = choice.bytes;
  scheduled.square_order = choice.order;
  scheduled.squares_of_parts = sides.of_columns >= 16;
}

}  // namespace stridewise::detail
