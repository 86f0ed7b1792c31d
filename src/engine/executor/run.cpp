// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/run.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace stridewise::engine {
namespace {

// Where the blocks of a nest stand.
class Odometer {
 public:
  Odometer(std::span<const BlockLoop> loops, std::int64_t block)
      : loops_(loops) {
    for (std::size_t k = loops.size(); k-- > 0;) {
      const Loop& loop = loops[k].loop;
      const std::int64_t rest = block < loop.count ? 0 : block / loop.count;
      at_[k] = block - rest * loop.count;
      block = rest;
      src_ += at_[k] * loop.src;
      dst_ += at_[k] * loop.dst;
    }
  }
  void advance() {
    for (std::size_t k = loops_.size(); k-- > 0;) {
      const Loop& loop = loops_[k].loop;
      src_ += loop.src;
      dst_ += loop.dst;
      if (++at_[k] < loop.count) return;
      src_ -= loop.count * loop.src;
      dst_ -= loop.count * loop.dst;
      at_[k] = 0;
    }
  }
  [[nodiscard]] std::int64_t src() const { return src_; }
  [[nodiscard]] std::int64_t dst() const { return dst_; }
  [[nodiscard]] std::int64_t at(std::size_t k) const { return at_[k]; }
  [[nodiscard]] bool last(std::size_t k) const {
    return at_[k] + 1 == loops_[k].loop.count;
  }

 private:
  std::span<const BlockLoop> loops_;
  std::array<std::int64_t, most_block_loops> at_;  // NOLINT: filled per loop
  std::int64_t src_ = 0;
  std::int64_t dst_ = 0;
};

// The tile of a step, but for its memory.
Tile tile_of(const Step& step) {
  Tile tile = step.tile;
  tile.program = reinterpret_cast<const std::byte*>(step.program.data());
  if (!step.row_table.empty()) tile.row_at = step.row_table.data();
  if (!step.column_table.empty()) tile.column_at = step.column_table.data();
  return tile;
}

// What the block has of each loop that is cut.
std::int64_t count_of(const BlockLoop& loop, bool last, bool into_stage) {
  if (last) return loop.last;
  return into_stage ? loop.whole + loop.more : loop.whole;
}

// Sets the counts of a tile that are cut. `into_stage`: as much more as later lines need.
void set_counts(Tile& tile, const Step& step, const Nest& nest,
                const Odometer& odometer, bool into_stage) {
  for (std::size_t k = 0; k < step.cut.size(); ++k) {
    const Cut& cut = step.cut[k];
    if (cut.count == Count::none) continue;
    const std::int64_t count =
        cut.factor * count_of(nest.around[k], odometer.last(k), into_stage);
    if (cut.count == Count::rows) {
      tile.rows = count;
    } else if (cut.count == Count::columns) {
      tile.columns = count;
    } else {
      tile.planes[plane_of(cut.count)].count = count;
    }
  }
}

// Tables begin where the block does in the loop that is cut.
void set_tables(Tile& tile, const Step& step, const Nest& nest,
                const Odometer& odometer) {
  for (std::size_t k = 0; k < step.cut.size(); ++k) {
    const std::int64_t first = odometer.at(k) * nest.around[k].whole;
    if (step.cut[k].count == Count::rows && !step.row_table.empty()) {
      tile.row_at = step.row_table.data() + first;
    } else if (step.cut[k].count == Count::columns &&
               !step.column_table.empty()) {
      tile.column_at = step.column_table.data() + first;
    }
  }
}

void run_step(const Step& step, const Tile& tile, const Hints& hints,
              const Conversion* conversion) {
  if (step.converts) {
    return convert_runs(tile, *conversion,
                        step.streams && conversion->values.streams());
  }
  (step.streams ? step.kernel->stream : step.kernel->run)(tile, hints);
}

void run_directly(const Nest& nest, std::int64_t begin, std::int64_t end,
                  const Source& src, std::byte* dst,
                  const Conversion* conversion) {
  const Step& step = nest.steps.front();
  Odometer odometer(nest.around, begin);
  Tile tile = tile_of(step);
  tile.src_end = src.end;
  for (std::int64_t k = begin; k < end; ++k) {
    set_counts(tile, step, nest, odometer, false);
    set_tables(tile, step, nest, odometer);
    tile.src = src.begin + nest.src_offset + odometer.src();
    tile.dst = dst + nest.dst_offset + odometer.dst();
    run_step(step, tile, step.hints, conversion);
    odometer.advance();
  }
}

// Whether the runs of dst go on in the blocks before and after this one.
void set_joints(Hints& hints, const Nest& nest, const Odometer& odometer) {
  for (std::size_t k = 0; k < nest.around.size(); ++k) {
    if (nest.around[k].more == 0) continue;
    hints.goes_on_before = odometer.at(k) > 0;
    hints.goes_on_after = !odometer.last(k);
  }
}

// Not inline: others need no stack for stages.
[[gnu::noinline]] void run_staged(const Nest& nest, std::int64_t begin,
                                  std::int64_t end, const Source& src,
                                  std::byte* dst,
                                  const Conversion* conversion) {
  // Loads may reach beyond what a stage holds.
  constexpr std::int64_t stage_bytes = most_stage_bytes + line_bytes;
  alignas(4096) std::byte stages[2][stage_bytes];  // NOLINT: written first
  const std::size_t steps = nest.steps.size();
  std::array<Tile, most_steps> tiles;
  for (std::size_t s = 0; s < steps; ++s) {
    tiles[s] = tile_of(nest.steps[s]);
    tiles[s].dst = stages[s % 2];
    const std::byte* const stage = stages[(s + 1) % 2];
    tiles[s].src = stage;
    tiles[s].src_end = s == 0 ? src.end : stage + stage_bytes;
  }
  const Step& last = nest.steps.back();
  Hints hints = last.hints;
  Odometer odometer(nest.around, begin);
  for (std::int64_t k = begin; k < end; ++k) {
    tiles[0].src = src.begin + nest.src_offset + odometer.src();
    tiles[steps - 1].dst = dst + nest.dst_offset + odometer.dst();
    for (std::size_t s = 0; s < steps; ++s) {
      set_counts(tiles[s], nest.steps[s], nest, odometer, s + 1 < steps);
    }
    set_joints(hints, nest, odometer);
    odometer.advance();
    for (std::size_t s = 0; s + 1 < steps; ++s) {
      run_step(nest.steps[s], tiles[s], nest.steps[s].hints, conversion);
    }
    run_step(last, tiles[steps - 1], hints, conversion);
  }
}

}  // namespace

void run_task(const Nest& nest, std::int64_t task, const Source& src,
              std::byte* dst, const Conversion* conversion) {
  const std::int64_t begin = task * nest.blocks_per_task;
  const std::int64_t end = std::min(begin + nest.blocks_per_task, nest.blocks);
  const auto run = nest.steps.size() == 1 ? run_directly : run_staged;
  run(nest, begin, end, src, dst, conversion);
  if (nest.steps.back().streams) stream_fence();
}

}  // namespace stridewise::engine
