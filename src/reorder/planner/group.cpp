// The pass that moves rows by groups: what instructions that multiply several channels
// at once take, as the four input channels that lie side by side in blocked weights.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reorder/kernels/grouped_blocks.hpp"
#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/problem.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise {
namespace {

// The loop with such a stride, taken out of the others.
std::optional<PlanLoop> take(std::vector<PlanLoop>& loops,
                             std::int64_t PlanLoop::*side,
                             std::int64_t stride) {
  const auto loop = std::ranges::find(loops, stride, side);
  if (loop == loops.end()) return std::nullopt;
  const PlanLoop taken = *loop;
  loops.erase(loop);
  return taken;
}

// As many lines of groups as a call should have side by side; the rest of the loop goes
// to those around, which stay in the order of dst. Pre: lines divide its count.
PlanLoop take_lines(PlanLoop loop, std::vector<PlanLoop>& around) {
  constexpr std::int64_t side = grouped_line / group_bytes, most_lines = 4;
  const PlanLoop taken =
      take_part(loop, side * most_part(loop.count / side, most_lines));
  if (loop.count > 1) {
    const auto after = std::ranges::find_if(around, [&](const PlanLoop& other) {
      return other.dst_stride < loop.dst_stride;
    });
    around.insert(after, loop);
  }
  return taken;
}

// Columns that follow each other in src and, where the members of a group go on there
// too, those of the groups after it, at most so many; the fastest last.
std::vector<PlanLoop> columns_of(const PlanLoop& column, const PlanLoop& member,
                                 std::int64_t most_columns,
                                 std::vector<PlanLoop>& around) {
  std::vector<PlanLoop> columns = {column};
  std::int64_t reach = column.count * column.src_stride;
  if (member.src_stride != reach) return columns;
  reach *= member.count;
  std::int64_t count = column.count;
  for (;;) {
    const auto part = take_most(
        around, std::ranges::find(around, reach, &PlanLoop::src_stride),
        most_columns / count);
    if (!part) return columns;
    columns.insert(columns.begin(), *part);
    count *= part->count;
    reach *= part->count;
  }
}

// Whether a kernel can take such columns of the members of a group.
bool held(std::span<const PlanLoop> columns, const PlanLoop& member,
          const Kernel& kernel) {
  return grouped_holds(
      kernel.block_columns, detail::offsets_of(columns, &PlanLoop::src_stride),
      detail::offsets_of(std::span(&member, 1), &PlanLoop::src_stride),
      kernel.element_bytes);
}

// Whether lanes, each of which is read for a few columns, are those of lines that the L1
// cache keeps until all columns are moved; others are best transposed as they are.
bool few_near(const PlanLoop& column, const PlanLoop& row,
              std::int64_t element_bytes) {
  return column.count * element_bytes <= grouped_line &&
         !detail::share_sets(row.count, row.src_stride);
}

}  // namespace

std::optional<Lowered> grouped(const Piece& piece, std::int64_t element_bytes,
                               std::int64_t most_bytes) {
  constexpr std::int64_t groups = grouped_line / group_bytes;
  constexpr std::int64_t most_columns = 512;  // of a table
  const Kernel* const kernel = find_kernel(KernelKind::grouped, element_bytes);
  if (kernel == nullptr || piece.zeros > 0) return std::nullopt;
  std::vector<PlanLoop> around = piece.loops;
  const auto member = take(around, &PlanLoop::dst_stride, element_bytes);
  const auto rows = take(around, &PlanLoop::dst_stride, group_bytes);
  const auto column = take(around, &PlanLoop::src_stride, element_bytes);
  if (!member || !rows || !column ||
      member->count * element_bytes != group_bytes ||
      member->src_stride < column->count * element_bytes ||
      rows->count % groups != 0 || rows->src_stride <= 0) {
    return std::nullopt;
  }
  // A stage, in which what is nearer comes first, would take members further apart.
  const bool crossed = std::ranges::any_of(around, [&](const PlanLoop& loop) {
    return std::abs(loop.src_stride) < member->src_stride;
  });
  if (crossed) return std::nullopt;
  const PlanLoop row = take_lines(*rows, around);
  if (permutes_lanes(*kernel) && !few_near(*column, row, element_bytes)) {
    return std::nullopt;
  }
  const std::int64_t most =
      std::min(most_columns, most_bytes / (row.count * group_bytes));
  const std::vector<PlanLoop> others = around;
  std::vector<PlanLoop> columns = columns_of(*column, *member, most, around);
  if (!held(columns, *member, *kernel)) {
    if (columns.size() == 1) return std::nullopt;
    columns = {*column};
    around = others;
    if (!held(columns, *member, *kernel)) return std::nullopt;
  }
  const std::int64_t count = std::accumulate(
      columns.begin(), columns.end(), std::int64_t{1},
      [](std::int64_t all, const PlanLoop& loop) { return all * loop.count; });
  return Lowered{
      PlanNest{.loops = std::move(around),
               .tile = {{row.count * member->count, 0, element_bytes},
                        {count, element_bytes, 0}},
               .rows = {row, *member},
               .columns = std::move(columns),
               .element_bytes = element_bytes,
               .src_offset = piece.src_offset,
               .dst_offset = piece.dst_offset},
      kernel};
}

std::optional<Lowered> ungrouped(const Piece& piece,
                                 std::int64_t element_bytes) {
  constexpr std::int64_t side = grouped_line / group_bytes;
  const Kernel* const kernel =
      find_kernel(KernelKind::ungrouped, element_bytes);
  if (kernel == nullptr || piece.zeros > 0) return std::nullopt;
  std::vector<PlanLoop> around = piece.loops;
  const auto member = take(around, &PlanLoop::src_stride, element_bytes);
  const auto columns = take(around, &PlanLoop::src_stride, group_bytes);
  const auto run = take(around, &PlanLoop::dst_stride, element_bytes);
  if (!member || !columns || !run ||
      member->count * element_bytes != group_bytes ||
      member->dst_stride != run->count * element_bytes ||
      columns->count % side != 0) {
    return std::nullopt;
  }
  const PlanLoop column = take_lines(*columns, around);
  std::vector<PlanLoop> rows = {*member, *run};
  std::int64_t groups = run->count;
  while (const auto part =
             take_most(around,
                       std::ranges::find(around, groups * group_bytes,
                                         &PlanLoop::dst_stride),
                       most_groups / groups)) {
    rows.insert(rows.begin(), *part);
    groups *= part->count;
  }
  const std::int64_t bytes = groups * group_bytes;
  // Members of a group are told from other rows by where they begin.
  const bool whole = std::ranges::all_of(rows, [&](const PlanLoop& loop) {
    return loop == *member ||
           (loop.src_stride > 0 && loop.src_stride % group_bytes == 0);
  });
  if (groups < side || groups > most_groups || !whole ||
      !ungroups(bytes, run->count)) {
    return std::nullopt;
  }
  return Lowered{
      PlanNest{.loops = std::move(around),
               .tile = {{bytes / element_bytes, 0, element_bytes}, column},
               .rows = std::move(rows),
               .element_bytes = element_bytes,
               .src_offset = piece.src_offset,
               .dst_offset = piece.dst_offset},
      kernel};
}

}  // namespace stridewise
