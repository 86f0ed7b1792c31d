// SPDX-License-Identifier: Apache-2.0
#include "reorder/executor/stage.hpp"

#include <span>
#include <vector>

namespace stridewise::detail {
namespace {

// What is converted into a stage does not stream.
void convert_runs(const PlanData& data, const ScheduledNest& scheduled,
                  const ValueRuns& runs) {
  const Quantisation& quantisation = data.values->quantisation;
  if (scheduled.nest.streams && scheduled.conversion != Conversion::before) {
    data.conversion->stream(runs, quantisation);
  } else {
    data.conversion->run(runs, quantisation);
  }
}

// A loop over the runs of a tile.
struct Steps {
  std::int64_t count;
  std::int64_t in_memory;
  std::int64_t in_stage;
  const std::int64_t* offset;  // in memory, where only a table tells

  [[nodiscard]] std::int64_t at(std::int64_t k) const {
    return offset != nullptr ? offset[k] : k * in_memory;
  }
};

// What a tile is outside the kernel.
struct Runs {
  std::int64_t bytes;                         // of a run, in the stage
  std::array<Steps, most_stage_loops> steps;  // the nearest first
  std::size_t loops = 0;
};

Runs runs_of(const ScheduledNest& scheduled, const Tile& tile) {
  const Stage& stage = scheduled.stage;
  const bool before = scheduled.conversion == Conversion::before;
  Runs runs;  // NOLINT: steps are filled as they are counted
  runs.bytes = run_bytes(scheduled, tile.count, tile.zeros);
  for (std::size_t k = 0; k < stage.loops.size(); ++k) {
    const StageLoop& loop = stage.loops[k];
    const std::int64_t count =
        loop.dim == StageLoop::fixed ? loop.count : tile.count[loop.dim];
    if (k < stage.dense) {
      runs.bytes += (count - 1) * loop.stride;
    } else {
      const std::int64_t* const offset =
          before && loop.dim == 0    ? tile.row_offset
          : !before && loop.dim == 1 ? tile.column_offset
                                     : nullptr;
      if (count == 1 && offset == nullptr) continue;
      runs.steps[runs.loops++] = {count, loop.memory_stride, loop.stride,
                                  offset};
    }
  }
  return runs;
}

// Calls convert(where in memory, where in the stage) for each combination of steps.
template <class Convert>
void each_place(std::span<const Steps> around, std::int64_t in_memory,
                std::int64_t in_stage, const Convert& convert) {
  if (around.empty()) return convert(in_memory, in_stage);
  const Steps& steps = around.back();
  for (std::int64_t k = 0; k < steps.count; ++k) {
    each_place(around.first(around.size() - 1), in_memory + steps.at(k),
               in_stage + k * steps.in_stage, convert);
  }
}

// Converts the values of the tile between memory and the stage: into it before the
// kernel, out of it after.
void convert(const PlanData& data, const ScheduledNest& scheduled,
             const Tile& tile, std::byte* stage) {
  const bool before = scheduled.conversion == Conversion::before;
  // What the last cache holds comes as soon if it is not asked for.
  const bool asks = before && data.both_bytes() > all_caches_bytes;
  const Runs runs = runs_of(scheduled, tile);
  std::span<const Steps> around = std::span(runs.steps).first(runs.loops);
  Steps nearest{1, 0, 0, nullptr};
  if (!around.empty() && around.front().offset == nullptr) {
    nearest = around.front();
    around = around.subspan(1);
  }
  ValueRuns values{};
  values.count = runs.bytes / data.width;
  values.runs = nearest.count;
  values.src_pitch = before ? nearest.in_memory : nearest.in_stage;
  values.dst_pitch = before ? nearest.in_stage : nearest.in_memory;
  values.prefetch = asks && runs.loops > 0;
  std::int64_t in_memory = 0, in_stage = 0;
  const auto convert_until = [&](const std::byte* next) {
    values.next_src = next;
    values.src = before ? tile.src + in_memory : stage + in_stage;
    values.dst = before ? stage + in_stage : tile.dst + in_memory;
    convert_runs(data, scheduled, values);
  };
  bool first = true;
  each_place(around, 0, 0, [&](std::int64_t memory, std::int64_t place) {
    if (!first) convert_until(asks ? tile.src + memory : nullptr);
    first = false;
    in_memory = memory;
    in_stage = place;
  });
  convert_until(asks ? tile.src + data.in_src(tile.next_src) : nullptr);
}

}  // namespace

void convert_directly(const PlanData& data, const ScheduledNest& scheduled,
                      const Tile& tile) {
  ValueRuns runs{};
  runs.count = tile.count[1] / data.width;
  runs.runs = tile.count[0];
  runs.src_pitch = data.in_src(tile.src_stride[0]);
  runs.dst_pitch = data.in_dst(tile.dst_stride[0]);
  for (std::int64_t i = 0; i < tile.count[3]; ++i) {
    for (std::int64_t k = 0; k < tile.count[2]; ++k) {
      runs.src = tile.src +
                 data.in_src(i * tile.src_stride[3] + k * tile.src_stride[2]);
      runs.dst = tile.dst +
                 data.in_dst(i * tile.dst_stride[3] + k * tile.dst_stride[2]);
      convert_runs(data, scheduled, runs);
    }
  }
}

Tile read_staged(const PlanData& data, const ScheduledNest& scheduled,
                 Tile tile, std::byte* stage) {
  convert(data, scheduled, tile, stage);
  tile.src = stage;
  tile.src_end = stage + stage_bytes;
  scheduled.stage.place_rows(tile);
  tile.prefetch = false;
  // How rows lie in src says nothing about those of the stage, nor where src is.
  tile.crowded_src = 0;
  tile.from_memory = false;
  return tile;
}

void write_staged(const PlanData& data, const ScheduledNest& scheduled,
                  const Tile& tile, std::byte* stage) {
  Tile moved = tile;
  moved.dst = stage;
  moved.dst_stride = scheduled.stage.stride;
  const std::vector<std::int64_t>& offsets = scheduled.stage.offsets;
  moved.column_offset = offsets.empty() ? nullptr : offsets.data();
  moved.crowded_dst = 0;
  moved.square_bytes = 0;
  scheduled.run(moved);
  convert(data, scheduled, tile, stage);
}

}  // namespace stridewise::detail
