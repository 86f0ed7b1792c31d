// Runs a plan's tasks. Knows nests and kernels; nothing here can fail.
// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "layout/data.hpp"
#include "reorder/executor/calls.hpp"
#include "reorder/executor/combine.hpp"
#include "reorder/executor/stage.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise {
namespace {

using detail::block_bytes;
using detail::Conversion;
using detail::Odometer;
using detail::Parts;
using detail::PlanData;
using detail::ScheduledNest;
using detail::Sieve;

// Whether lines of dst are put together before they stream.
bool combines(const ScheduledNest& scheduled, const std::byte* dst) {
  return scheduled.combine.columns > 0 &&
         (scheduled.combine.spared == 0 ||
          detail::in_line(dst + scheduled.nest.dst_offset) %
                  scheduled.combine.spared !=
              0);
}

// Rows that the first part of a streamed transpose does beyond its share, so
// that those after it begin with a line of dst.
std::int64_t lead_of(const ScheduledNest& scheduled, const std::byte* dst) {
  if (!scheduled.leads || scheduled.parts[0] == 1) return 0;
  const std::int64_t unit = scheduled.kernel->element_bytes;
  const std::int64_t misaligned =
      detail::in_line(dst + scheduled.nest.dst_offset);
  const std::int64_t last =
      scheduled.tile[0].count - (scheduled.parts[0] - 1) * scheduled.part[0];
  if (misaligned == 0 || misaligned % unit != 0) return 0;
  const std::int64_t lead = (detail::line - misaligned) / unit;
  return lead < last ? lead : 0;
}

// A call whose values change, as kernels have them before or after it. Others need
// no stack for a stage.
[[gnu::noinline]] void run_converted(const PlanData& data,
                                     const ScheduledNest& scheduled,
                                     const Tile& tile,
                                     detail::LineWriter* writer) {
  if (scheduled.conversion == Conversion::direct) {
    return detail::convert_directly(data, scheduled, tile);
  }
  alignas(64) std::byte stage[detail::stage_bytes];  // NOLINT: written first
  if (scheduled.conversion == Conversion::after) {
    return detail::write_staged(data, scheduled, tile, stage);
  }
  const Tile staged = detail::read_staged(data, scheduled, tile, stage);
  writer != nullptr ? detail::run_combined(scheduled, staged, *writer)
                    : scheduled.run(staged);
}

// What calls read.
struct Source {
  const std::byte* src;
  const std::byte* end;
  bool prefetch;  // it is not in the nearest caches
};

// What a tile has of its nest; the rest each call sets. Zeroing a tile first would take
// a tenth of the time of small conversions, so every member must be set here or there.
void prepare(Tile& tile, const ScheduledNest& scheduled, const Source& source) {
  tile.src_end = source.end;
  tile.prefetch = source.prefetch;
  tile.row_offset = tile.column_offset = tile.column_src = nullptr;
  tile.row_reach = scheduled.row_reach;
  tile.next_src = 0;
  tile.rows_go_on = false;
  tile.read_ahead = scheduled.read_ahead;
  tile.bursts = scheduled.bursts;
  // A block that another step made is near, wherever the src of the plan is.
  tile.from_memory = scheduled.from_memory && source.prefetch;
  tile.crowded_src = scheduled.crowded_src;
  tile.crowded_dst = scheduled.crowded_dst;
  tile.reads_crowded = scheduled.reads_crowded;
  tile.stream_columns = scheduled.stream_columns;
  tile.square_bytes = scheduled.square_bytes;
  tile.square_order = scheduled.square_order;
  tile.squares_of_parts = scheduled.squares_of_parts;
  tile.misaligned = scheduled.misaligned;
  tile.outer = scheduled.outer;
  tile.table = scheduled.table.empty() ? nullptr : scheduled.table.data();
  for (std::size_t d = 0; d < 4; ++d) {
    tile.src_stride[d] = scheduled.tile[d].src_stride;
    tile.dst_stride[d] = scheduled.tile[d].dst_stride;
  }
}

// Calls [begin, end) of a nest.
void run_calls(const PlanData& data, const ScheduledNest& scheduled,
               std::int64_t begin, std::int64_t end, const Source& source,
               std::byte* dst) {
  const PlanNest& nest = scheduled.nest;
  Parts parts(scheduled, lead_of(scheduled, dst), begin);
  Odometer odometer({nest.loops.data(), scheduled.around}, parts.iteration());
  Tile tile;  // NOLINT: set by prepare() and each call
  prepare(tile, scheduled, source);
  // Where the call that `odometer` and `parts` stand at begins to read and write.
  const auto begins = [&](std::int64_t PlanLoop::*stride, std::int64_t at) {
    for (std::size_t d = 0; d < 4; ++d) {
      at += parts.first(d) * (scheduled.tile[d].*stride);
    }
    return at;
  };
  const bool combined = combines(scheduled, dst);
  detail::LineWriter writer(*scheduled.copy);
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int64_t src_at =
        begins(&PlanLoop::src_stride, nest.src_offset + odometer.src());
    const std::int64_t dst_at =
        begins(&PlanLoop::dst_stride, nest.dst_offset + odometer.dst());
    for (std::size_t d = 0; d < 4; ++d) {
      tile.count[d] = parts.count(d);
    }
    if (!scheduled.row_offsets.empty()) {
      tile.row_offset = scheduled.row_offsets.data() + parts.first(0);
    }
    if (!scheduled.column_offsets.empty()) {
      tile.column_offset = scheduled.column_offsets.data() + parts.first(1);
    }
    tile.zeros = parts.last(scheduled.zeros_dim) ? nest.zeros : 0;
    tile.rows_before = parts.first(0);
    tile.rows_after =
        scheduled.tile[0].count - tile.rows_before - tile.count[0];
    if (!parts.advance()) odometer.advance();
    if (tile.prefetch) {
      tile.next_src =
          begins(&PlanLoop::src_stride, nest.src_offset + odometer.src()) -
          src_at;
    }
    if (scheduled.conversion == Conversion::none) {
      tile.src = nest.fills ? nullptr : source.src + src_at;
      tile.dst = dst + dst_at;
      combined ? detail::run_combined(scheduled, tile, writer)
               : scheduled.run(tile);
    } else {
      tile.src = source.src + data.in_src(src_at);
      tile.dst = dst + data.in_dst(dst_at);
      run_converted(data, scheduled, tile, combined ? &writer : nullptr);
    }
  }
  writer.finish();
}

