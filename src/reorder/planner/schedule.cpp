// The pass that shares work: how much a kernel does in one call, so that what it
// reads twice stays in the nearest cache; and tasks of a size that keeps threads
// busy and the cost of handing them out small.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t one = 1;
constexpr std::int64_t sieve_places = 1 << 16;

// Whether columns of dst are some lines long and begin at different places of one.
bool misaligned(const PlanNest& nest, const Kernel& kernel,
                std::span<const std::int64_t> column_offsets) {
  if (kernel.kind != KernelKind::transpose || kernel.element_bytes >= 16 ||
      nest.zeros > 0 ||
      nest.tile[0].count * kernel.element_bytes < long_column) {
    return false;
  }
  const auto off_line = [](std::int64_t at) { return at % line != 0; };
  return column_offsets.empty() ? off_line(nest.tile[1].dst_stride)
                                : std::ranges::any_of(column_offsets, off_line);
}

// Whether columns of the tile, or runs of a copy, of so many bytes are whole lines of
// dst if the first one begins with one.
bool whole_lines(const PlanNest& nest, const Kernel& kernel,
                 std::int64_t piece) {
  const auto by_lines = [](const PlanLoop& loop) {
    return loop.count == 1 || loop.dst_stride % line == 0;
  };
  const std::size_t columns = kernel.kind == KernelKind::copy ? 0 : 1;
  return piece % line == 0 &&
         (nest.columns.empty() ? by_lines(nest.tile[columns])
                               : std::ranges::all_of(nest.columns, by_lines)) &&
         std::ranges::all_of(nest.loops, by_lines);
}

// Whether lines of dst are so often shared, by short tiles that follow each other
// there, by short columns of long elements or by runs of a few lines, or of less that lie
// apart, that the caches put them together better than streaming stores, which would
// write each in parts.
// `bytes`: of src and dst.
bool shares_lines(const PlanNest& nest, const Kernel& kernel,
                  std::int64_t bytes) {
  // What short columns and runs share is found again where dst of others is not: columns
  // of short rows of 8 MiB take 0.9 of the time that they take with stores that stream,
  // 96 MiB 1.1.
  constexpr std::int64_t short_cached = 32 << 20;
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t column = (nest.tile[0].count + nest.zeros) * unit;
  const std::int64_t columns = nest.tile[1].count;
  // Whether a loop around the tile goes on where so many bytes of dst end.
  const auto goes_on = [&](std::int64_t piece) {
    return std::ranges::find(nest.loops, piece, &PlanLoop::dst_stride) !=
           nest.loops.end();
  };
  std::int64_t few = 8 << 10;
  std::int64_t whole = column * columns;  // what streams whole if it is lines
  if (kernel.kind == KernelKind::transpose) {
    few = 1 << 10;
    if (unit >= 16) return column < few && !whole_lines(nest, kernel, column);
    // Two columns of half a line stream as one if they follow each other.
    if (column == line / 2 && nest.tile[1].dst_stride != column &&
        bytes < short_cached) {
      return true;
    }
    if (column != line / 2) {
      few = 2 << 10;
      whole = column;
    }
  } else if (kernel.kind == KernelKind::copy) {
    // A few whole lines do not make up for the parts beside them: 8 MiB take half of
    // the time, 128 MiB the same.
    const std::int64_t run = columns + nest.zeros;
    const bool apart = nest.tile[0].dst_stride != run && !goes_on(run);
    return (run >= line || apart) && run < 6 * line && bytes < short_cached &&
           !whole_lines(nest, kernel, run);
  } else if (kernel.kind == KernelKind::gathered ||
             kernel.kind == KernelKind::grouped) {
    return !whole_lines(nest, kernel, column);
  } else if (kernel.kind == KernelKind::short_rows) {
    return column < streamed_column_bytes && bytes < short_cached;
  } else if (kernel.kind == KernelKind::deinterleave) {
    return column < line;
  } else if (kernel.kind != KernelKind::interleave) {
    return false;
  }
  if (column >= few || columns >= few || column * columns >= few) return false;
  return nest.columns.empty() && nest.tile[1].dst_stride == column &&
         whole % line != 0 && goes_on(column * columns);
}

// Where the values of a nest change, if the plan's change on that side of kernels.
Conversion conversion_of(const PlanData& data, const PlanNest& nest,
                         const Kernel& kernel) {
  // Shorter runs are best gathered or scattered by kernels.
  constexpr std::int64_t long_run = 16;
  if (nest.fills || !data.conversion) return Conversion::none;
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
      return data.conversion->streams();
    case Conversion::after: {
      // Lines that runs share would be written in parts.
      constexpr std::int64_t some_lines = 8 * line;
      const std::int64_t run = kernel.kind == KernelKind::copy
                                   ? nest.tile[1].count
                                   : nest.tile[0].count * kernel.element_bytes;
      return data.conversion->streams() && kernel.kind != KernelKind::strided &&
             data.in_dst(run) >= some_lines;
    }
    default:
      return kernel.stream != nullptr &&
             !shares_lines(nest, kernel, data.both_bytes());
  }
}

