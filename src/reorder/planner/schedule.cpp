// The pass that shares work: how much a kernel does in one call, so that what it
// reads twice stays in the nearest cache; and tasks of a size that keeps threads
// busy and the cost of handing them out small.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t one = 1;
constexpr std::int64_t page = 4096;
constexpr std::int64_t task_bytes = 512 << 10;
constexpr std::int64_t sieve_places = 1 << 16;

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

// Whether columns of dst are some lines long and begin at different places of one.
bool misaligned(const PlanNest& nest, const Kernel& kernel,
                std::span<const std::int64_t> column_offsets) {
  if (kernel.kind != KernelKind::transpose || kernel.element_bytes >= 16 ||
      nest.zeros > 0 || nest.tile[0].count * kernel.element_bytes < 8 * line) {
    return false;
  }
  const auto off_line = [](std::int64_t at) { return at % line != 0; };
  return column_offsets.empty() ? off_line(nest.tile[1].dst_stride)
                                : std::ranges::any_of(column_offsets, off_line);
}

// Whether lines of dst are so often shared, by short tiles that follow each other
// there or by short columns of long elements, that the caches put them together
// better than streaming stores, which would write each in parts. `bytes`: of src
// and dst.
bool shares_lines(const PlanNest& nest, const Kernel& kernel,
                  std::int64_t bytes) {
  // Short columns of short rows are found again where dst of others is not: 8 MiB
  // take 0.9 of the time that they take with stores that stream, 96 MiB 1.1.
  constexpr std::int64_t short_cached = 32 << 20;
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t column = (nest.tile[0].count + nest.zeros) * unit;
  const std::int64_t columns = nest.tile[1].count;
  std::int64_t few = 8 << 10;
  if (kernel.kind == KernelKind::transpose) {
    few = 1 << 10;
    if (unit >= 16) return column % line != 0 && column < few;
  } else if (kernel.kind == KernelKind::short_rows) {
    return column < streamed_column_bytes && bytes < short_cached;
  } else if (kernel.kind != KernelKind::interleave) {
    return false;
  }
  if (column >= few || columns >= few || column * columns >= few) return false;
  return nest.columns.empty() && nest.tile[1].dst_stride == column &&
         column * columns % line != 0 &&
         std::ranges::find(nest.loops, column * columns,
                           &PlanLoop::dst_stride) != nest.loops.end();
}

