// The pass that moves rows by groups: what instructions that multiply several channels
// at once take, as the four input channels that lie side by side in blocked weights.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reorder/kernels/grouped_blocks.hpp"
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

// Columns that follow each other in src, and on from group to group of those whose rows
// do, as many as tables may hold; the fastest last.
std::vector<PlanLoop> columns_of(const PlanLoop& column, const PlanLoop& member,
                                 std::vector<PlanLoop>& around) {
  constexpr std::int64_t most_columns = 512;
  std::vector<PlanLoop> columns = {column};
  std::int64_t reach = column.count * column.src_stride;
  if (member.src_stride != reach) return columns;
  reach *= member.count;
  std::int64_t count = column.count;
  for (;;) {
    const auto next = std::ranges::find(around, reach, &PlanLoop::src_stride);
    if (next == around.end()) return columns;
    std::int64_t taken = std::min(next->count, most_columns / count);
    while (taken > 1 && next->count % taken != 0) --taken;
    if (taken <= 1) return columns;
    columns.insert(columns.begin(), take_part(*next, taken));
    if (next->count > 1) return columns;
    around.erase(next);
    count *= taken;
    reach *= taken;
  }
}

// Whether there is a block of such columns, and a line holds each, of the members of a
// group.
bool in_lines(std::span<const PlanLoop> columns, const PlanLoop& member,
              std::int64_t element_bytes) {
  const std::int64_t more =
      (member.count - 1) * member.src_stride + element_bytes;
  const std::vector<std::int64_t> offsets =
      detail::offsets_of(columns, &PlanLoop::src_stride);
  bool all = offsets.size() >= grouped_columns;
  if (!all) return false;
  each_grouped(std::span(offsets), [&](std::size_t first) {
    const auto [least, most] =
        std::ranges::minmax(std::span(offsets).subspan(first, grouped_columns));
    all = all && most - least + more <= grouped_line;
  });
  return all;
}

}  // namespace

std::optional<Lowered> grouped(const Piece& piece, std::int64_t element_bytes) {
  constexpr std::int64_t groups = grouped_line / group_bytes;
  const Kernel* const kernel = find_kernel(KernelKind::grouped, element_bytes);
  if (kernel == nullptr || piece.zeros > 0) return std::nullopt;
  std::vector<PlanLoop> around = piece.loops;
  const auto member = take(around, &PlanLoop::dst_stride, element_bytes);
  const auto row = take(around, &PlanLoop::dst_stride, group_bytes);
  const auto column = take(around, &PlanLoop::src_stride, element_bytes);
  if (!member || !row || !column ||
      member->count * element_bytes != group_bytes || member->src_stride <= 0 ||
      row->count % groups != 0 || row->src_stride <= 0) {
    return std::nullopt;
  }
  const std::vector<PlanLoop> others = around;
  std::vector<PlanLoop> columns = columns_of(*column, *member, around);
  if (!in_lines(columns, *member, element_bytes)) {
    columns = {*column};
    around = others;
    if (!in_lines(columns, *member, element_bytes)) return std::nullopt;
  }
  const std::int64_t count = std::accumulate(
      columns.begin(), columns.end(), std::int64_t{1},
      [](std::int64_t all, const PlanLoop& loop) { return all * loop.count; });
  const std::int64_t rows = row->count * member->count;
  return Lowered{
      PlanNest{.loops = std::move(around),
               .tile = {{rows, 0, element_bytes}, {count, element_bytes, 0}},
               .rows = {*row, *member},
               .columns = std::move(columns),
               .element_bytes = element_bytes,
               .src_offset = piece.src_offset,
               .dst_offset = piece.dst_offset},
      kernel};
}

}  // namespace stridewise