// What a call moves on the wider side.
std::int64_t call_bytes(const PlanData& data, const ScheduledNest& scheduled) {
  std::int64_t bytes = scheduled.kernel->element_bytes;
  for (std::size_t d = 0; d < 4; ++d) {
    bytes *= std::min(scheduled.part[d], scheduled.tile[d].count);
  }
  for (const Tile::Loop& loop : scheduled.outer) bytes *= loop.count;
  if (scheduled.conversion == Conversion::none) return bytes;
  return bytes / data.width * std::max(data.src_width, data.dst_width);
}

// How many calls make a task: about task_bytes, and where whole tiles are runs
// of one loop, an end at the end of a line of dst.
std::int64_t calls_per_task(const PlanData& data,
                            const ScheduledNest& scheduled,
                            std::int64_t call_bytes) {
  const std::int64_t calls =
      std::max(task_bytes / std::max(call_bytes, one), one);
  const bool whole =
      std::ranges::all_of(scheduled.parts, [](auto k) { return k == 1; });
  if (scheduled.around == 0 || !whole) return calls;
  std::int64_t stride = scheduled.nest.loops[scheduled.around - 1].dst_stride;
  if (scheduled.conversion != Conversion::none) stride = data.in_dst(stride);
  const std::int64_t step = line / std::gcd(line, stride);
  return step > calls ? calls : ceil_div(calls, step) * step;
}

// Shares out the calls of a nest, of so many bytes each.
void add_tasks(PlanData& data, ScheduledNest scheduled,
               std::int64_t call_bytes) {
  scheduled.per_task = calls_per_task(data, scheduled, call_bytes);
  scheduled.first_task = data.tasks;
  data.tasks += ceil_div(scheduled.calls, scheduled.per_task);
  data.nests.push_back(std::move(scheduled));
}

std::int64_t product_of(std::span<const PlanLoop> loops) {
  std::int64_t product = 1;
  for (const PlanLoop& loop : loops) product *= loop.count + loop.zeros;
  return product;
}

}  // namespace

std::vector<std::int64_t> offsets_of(std::span<const PlanLoop> loops,
                                     std::int64_t PlanLoop::*stride) {
  if (loops.empty()) return {};
  std::vector<std::int64_t> offsets(
      static_cast<std::size_t>(product_of(loops)));
  // From the fastest loop on, each repeats what those after it made.
  std::size_t made = 1;
  for (std::size_t k = loops.size(); k-- > 0;) {
    const PlanLoop& loop = loops[k];
    const auto count = static_cast<std::size_t>(loop.count);
    const std::size_t end =
        made * (count + static_cast<std::size_t>(loop.zeros));
    for (std::size_t at = made; at < end; ++at) {
      const std::int64_t before = offsets[at - made];
      offsets[at] = before == no_row || at >= made * count
                        ? no_row
                        : before + loop.*stride;
    }
    made = end;
  }
  return offsets;
}

