// How much a kernel does in one call, so that what it reads twice stays in the
// nearest cache.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "reorder/planner/schedule.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t one = 1;
constexpr std::int64_t page = 4096;

using Part = std::array<std::int64_t, 2>;

// Of so many columns or rows, those that are whole lines of elements of any width.
std::int64_t whole(std::int64_t count) { return count / line * line; }
std::int64_t whole_or_least(std::int64_t count) {
  return std::max(whole(count), line);
}

Part part_of_transpose(const Kernel& kernel, const PlanNest& nest,
                       bool by_whole_lines) {
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t columns = nest.tile[1].count;
  // Long elements stream whichever way dst lies to lines: the more of them follow each
  // other, the fewer lines are written in parts.
  const std::int64_t least =
      std::min(nest.tile[0].count, (unit >= 16 ? 2048 : 512) / unit);
  if (!by_whole_lines && nest.columns.empty() &&
      nest.tile[1].dst_stride % line != 0) {
    // Columns that share lines of dst must meet while those are in the L1 cache. Of few
    // columns, as many rows as its share holds.
    constexpr std::int64_t share = 16 << 10;
    const std::int64_t of_few = whole(share / unit / columns);
    return {std::max(std::min(nest.tile[0].count, of_few), least),
            whole_or_least(share / least / unit)};
  }
  // A page of src by some lines of dst, or as much more of dst as there is less of src:
  // long runs on both sides, no more pages than a TLB holds, and no more than makes a
  // task.
  const std::int64_t part = whole_or_least(page / unit);
  const std::int64_t most =
      unit >= 16 ? 0
                 : whole(std::min(task_bytes / std::min(part, columns), page));
  return {std::max(most / unit, least), part};
}

// As much as makes up for what a call takes, where a call has all rows or all columns of
// a tile anyway: of a strip of rows, or long elements that move by blocks of both. Several
// strips share lines of dst, see above, or write to columns that lie anywhere.
Part with_few_calls(Part part, const Kernel& kernel, const PlanNest& nest) {
  constexpr std::int64_t call = 64 << 10;
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t rows = nest.tile[0].count;
  const std::int64_t columns = nest.tile[1].count;
  const std::int64_t column = (rows + nest.zeros) * unit;
  const bool by_blocks =
      unit >= 16 && nest.columns.empty() && nest.tile[1].dst_stride % line == 0;
  if (part[0] >= rows && (by_blocks || column <= line)) {
    part[1] = std::max(part[1], whole(call / (rows * unit)));
  } else if (part[1] >= columns && by_blocks) {
    part[0] = std::max(part[0], whole(call / (columns * unit)));
  }
  return part;
}

}  // namespace

std::array<std::int64_t, 2> part_of(const Kernel& kernel, const PlanNest& nest,
                                    bool by_whole_lines) {
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t rows = nest.tile[0].count;
  const std::int64_t columns = nest.tile[1].count;
  switch (kernel.kind) {
    case KernelKind::transpose:
      return with_few_calls(part_of_transpose(kernel, nest, by_whole_lines),
                            kernel, nest);
    case KernelKind::strided:
      return {std::max<std::int64_t>((64 << 10) / unit / columns, 1),
              (64 << 10) / unit};
    case KernelKind::interleave:
    case KernelKind::short_columns:
    case KernelKind::padded_columns:
    case KernelKind::permuted:
    case KernelKind::gathered:
    case KernelKind::grouped:
    case KernelKind::ungrouped:
    case KernelKind::padded_rows:
      return {rows, (32 << 10) / unit};
    case KernelKind::deinterleave:
    case KernelKind::short_rows:
      return {(32 << 10) / unit, columns};
    case KernelKind::copy:
    case KernelKind::fill:
      break;
  }
  constexpr std::int64_t bytes = 256 << 10;
  const std::int64_t rows_at_once = bytes / std::max<std::int64_t>(columns, 1);
  return {rows_at_once >= line ? rows_at_once / line * line
                               : std::max<std::int64_t>(rows_at_once, 1),
          bytes};
}

std::array<std::int64_t, 2> part_by_blocks(const Kernel& kernel,
                                           const PlanNest& nest) {
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t rows = nest.tile[0].count;
  // A page of src, and no more than makes a task.
  const std::int64_t columns = std::min(page, task_bytes / rows) / unit;
  return with_few_calls({rows, whole_or_least(columns)}, kernel, nest);
}

std::optional<std::array<std::int64_t, 2>> part_by_pages(const Kernel& kernel,
                                                         const PlanNest& nest,
                                                         std::int64_t bytes) {
  const std::int64_t unit = kernel.element_bytes;
  // As many as have a page each, or two, in the TLB that is next to memory.
  constexpr std::int64_t most_columns = 1536;
  const std::int64_t columns = nest.tile[1].count;
  const auto apart = [](const PlanLoop& loop) {
    return loop.dst_stride >= page;
  };
  const bool in_pages = nest.columns.empty()
                            ? apart(nest.tile[1])
                            : std::ranges::all_of(nest.columns, apart);
  if (kernel.kind != KernelKind::transpose || unit >= 16 || !in_pages ||
      columns < most_columns) {
    return std::nullopt;
  }
  const std::int64_t some = ceil_div(columns, ceil_div(columns, most_columns));
  // As much of each as a page holds, if there are calls for many threads then.
  constexpr std::int64_t least_calls = 64, least = 512;
  const std::int64_t share = whole(bytes / least_calls / some);
  return Part{std::clamp(share, least, page) / unit,
              ceil_div(some, line) * line};
}

std::array<std::int64_t, 2> staged_part_of(const Kernel& kernel,
                                           const PlanNest& nest,
                                           Conversion conversion) {
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t most = staged_bytes / unit;
  const std::int64_t rows = nest.tile[0].count + nest.zeros;
  const std::int64_t columns = nest.tile[1].count;
  // As many as fit, whole lines of them.
  const auto share = [&](std::int64_t other) {
    const std::int64_t block = std::max(line / unit, one);
    const std::int64_t some = std::max(most / std::max(other, one), one);
    return some >= block ? some / block * block : some;
  };
  switch (kernel.kind) {
    case KernelKind::copy:
      return {share(columns + nest.zeros), most};
    case KernelKind::strided:
      return {share(columns), most};
    case KernelKind::deinterleave:
    case KernelKind::short_rows:
      return {share(columns), columns};
    case KernelKind::grouped:
      return {rows, columns};
    default:
      break;
  }
  // Rows of src, columns of dst, or of both what memory still likes. Zeros follow the
  // last part, so there is room for them beside any.
  constexpr std::int64_t some_lines = 256;
  const std::int64_t some = std::max(some_lines / unit, one);
  if (conversion == Conversion::after) {
    const std::int64_t block = std::max(line / unit, one);
    const std::int64_t part = rows <= most / block ? rows : most / some;
    return {part, share(part + nest.zeros)};
  }
  if (rows * columns <= most) return {rows, columns};
  if (rows <= most / some) return {rows, share(rows)};
  if (columns <= 2 * some) return {share(columns), columns};
  return {share(some), some};
}

}  // namespace stridewise::detail
