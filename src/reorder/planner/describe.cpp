// What a plan does, for people and tools.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "machine/machine.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise {
namespace {

using engine::Loop;
using engine::Nest;
using engine::Step;

PlanLoop described(const Loop& loop) {
  return {loop.count, loop.src, loop.dst};
}

// The outermost first.
std::vector<PlanLoop> described(const std::vector<Loop>& loops) {
  std::vector<PlanLoop> all;
  std::transform(loops.rbegin(), loops.rend(), std::back_inserter(all),
                 [](const Loop& loop) { return described(loop); });
  return all;
}

// One loop as itself, several as how many they are together.
PlanLoop as_one(const std::vector<Loop>& loops) {
  if (loops.empty()) return {1, 0, 0};
  PlanLoop one = described(loops.front());
  for (std::size_t k = 1; k < loops.size(); ++k) one.count *= loops[k].count;
  return one;
}

// Bytes of a run, or its values, however it is cut.
std::int64_t run_of(const Step& step) {
  if (step.columns.empty()) return step.tile.columns;
  const std::int64_t count = as_one(step.columns).count;
  return step.converts ? count : count * step.columns.front().dst;
}

// Bytes of a value on both sides of a step that converts.
struct Sides {
  std::int64_t src;
  std::int64_t dst;
};

// A kernel with all rows and columns of its move, however they are shared out.
PlanNest described(const Step& step, const Sides& values) {
  PlanNest nest{.loops = {},
                .tile = {},
                .kernel = engine::name_of(step),
                .element_bytes = step.element_bytes,
                .src_offset = 0,
                .dst_offset = 0,
                .fills = step.kernel->kind == engine::Kind::fill,
                .zeros = step.tile.zeros,
                .streams = step.streams};
  nest.tile = {as_one(step.rows), as_one(step.columns)};
  if (step.rows.size() > 1) nest.rows = described(step.rows);
  if (engine::of_runs(step.kernel->kind)) {
    nest.tile[1] = {run_of(step), nest.fills ? 0 : 1, 1};
    if (step.converts) {
      nest.tile[1].src_stride = values.src;
      nest.tile[1].dst_stride = values.dst;
    }
  } else if (step.columns.size() > 1) {
    nest.columns = described(step.columns);
  }
  return nest;
}

// Loops around a kernel that are no parts of its counts, then its planes whole.
std::vector<PlanLoop> loops_around(const Nest& nest, const Step& step) {
  std::vector<PlanLoop> loops;
  std::array<std::int64_t, engine::most_planes> counts = {};
  for (std::size_t k = 0; k < engine::most_planes; ++k) {
    counts[k] = step.tile.planes[k].count;
  }
  for (std::size_t k = 0; k < nest.around.size(); ++k) {
    const engine::BlockLoop& over = nest.around[k];
    const engine::Count cut =
        k < step.cut.size() ? step.cut[k].count : engine::Count::none;
    if (over.whole == 0) {
      loops.push_back(described(over.loop));
    } else if (cut >= engine::Count::plane0) {
      counts[engine::plane_of(cut)] = over.all();
    }
  }
  for (std::size_t k = engine::most_planes; k-- > 0;) {
    if (counts[k] == 1) continue;
    PlanLoop plane = described(step.tile.planes[k]);
    plane.count = counts[k];
    loops.push_back(plane);
  }
  return loops;
}

// Blocks that pass one kernel after the other.
PlanNest described_blocks(const Nest& nest, const engine::Widths& widths) {
  // Stages are of elements as wide as are moved.
  const auto described_step = [&](const Step& step) {
    return described(step,
                     {&step == &nest.steps.front() ? widths.src : widths.moved,
                      &step == &nest.steps.back() ? widths.dst : widths.moved});
  };
  PlanNest all = described_step(nest.steps.back());
  all.staged = true;
  all.element_bytes = nest.element_bytes;
  // Loops that blocks cut are told whole, and not again around blocks.
  std::vector<Loop> block = nest.block;
  for (const engine::BlockLoop& over : nest.around) {
    if (over.loop.cut == 0) {
      all.loops.push_back(described(over.loop));
      continue;
    }
    const auto cut = std::ranges::find(block, over.loop.cut, &Loop::cut);
    if (cut != block.end()) {
      cut->count = over.all();
    } else {
      all.loops.push_back(
          {over.all(), over.loop.src / over.whole, over.loop.dst / over.whole});
    }
  }
  all.rows = described(block);
  all.columns = {};
  all.tile = {as_one(block), {1, 0, 0}};
  for (const Step& step : nest.steps) {
    all.steps.push_back(described_step(step));
    all.steps.back().loops = loops_around({}, step);
  }
  return all;
}

}  // namespace

std::vector<PlanNest> Plan::nests() const { return detail::nests_of(data()); }

std::vector<PlanNest> detail::nests_of(const PlanData& data) {
  if (!data.relays.empty()) {
    std::vector<PlanNest> all;
    for (const detail::Relay& relay : data.relays) {
      for (const auto& part : {relay.before, relay.after}) {
        std::ranges::move(nests_of(*part), std::back_inserter(all));
      }
    }
    return all;
  }
  if (data.fields) return data.fields->described();
  std::vector<PlanNest> nests;
  for (const Nest& nest : data.nests) {
    const engine::Step& first = nest.steps.front();
    const engine::Widths& widths = data.widths;
    const bool blocks = nest.steps.size() > 1;
    PlanNest all = blocks ? described_blocks(nest, widths)
                          : described(first, {widths.src, widths.dst});
    if (!blocks) all.loops = loops_around(nest, first);
    all.src_offset = nest.src_offset;
    all.dst_offset = nest.dst_offset;
    all.bytes = nest.bytes;
    nests.push_back(std::move(all));
  }
  return nests;
}

std::vector<KernelInfo> available_kernels() {
  std::vector<KernelInfo> infos;
  for (int isa = static_cast<int>(best_isa()); isa >= 0; --isa) {
    for (const auto& kernel : engine::kernels_of(static_cast<Isa>(isa))) {
      infos.push_back({engine::kernel_name(kernel),
                       std::string(isa_name(kernel.isa)), kernel.element_bytes,
                       kernel.stream != nullptr});
    }
  }
  return infos;
}
}  // namespace stridewise
