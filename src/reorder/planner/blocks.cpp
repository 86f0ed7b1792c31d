// Pieces as blocks of the engine of src/engine.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "engine/planner/menu.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {
namespace {

// The zeros that follow runs of dst that a loop of such a step makes, or single ones, as a
// piece of their own.
Piece zeros_after(const Piece& move, std::vector<PlanLoop> loops,
                  std::int64_t step, std::int64_t width) {
  Piece fill;
  fill.dst_offset = move.dst_offset + step;
  const auto run = std::ranges::find(loops, step, &PlanLoop::dst_stride);
  if (run != loops.end()) {
    fill.dst_offset = move.dst_offset + step * run->count;
    loops.erase(run);
  }
  fill.loops = std::move(loops);
  fill.loops.push_back({move.zeros, 0, width});
  return fill;
}

engine::Work work_of(const Piece& move, std::int64_t width,
                     std::vector<Piece>& fills) {
  constexpr std::uint64_t longest_element = 8;
  engine::Work work;
  work.width = width;
  work.zeros = move.zeros;
  std::vector<PlanLoop> loops = move.loops;
  if (move.zeros_after_rows) {
    const std::int64_t run = loops.back().count * width;
    const auto bytes = static_cast<std::uint64_t>(run);
    if (bytes <= longest_element && std::has_single_bit(bytes)) {
      // Runs are elements.
      work.width = run;
      work.zeros = move.zeros / loops.back().count;
      loops.pop_back();
    } else {
      std::vector<PlanLoop> around = loops;
      around.pop_back();
      fills.push_back(zeros_after(move, std::move(around), run, width));
      work.zeros = 0;
    }
  }
  for (const PlanLoop& loop : loops) {
    work.loops.push_back({loop.count, loop.src_stride, loop.dst_stride});
  }
  return work;
}

}  // namespace

void plan_blocks(PlanData& data, const std::vector<Piece>& moves,
                 std::vector<Piece>& fills, bool streams) {
  const engine::Reach reach{!data.prefetch, streams};
  const engine::Converts converts = data.width == data.dst_width
                                        ? engine::Converts::before
                                        : engine::Converts::after;
  const auto nest_of = [&](engine::Work work, const Piece& move) {
    if (!data.conversion) return engine::choose(work, this_machine(), reach);
    auto nest =
        engine::choose_converting(work, this_machine(), reach, converts);
    if (nest) return *std::move(nest);
    // Of rows of runs the zeros follow the rows.
    std::vector<PlanLoop> loops = move.loops;
    if (move.zeros_after_rows) loops.pop_back();
    fills.push_back(
        zeros_after(move, std::move(loops), work.width, data.width));
    work.zeros = 0;
    return *engine::choose_converting(work, this_machine(), reach, converts);
  };
  for (const Piece& move : moves) {
    engine::Nest nest = nest_of(work_of(move, data.width, fills), move);
    nest.src_offset = move.src_offset;
    nest.dst_offset = move.dst_offset;
    if (data.conversion) {
      engine::widen(nest, {data.width, data.src_width, data.dst_width});
    }
    nest.first_task = data.tasks;
    data.tasks += nest.tasks();
    data.blocks.push_back(std::move(nest));
  }
}

}  // namespace stridewise::detail