namespace {

// What the kernel needs for all calls.
std::vector<std::byte> table_of(const ScheduledNest& scheduled) {
  if (scheduled.kernel->table_of == nullptr) return {};
  Tile tile{};
  if (!scheduled.row_offsets.empty()) {
    tile.row_offset = scheduled.row_offsets.data();
    tile.row_reach = scheduled.row_reach;
  }
  tile.column_offset = scheduled.column_offsets.data();
  std::vector<std::int64_t> column_src =
      offsets_of(scheduled.nest.columns, &PlanLoop::src_stride);
  tile.zeros = scheduled.nest.zeros;
  for (std::size_t d = 0; d < 4; ++d) {
    tile.count[d] = std::min(scheduled.part[d], scheduled.tile[d].count);
    tile.src_stride[d] = scheduled.tile[d].src_stride;
    tile.dst_stride[d] = scheduled.tile[d].dst_stride;
  }
  if (scheduled.conversion == Conversion::before) {
    scheduled.stage.place_rows(tile);
    column_src = scheduled.stage.column_src;
  } else if (scheduled.conversion == Conversion::after) {
    tile.dst_stride = scheduled.stage.stride;
  }
  tile.column_src = column_src.data();
  return scheduled.kernel->table_of(tile);
}

// Hands the calls of a nest more loops around their tile, as long as what they move
// stays small: whole ones, after whole ones.
void take_outer(ScheduledNest& scheduled, const PlanNest& nest,
                std::int64_t bytes, std::int64_t enough, std::size_t& around) {
  const bool whole = scheduled.tile[3].count > 1 &&
                     scheduled.part[3] == scheduled.tile[3].count;
  if (!whole || scheduled.conversion != Conversion::none ||
      scheduled.combine.columns > 0) {
    return;
  }
  for (Tile::Loop& outer : scheduled.outer) {
    if (around == 0) return;
    const PlanLoop& loop = nest.loops[around - 1];
    bytes *= loop.count;
    if (bytes > enough) return;
    outer = {loop.count, loop.src_stride, loop.dst_stride};
    --around;
  }
}

// All but its tasks.
ScheduledNest cut(const PlanData& data, Lowered lowered, bool streams) {
  PlanNest& nest = lowered.nest;
  const Kernel& kernel = *lowered.kernel;
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
  scheduled.row_offsets = offsets_of(nest.rows, &PlanLoop::src_stride);
  if (!scheduled.row_offsets.empty()) {
    scheduled.row_reach = std::ranges::max(scheduled.row_offsets);
  }
  scheduled.column_offsets = offsets_of(nest.columns, &PlanLoop::dst_stride);
  const std::int64_t unit = kernel.element_bytes;
  scheduled.read_ahead = rows_read_ahead();
  scheduled.bursts = reads_ahead_by_pages();
  scheduled.from_memory = data.in_memory() && tells_memory_apart();
  mark_crowded(scheduled, nest, data, kernel_streams);
  nest.kernel = scheduled.kernel->name;
  scheduled.run =
      kernel_streams ? scheduled.kernel->stream : scheduled.kernel->run;
  scheduled.zeros_dim = kernel.kind == KernelKind::copy ? 1 : 0;
  scheduled.tile = {nest.tile[0], nest.tile[1], {1, 0, 0}, {1, 0, 0}};
  const bool dense =
      kernel_streams && !staged && streams_by_blocks(scheduled, nest, data);
  if (dense) {
    nest.staged = true;
  } else if (kernel_streams && conversion != Conversion::direct) {
    scheduled.combine = combine_of(nest, kernel, scheduled.column_offsets,
                                   scheduled.crowded_src > 0);
    scheduled.misaligned = !staged && scheduled.combine.columns == 0 &&
                           misaligned(nest, kernel, scheduled.column_offsets);
    if (scheduled.combine.columns == 0 && !scheduled.misaligned) {
      mark_crowded_stream(scheduled, nest, data);
    }
    nest.staged = staged || scheduled.misaligned;
    // Blocks are narrow: squares read each line of theirs once, where vectors are lines.
    if (!staged && scheduled.combine.columns > 0 && scheduled.crowded_src > 0) {
      scheduled.square_bytes = line;
    }
  }
  auto tile_part = staged  ? staged_part_of(kernel, nest, conversion)
                   : dense ? part_by_blocks(kernel, nest)
                           : part_of(kernel, nest, scheduled.misaligned);
  const bool by_pages = kernel_streams && !staged && !dense &&
                        scheduled.from_memory && scheduled.crowded_src == 0 &&
                        scheduled.combine.columns == 0 &&
                        nest.tile[0].count > tile_part[0];
  if (by_pages) {
    tile_part = part_by_pages(kernel, nest, data.dst_bytes).value_or(tile_part);
  }
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
  take_outer(scheduled, nest, bytes, enough, around);
  scheduled.around = around;
  scheduled.nest = std::move(nest);
  if (staged) lay_out_stage(data, scheduled);
  scheduled.calls = product_of(std::span(scheduled.nest.loops).first(around));
  for (std::size_t d = 0; d < 4; ++d) {
    scheduled.part[d] = std::max<std::int64_t>(scheduled.part[d], 1);
    scheduled.parts[d] = std::max<std::int64_t>(
        ceil_div(scheduled.tile[d].count, scheduled.part[d]), 1);
    scheduled.calls *= scheduled.parts[d];
  }
  scheduled.table = table_of(scheduled);
  return scheduled;
}

}  // namespace

void schedule(PlanData& data, Lowered lowered, bool streams) {
  ScheduledNest scheduled = cut(data, std::move(lowered), streams);
  const std::int64_t bytes = call_bytes(data, scheduled);
  add_tasks(data, std::move(scheduled), bytes);
}

void schedule_steps(PlanData& data, const Piece& piece, Steps steps,
                    bool streams) {
  ScheduledNest scheduled{};
  scheduled.parts = {1, 1, 1, 1};
  scheduled.around = steps.around.size();
  scheduled.calls = product_of(steps.around);
  scheduled.steps.reserve(2);
  scheduled.steps.push_back(cut(data, std::move(steps.first), false));
  scheduled.steps.push_back(cut(data, std::move(steps.second), streams));
  const ScheduledNest& last = scheduled.steps.back();
  scheduled.kernel = last.kernel;
  scheduled.copy = last.copy;
  scheduled.nest = {.loops = std::move(steps.around),
                    .tile = {{steps.bytes / data.width, 0, 0}, {1, 0, 0}},
                    .rows = std::move(steps.block),
                    .kernel = last.nest.kernel,
                    .element_bytes = data.width,
                    .src_offset = piece.src_offset,
                    .dst_offset = piece.dst_offset,
                    .streams = last.nest.streams,
                    .staged = true};
  scheduled.nest.steps.reserve(scheduled.steps.size());
  for (const ScheduledNest& step : scheduled.steps) {
    scheduled.nest.steps.push_back(step.nest);
  }
  add_tasks(data, std::move(scheduled), steps.bytes);
}

void schedule_sieve(PlanData& data, const Layout& layout) {
  data.sieve = Sieve{layout, sieve_places, data.tasks};
  data.tasks += ceil_div(layout.places(), sieve_places);
}

}  // namespace stridewise::detail
