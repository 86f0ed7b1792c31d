// The pass that gathers: where loops so interleave that the tile of any kernel is a few
// bytes, as between two blocked layouts of weights, runs of dst that several loops make
// take their bytes from all over src at once.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reorder/kernels/gathered_lanes.hpp"
#include "reorder/planner/problem.hpp"
#include "reorder/planner/schedule.hpp"

namespace stridewise {
namespace {

constexpr std::int64_t most_run = 512;

// Some loops as a run of dst, and those around it.
struct Run {
  std::vector<PlanLoop> loops;  // the fastest last
  std::vector<PlanLoop> around;
  std::int64_t bytes;

  // Takes as much of the loop that the run goes on by as it has room for; false if
  // there is none.
  bool extend() {
    const auto next = std::ranges::find(around, bytes, &PlanLoop::dst_stride);
    if (next == around.end() || next->src_stride < 0) return false;
    const auto part = take_most(around, next, most_run / bytes);
    if (!part) return false;
    loops.insert(loops.begin(), *part);
    bytes *= part->count;
    return true;
  }
};

// What cost_of would say of such a run, by cycles: a lane is loaded and put in place, a
// vector permuted and stored. nullopt where a vector would take too many lanes.
std::optional<double> cost_of_run(const Run& run, const Kernel& kernel) {
  constexpr double of_run = 4, of_vector = 2, of_lane = 2.5;
  constexpr double copied_in_a_cycle = 6.7;
  const std::int64_t unit = kernel.most_short;
  const std::int64_t most = most_gathered * unit / gathered_lane;
  const std::vector<std::int64_t> offsets =
      detail::offsets_of(run.loops, &PlanLoop::src_stride);
  double cycles = of_run;
  bool few = true;
  each_gathered(std::span(offsets), kernel.element_bytes, unit,
                [&](std::int64_t, std::span<const std::int64_t> elements) {
                  GatheredLanes lanes;
                  for (const std::int64_t at : elements) {
                    if (lanes.count() == GatheredLanes::most) few = false;
                    if (!few) return;
                    lanes.number_of(at);
                  }
                  few = few && lanes.count() <= most;
                  cycles +=
                      of_vector + of_lane * static_cast<double>(lanes.count());
                });
  if (!few) return std::nullopt;
  return 1 + copied_in_a_cycle * cycles / static_cast<double>(run.bytes);
}

Lowered nest_of(const Piece& piece, Run run, const Kernel& kernel) {
  const std::int64_t width = kernel.element_bytes;
  return {PlanNest{.loops = std::move(run.around),
                   .tile = {{run.bytes / width, 0, width}, {1, width, 0}},
                   .rows = std::move(run.loops),
                   .element_bytes = width,
                   .src_offset = piece.src_offset,
                   .dst_offset = piece.dst_offset},
          &kernel};
}

}  // namespace

std::optional<Lowered> gathered(const Piece& piece, const Lowered& direct,
                                const std::optional<Steps>& steps,
                                std::int64_t element_bytes) {
  constexpr double little = 0.4, better = 0.8, least_of_any = 2.3;
  if (piece.zeros > 0 || cost_of_calls(direct) < little) return std::nullopt;
  double least =
      better * (steps ? cost_of_all(steps->first) + cost_of_all(steps->second)
                      : cost_of_all(direct));
  const Kernel* kernel = find_kernel(KernelKind::gathered, element_bytes);
  if (kernel == nullptr || least < least_of_any) return std::nullopt;
  std::optional<Run> best;
  Run run{{}, piece.loops, element_bytes};
  while (run.extend()) {
    if (run.bytes < kernel->most_short) continue;
    const std::optional<double> cost = cost_of_run(run, *kernel);
    if (!cost) break;
    const double all = *cost + cost_of_calls(run.around, run.bytes);
    if (all < least) {
      least = all;
      best = run;
    }
  }
  if (!best) return std::nullopt;
  return nest_of(piece, *std::move(best), *kernel);
}

}  // namespace stridewise
