// How squares of a transpose are best taken in the caches: how much of each row at
// once, and in what order.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {
namespace {

// What the choice follows from.
struct Sides {
  const ScheduledNest& scheduled;
  const PlanNest& nest;
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
// than a copy. Rows of one square alone are as well read otherwise, and where sets have
// many ways so are bytes, unless columns crowd.
std::int64_t square_bytes_of(const Sides& sides) {
  constexpr int ways = 8;
  const ScheduledNest& scheduled = sides.scheduled;
  const std::int64_t side = line / sides.unit;
  const bool bytes_of_many = sides.unit == 1 && sets_have_many_ways();
  if (sides.rows <= side && (sides.unit > 1 || bytes_of_many)) return 0;
  if (bytes_of_many && sides.of_columns < 16) return 0;
  const std::int64_t rows = std::min(sides.rows, 2 * side);
  // Rows of a stage lie side by side.
  if (scheduled.conversion != Conversion::before &&
      lines_that_fit({scheduled.row_offsets, sides.nest.tile[0].src_stride},
                     rows, 2 * ways) < rows) {
    return 0;
  }
  const std::int64_t columns = std::min(sides.columns, 2 * side);
  const std::int64_t fit = lines_that_fit(
      {scheduled.column_offsets, sides.nest.tile[1].dst_stride}, columns, ways);
  for (const std::int64_t bytes : {2 * line, line, line / 2}) {
    if (bytes < line && bytes_of_many) break;
    if (fit >= std::min(columns, bytes / sides.unit)) return bytes;
  }
  return 0;
}

// Along rows where the lines of the columns stay in the L1 cache until the next rows
// complete them, else down columns where those of the rows do. Measured on Zen 5.
Choice choice_of_many_ways(const Sides& sides) {
  const std::int64_t unit = sides.unit;
  const std::int64_t side = line / unit;
  const std::int64_t of_rows = sides.of_rows, of_columns = sides.of_columns;
  const bool wide = sides.columns >= sides.rows;
  const Choice blocks{SquareOrder::blocks, square_bytes_of(sides)};
  const Choice along{SquareOrder::along_rows, blocks.bytes};
  const Choice down{SquareOrder::down_columns, blocks.bytes};
  if (unit <= 2 && sides.tables) return blocks;
  if (unit == 1) {
    if (std::max(of_rows, of_columns) > 16) return blocks;
    return sides.rows >= 3 * sides.columns || of_columns > 8 ? down : along;
  }
  if (unit == 2) {
    // Registers hold half a line of each row: lines that are read twice should not
    // be written twice, too.
    if (wide) return of_rows <= 32 && of_columns <= 16 ? along : blocks;
    return blocks.bytes > 0 && sides.columns >= 2 * side ? down : blocks;
  }
  const bool long_rows =
      of_rows >= 16 || wide || (sides.misaligned && sides.columns >= 4 * side);
  if (of_columns <= 8 && long_rows) return along;
  const bool tall = blocks.bytes >= line && sides.rows >= 4 * side &&
                    of_rows <= (unit == 4 ? 15 : 16);
  return tall ? down : blocks;
}

// The same where few pages are read ahead and vectors are lines: down columns beyond the
// caches next to a core and where columns are no whole lines, but for few rows; else blocks
// of two lines of each row, of one where columns crowd, and strips where they do so much
// that no square has room. Measured on Granite Rapids by AVX-512, 320 transposes of 32 KiB
// to 2 MiB.
Choice choice_of_few_pages(const Sides& sides) {
  const std::int64_t unit = sides.unit;
  const std::int64_t of_columns = sides.of_columns;
  const Choice down{SquareOrder::down_columns, square_bytes_of(sides)};
  const Choice strips{SquareOrder::blocks, 0};
  const Choice lines{SquareOrder::blocks, line};
  const bool of_bytes = unit == 1 && sides.near;
  if (of_bytes || (unit == 2 && sides.tables)) {
    return choice_of_many_ways(sides);
  }
  if (!sides.near) return down;
  if (of_columns >= 8) {
    if (unit == 8) return down;
    const bool no_room = of_columns > 16 || of_columns == sides.columns;
    return unit == 4 && no_room ? strips : lines;
  }
  if (sides.nest.tile[1].dst_stride % line != 0) {
    return sides.rows < 2 * line / unit ? strips : down;
  }
  return unit == 2 ? lines : Choice{SquareOrder::blocks, 2 * line};
}

// The same where sets hold 8 lines, or nothing is known of them: out of order pays less,
// strips of a line (strip.hpp) pay more. Measured on Zen 4, 840 transposes of 256 KiB to
// 5 MiB, by AVX-512 and AVX2.
Choice choice_of_few_ways(const Sides& sides) {
  constexpr SquareOrder blocks = SquareOrder::blocks;
  const std::int64_t of_rows = sides.of_rows, of_columns = sides.of_columns;
  if (sides.unit == 2) {
    const bool wide = sides.columns >= sides.rows / 2;
    return {blocks, square_bytes_of(sides), sides.near && wide};
  }
  if (sides.unit == 1) {
    const Choice by_bytes{blocks, square_bytes_of(sides)};
    if (sides.tables || of_rows > 16) return by_bytes;
    if (!sides.near) {
      const bool along = of_columns >= 8 || sides.rows >= 4 * sides.columns;
      return {along ? SquareOrder::along_rows : SquareOrder::down_columns,
              by_bytes.bytes};
    }
    if (of_rows < 16 || sides.rows <= line) return by_bytes;
    return {SquareOrder::down_columns, by_bytes.bytes};
  }
  if (!sides.near) return {blocks, of_rows <= 4 ? 0 : square_bytes_of(sides)};
  const bool lines_of_src = sides.nest.tile[0].src_stride % line == 0;
  if (sides.unit == 4 && !sides.tables && of_columns < 16) {
    // By vectors of a line, 1.02 times as fast.
    if (!lines_of_src) return {blocks, 0};
    // Whole lines of rows, which are lines of memory where src begins with one. Planes of
    // less than some such lines are best taken otherwise (small_planes.hpp).
    if (sides.columns > 2 * line / sides.unit) return {SquareOrder::strips, 0};
  }
  // Rows that are lines beside columns that are not: 1.06 to 1.33 times as fast.
  if (sides.unit == 8 && !sides.tables && lines_of_src &&
      sides.nest.tile[1].dst_stride % line != 0) {
    return {SquareOrder::down_columns, 0};
  }
  const bool strips =
      of_columns < 16 || of_rows <= 2 || (of_columns == 16 && of_rows <= 8);
  // Rows that the L1 cache keeps need no squares of whole lines: a stage's.
  const bool rows_in_l1 =
      sides.nest.rows.empty() &&
      sides.rows * std::abs(sides.nest.tile[0].src_stride) <= block_bytes;
  if (strips && !sides.tables && sides.unit == 8) {
    return {SquareOrder::strips, 0};
  }
  if (strips && (!sides.tables || rows_in_l1)) return {blocks, 0, true};
  if (of_columns == 16) return {blocks, square_bytes_of(sides), true};
  return choice_of_many_ways(sides);
}

}  // namespace

void choose_squares(ScheduledNest& scheduled, const PlanNest& nest,
                    const PlanData& data, std::int64_t of_columns) {
  const PlanLoop& row = nest.tile[0];
  const PlanLoop& column = nest.tile[1];
  constexpr std::int64_t some = 64;
  const std::int64_t unit = scheduled.kernel->element_bytes;
  const bool tables = !nest.rows.empty() || !nest.columns.empty();
  const Sides sides{
      .scheduled = scheduled,
      .nest = nest,
      .unit = unit,
      .rows = row.count,
      .columns = column.count,
      .of_rows = lines_per_set({scheduled.row_offsets, row.src_stride},
                               std::min(row.count, some)),
      .of_columns = of_columns,
      .tables = tables,
      .misaligned = tables || (row.src_stride % line != 0 &&
                               column.dst_stride % line != 0),
      .near = !data.prefetch};
  const bool measured = !data.in_memory() &&
                        scheduled.conversion == Conversion::none &&
                        std::min(sides.rows, sides.columns) >= line / unit;
  const bool by_lines =
      reads_ahead_by_pages() && scheduled.kernel->isa >= Isa::avx512;
  const Choice choice =
      !measured ? Choice{SquareOrder::blocks, square_bytes_of(sides)}
      : !sets_have_many_ways() ? choice_of_few_ways(sides)
      : by_lines               ? choice_of_few_pages(sides)
                               : choice_of_many_ways(sides);
  if (choice.short_vectors && halves_vectors()) {
    scheduled.kernel = find_kernel(scheduled.kernel->kind, unit,
                                   std::min(scheduled.kernel->isa, Isa::avx2));
  }
  scheduled.square_bytes = choice.bytes;
  scheduled.square_order = choice.order;
  scheduled.squares_of_parts = of_columns >= 16;
}

}  // namespace stridewise::detail