// Rows and columns of one call.
std::array<std::int64_t, 2> part_of(const Kernel& kernel, const PlanNest& nest,
                                    bool by_whole_lines) {
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t rows = nest.tile[0].count;
  const std::int64_t columns = nest.tile[1].count;
  switch (kernel.kind) {
    case KernelKind::transpose: {
      // Long elements stream whichever way dst lies to lines: the more of them
      // follow each other, the fewer lines are written in parts.
      const std::int64_t least =
          std::min(rows, (unit >= 16 ? 2048 : 512) / unit);
      if (!by_whole_lines && nest.columns.empty() &&
          nest.tile[1].dst_stride % line != 0) {
        // Columns that share lines of dst must meet while those are in the L1
        // cache.
        return {least, std::max((16 << 10) / least / unit / line, one) * line};
      }
      // A page of src by some lines of dst, or as much more of dst as there is
      // less of src: long runs on both sides, no more pages than a TLB holds, and
      // no more than makes a task.
      const std::int64_t part = std::max(page / unit / line, one) * line;
      const std::int64_t most =
          unit >= 16 ? 0
                     : std::min(task_bytes / std::min(part, columns), page) /
                           line * line;
      return {std::max(most / unit, least), part};
    }
    case KernelKind::strided:
      return {std::max<std::int64_t>((64 << 10) / unit / columns, 1),
              (64 << 10) / unit};
    case KernelKind::interleave:
    case KernelKind::short_columns:
    case KernelKind::padded_columns:
    case KernelKind::permuted:
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

// The same where a call may move only so much as the stage holds.
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

// Where the values of a nest change, if the plan's change on that side of kernels.
Conversion conversion_of(const PlanData& data, const PlanNest& nest,
                         const Kernel& kernel) {
  // Shorter runs are best gathered or scattered by kernels.
  constexpr std::int64_t long_run = 16;
  if (nest.fills || data.converter == nullptr) return Conversion::none;
  if (kernel.kind == KernelKind::copy && nest.zeros == 0 &&
      nest.tile[1].count >= long_run * data.width) {
    return Conversion::direct;
  }
  return data.width == data.dst_width ? Conversion::before : Conversion::after;
}

// Whether a nest can write past the caches.
bool can_stream(const PlanData& data, const PlanNest& nest,
                const Kernel& kernel, Conversion conversion) {
  switch (conversion) {
    case Conversion::direct:
      return data.converter->stream != nullptr;
    case Conversion::after: {
      // Lines that runs share would be written in parts.
      constexpr std::int64_t some_lines = 8 * line;
      const std::int64_t run = kernel.kind == KernelKind::copy
                                   ? nest.tile[1].count
                                   : nest.tile[0].count * kernel.element_bytes;
      return data.converter->stream != nullptr &&
             kernel.kind != KernelKind::strided &&
             data.in_dst(run) >= some_lines;
    }
    default:
      return kernel.stream != nullptr &&
             !shares_lines(nest, kernel, data.src_bytes + data.dst_bytes);
  }
}

// What a call moves on the wider side.
std::int64_t call_bytes(const PlanData& data, const ScheduledNest& scheduled) {
  std::int64_t bytes = scheduled.kernel->element_bytes;
  for (std::size_t d = 0; d < 4; ++d) {
    bytes *= std::min(scheduled.part[d], scheduled.tile[d].count);
  }
  if (scheduled.conversion == Conversion::none) return bytes;
  return bytes / data.width * std::max(data.src_width, data.dst_width);
}

// How many calls make a task: about task_bytes, and where whole tiles are runs
// of one loop, an end at the end of a line of dst.
std::int64_t calls_per_task(const PlanData& data,
                            const ScheduledNest& scheduled,
                            std::int64_t call_bytes) {
  const std::int64_t calls = std::max<std::int64_t>(
      task_bytes / std::max<std::int64_t>(call_bytes, 1), 1);
  const bool whole =
      std::ranges::all_of(scheduled.parts, [](auto k) { return k == 1; });
  if (scheduled.around == 0 || !whole) return calls;
  std::int64_t stride = scheduled.nest.loops[scheduled.around - 1].dst_stride;
  if (scheduled.conversion != Conversion::none) stride = data.in_dst(stride);
  const std::int64_t step = line / std::gcd(line, stride);
  return step > calls ? calls : ceil_div(calls, step) * step;
}

}  // namespace

std::vector<std::int64_t> offsets_of(std::span<const PlanLoop> loops,
                                     std::int64_t PlanLoop::*stride) {
  if (loops.empty()) return {};
  std::vector<std::int64_t> offsets = {0};
  for (const PlanLoop& loop : loops) {
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(loop.count));
    for (const std::int64_t offset : offsets) {
      for (std::int64_t k = 0; k < loop.count; ++k) {
        next.push_back(offset + k * (loop.*stride));
      }
    }
    offsets = std::move(next);
  }
  return offsets;
}