// The same of blocks that move in two steps.
[[gnu::noinline]] void run_blocks(const PlanData& data,
                                  const ScheduledNest& scheduled,
                                  std::int64_t begin, std::int64_t end,
                                  const Source& source, std::byte* dst) {
  const PlanNest& nest = scheduled.nest;
  const ScheduledNest& first = scheduled.steps[0];
  const ScheduledNest& second = scheduled.steps[1];
  alignas(64) std::byte stage[block_bytes];  // NOLINT: written first
  Odometer odometer(nest.loops, begin);
  for (std::int64_t k = begin; k < end; ++k) {
    run_calls(data, first, 0, first.calls,
              {source.src + nest.src_offset + odometer.src(), source.end,
               source.prefetch},
              stage);
    run_calls(data, second, 0, second.calls,
              {stage, stage + block_bytes, false},
              dst + nest.dst_offset + odometer.dst());
    odometer.advance();
  }
}

void run_nest(const PlanData& data, const ScheduledNest& scheduled,
              std::int64_t task, const std::byte* src, std::byte* dst) {
  const std::int64_t begin = task * scheduled.per_task;
  const std::int64_t end =
      std::min(begin + scheduled.per_task, scheduled.calls);
  // A fill has no src: its pointer is never formed.
  const Source source = {src,
                         scheduled.nest.fills ? nullptr : src + data.src_bytes,
                         data.prefetch};
  const auto run = scheduled.steps.empty() ? run_calls : run_blocks;
  run(data, scheduled, begin, end, source, dst);
  if (scheduled.nest.streams) stream_fence();
}

void run_sieve(const Sieve& sieve, std::int64_t task, std::byte* dst) {
  const std::int64_t begin = task * sieve.per_task;
  const std::int64_t end =
      std::min(begin + sieve.per_task, sieve.layout.places());
  const std::int64_t width = sieve.layout.element_bytes();
  std::array<std::int64_t, detail::max_dims>
      storage;  // NOLINT: written before read
  const std::span<std::int64_t> index(storage.data(),
                                      sieve.layout.shape().size());
  for (std::int64_t place = begin; place < end; ++place) {
    if (sieve.layout.element_at(place, index) != Place::element) {
      std::memset(dst + place * width, 0, static_cast<std::size_t>(width));
    }
  }
}

}  // namespace

void Plan::run_task(std::int64_t task, const std::byte* src,
                    std::byte* dst) const noexcept {
  const PlanData& data = *data_;
  if (data.fields) return data.fields->run(src, dst);
  if (data.sieve && task >= data.sieve->first_task) {
    run_sieve(*data.sieve, task - data.sieve->first_task, dst);
    return;
  }
  if (!data.blocks.empty() && task < data.blocks.back().end_task()) {
    const auto next = std::ranges::upper_bound(data.blocks, task, {},
                                               &engine::Nest::first_task);
    const engine::Nest& nest = *std::prev(next);
    const engine::Source from{src, src + data.src_bytes};
    if (!data.conversion) {
      return engine::run_task(nest, task - nest.first_task, from, dst);
    }
    const engine::Conversion conversion{*data.conversion,
                                        data.values->quantisation};
    return engine::run_task(nest, task - nest.first_task, from, dst,
                            &conversion);
  }
  const auto after = std::ranges::upper_bound(data.nests, task, {},
                                              &ScheduledNest::first_task);
  const ScheduledNest& nest = *std::prev(after);
  run_nest(data, nest, task - nest.first_task, src, dst);
}

void Plan::run(const std::byte* src, std::byte* dst) const {
  const std::int64_t count = tasks();
  for (std::int64_t task = 0; task < count; ++task) run_task(task, src, dst);
}

void Plan::run(const std::byte* src, std::byte* dst,
               const ParallelFor& parallel_for) const {
  if (!data_->worth_sharing()) return run(src, dst);
  parallel_for(tasks(), [&](std::int64_t task) { run_task(task, src, dst); });
}

}  // namespace stridewise