void schedule(PlanData& data, PlanNest nest, const Kernel& kernel,
              bool streams) {
  ScheduledNest scheduled{};
  scheduled.kernel = &kernel;
  scheduled.copy = find_kernel(KernelKind::copy, 1);
  const Conversion conversion = conversion_of(data, nest, kernel);
  scheduled.conversion = conversion;
  const bool staged =
      conversion == Conversion::before || conversion == Conversion::after;
  nest.staged = staged;
  nest.streams = streams && can_stream(data, nest, kernel, conversion);
  // What kernels write to a stage stays in the caches.
  const bool kernel_streams = nest.streams && conversion != Conversion::after;
  scheduled.run = kernel_streams ? kernel.stream : kernel.run;
  scheduled.row_offsets = offsets_of(nest.rows, &PlanLoop::src_stride);
  if (!scheduled.row_offsets.empty()) {
    scheduled.row_reach = std::ranges::max(scheduled.row_offsets);
  }
  scheduled.column_offsets = offsets_of(nest.columns, &PlanLoop::dst_stride);
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
      kernel.kind == KernelKind::transpose && unit < 16 && !kernel_streams;
  scheduled.square_bytes = squares ? square_bytes_of(scheduled, nest, unit) : 0;
  scheduled.squares_of_parts = of_columns >= 16;
  scheduled.zeros_dim = kernel.kind == KernelKind::copy ? 1 : 0;
  scheduled.tile = {nest.tile[0], nest.tile[1], {1, 0, 0}, {1, 0, 0}};
  if (kernel_streams && conversion != Conversion::direct) {
    scheduled.combine = combine_of(nest, kernel, scheduled.column_offsets,
                                   scheduled.crowded_src > 0);
    scheduled.misaligned = !staged && scheduled.combine.columns == 0 &&
                           misaligned(nest, kernel, scheduled.column_offsets);
    nest.staged = staged || scheduled.misaligned;
  }
  auto tile_part = staged ? staged_part_of(kernel, nest, conversion)
                          : part_of(kernel, nest, scheduled.misaligned);
  if (const std::int64_t columns = scheduled.combine.columns; columns > 0) {
    const std::int64_t rows = std::max(tile_part[0], nest.tile[0].count);
    if (staged) tile_part[1] = staged_bytes / unit / rows;
    tile_part = {rows, std::max(tile_part[1] / columns, one) * columns};
    nest.staged = staged || scheduled.combine.spared == 0;
  }
  scheduled.part = {tile_part[0], tile_part[1], 1, 1};
  scheduled.leads = kernel_streams && !scheduled.misaligned &&
                    kernel.kind == KernelKind::transpose &&
                    tile_part[0] * unit >= line;

  std::int64_t bytes = std::min(tile_part[0], nest.tile[0].count) *
                       std::min(tile_part[1], nest.tile[1].count) *
                       kernel.element_bytes;
  // Tiles so small that calls would show take loops around them along.
  const std::int64_t enough = staged ? staged_bytes / 2 : 32 << 10;
  std::size_t around = nest.loops.size();
  for (std::size_t d = 2;
       d < 4 && around > 0 && bytes * 2 <= enough &&
       tile_part[0] >= nest.tile[0].count && tile_part[1] >= nest.tile[1].count;
       ++d) {
    const PlanLoop& loop = nest.loops[--around];
    scheduled.tile[d] = loop;
    scheduled.part[d] =
        std::min(loop.count, enough / std::max<std::int64_t>(bytes, 1));
    bytes *= scheduled.part[d];
    if (scheduled.part[d] < loop.count) break;
  }
  scheduled.around = around;
  scheduled.nest = std::move(nest);
  if (staged) lay_out_stage(data, scheduled);
  scheduled.calls = 1;
  for (std::size_t d = 0; d < 4; ++d) {
    scheduled.part[d] = std::max<std::int64_t>(scheduled.part[d], 1);
    scheduled.parts[d] = std::max<std::int64_t>(
        ceil_div(scheduled.tile[d].count, scheduled.part[d]), 1);
    scheduled.calls *= scheduled.parts[d];
  }
  for (std::size_t k = 0; k < around; ++k) {
    scheduled.calls *= scheduled.nest.loops[k].count;
  }
  scheduled.per_task =
      calls_per_task(data, scheduled, call_bytes(data, scheduled));
  scheduled.first_task = data.tasks;
  data.tasks += ceil_div(scheduled.calls, scheduled.per_task);
  data.nests.push_back(std::move(scheduled));
}

void schedule_sieve(PlanData& data, const Layout& layout) {
  data.sieve = Sieve{layout, sieve_places, data.tasks};
  data.tasks += ceil_div(layout.places(), sieve_places);
}

}  // namespace stridewise::detail
