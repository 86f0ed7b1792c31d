// What a Plan keeps: nests with the work shared out. Written by the planner,
// read by the executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "engine/planner/nest.hpp"
#include "reorder/fields/field_plan.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/refine.hpp"
#include "reorder/values/conversion.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::detail {

// Bytes of a line of the caches.
inline constexpr std::int64_t line = 64;

// Blocks of columns that are put together before they stream, see
// executor/combine.hpp.
struct Combine {
  std::int64_t columns = 0;  // of a block; 0: the nest has no blocks
  // Where dst begins a multiple of so many bytes after a line, the kernel streams
  // whole lines by itself; 0: nowhere.
  std::int64_t spared = 0;
  // Where each column goes there; empty: one after the other.
  std::vector<std::int64_t> offsets;
  // Columns that follow each other in dst: where they are put together, where
  // they go to after the block's first byte, and how many bytes they are.
  struct Run {
    std::int64_t stage;
    std::int64_t dst;
    std::int64_t bytes;
  };
  std::vector<Run> runs;
};

// Where the values of a nest change, see executor/stage.hpp.
enum class Conversion : std::uint8_t {
  none,    // they do not
  direct,  // on the way from runs of src to those of dst; no kernel runs
  before,  // from src into a stage, from which the kernel moves them to dst
  after,   // on the way to dst from a stage into which the kernel moved them
};

// A loop over the runs of a tile, in memory and in the stage.
struct StageLoop {
  std::size_t dim;      // of the tile, whose counts say how often
  std::int64_t count;   // how often where dim is `fixed`
  std::int64_t stride;  // in the stage
  std::int64_t memory_stride;
  static constexpr std::size_t fixed = 4;
};

// How the tiles of a nest lie in the stage, in bytes of the width that moves have;
// strides in memory are in bytes of the width there.
struct Stage {
  std::array<std::int64_t, 4> stride;  // of the dims of the tile
  // Where rows of src or columns of dst begin that no one stride takes apart.
  std::vector<std::int64_t> offsets;
  // The same of nest.columns in src, if values change before the kernel.
  std::vector<std::int64_t> column_src;
  // The nearest first. Runs go on through the first `dense` of them, which lie as in
  // memory.
  std::vector<StageLoop> loops;
  std::size_t dense;

  // Tells a kernel where the rows are that it reads there.
  void place_rows(Tile& tile) const {
    tile.src_stride = stride;
    tile.row_offset = offsets.empty() ? nullptr : offsets.data();
    tile.row_reach = offsets.empty() ? 0 : offsets.back();
  }
};
// The most loops of a stage.
inline constexpr std::size_t most_stage_loops = 16;

// A nest is run by calls of its kernel. A call does one part of the kernel's
// tile (rows, columns, and up to two of the loops around them), in all iterations of up to
// two more, and calls are counted part by part, columns fastest, then through the loops
// that are left.
// Task t of the nest does calls [t * per_task, (t + 1) * per_task).
struct ScheduledNest {
  PlanNest nest;
  const Kernel* kernel;
  void (*run)(const Tile&);  // of the kernel: with or without streaming
  const Kernel* copy;        // what streams lines that were put together
  Combine combine;
  std::vector<std::int64_t> row_offsets;  // of nest.rows; empty without them
  std::vector<std::int64_t> column_offsets;
  std::int64_t row_reach;        // the greatest of row_offsets
  std::array<PlanLoop, 4> tile;  // as in Tile
  // The same; without any where values change or columns are put together.
  std::array<Tile::Loop, 2> outer;
  std::array<std::int64_t, 4> part;   // at most so many at once
  std::array<std::int64_t, 4> parts;  // so often
  Conversion conversion;
  Stage stage;  // of values that change before or after the kernel
  std::vector<std::byte> table;  // of the kernel, as in Tile; empty without one
  std::int64_t read_ahead;       // as in Tile
  bool bursts;
  bool from_memory;
  std::int64_t crowded_src;
  std::int64_t crowded_dst;
  bool reads_crowded;
  bool stream_columns;
  std::int64_t square_bytes;
  SquareOrder square_order;
  bool squares_of_parts;
  bool misaligned;
  // Whether the first part of rows takes so many more that those after it begin with
  // a line of dst.
  bool leads;
  std::size_t around;  // of nest.loops, the first so many are walked by calls
  std::size_t zeros_dim;  // the zeros of the tile follow its last part there
  // Of blocks that move in two steps: into a stage, and from there to dst. Then a call
  // is a block, and what is said above of kernels and tiles is said by the steps.
  std::vector<ScheduledNest> steps;
  std::int64_t calls;
  std::int64_t per_task;
  std::int64_t first_task;
};

// Zeros the places that hold no element by asking the inverse of each: for
// layouts whose digits interleave so that no rectangles describe them.
struct Sieve {
  Layout layout;
  std::int64_t per_task;  // places
  std::int64_t first_task;
};

// With src and dst of this size together, no cache holds either.
inline constexpr std::int64_t all_caches_bytes = 32 << 20;

struct PlanData {
  // Where places follow no plain strides this is the plan, of one task, and nests are none.
  std::shared_ptr<const FieldPlan> fields;
  std::vector<ScheduledNest> nests;
  // Of a build by blocks, what moves; its tasks come first.
  std::vector<engine::Nest> blocks;
  std::optional<Sieve> sieve;  // its tasks come last
  std::int64_t tasks = 0;
  std::int64_t src_bytes = 0;
  std::int64_t dst_bytes = 0;
  std::int64_t bytes_read = 0;  // by a run
  std::int64_t bytes_written = 0;
  bool prefetch = false;  // src and dst exceed the caches next to a core
  // Where values change: moves are planned as if the elements of both sides had the
  // width that those of the kernels have.
  std::optional<Values> values;
  std::optional<ValueConversion> conversion = {};  // nullopt without them
  std::int64_t width = 0;
  std::int64_t src_width = 0;
  std::int64_t dst_width = 0;

  // Bytes of src and dst together.
  [[nodiscard]] std::int64_t both_bytes() const {
    return saturated(add(src_bytes, dst_bytes));
  }

  // Whether there is so much to move that waking other threads is worth it.
  [[nodiscard]] bool worth_sharing() const {
    constexpr std::int64_t enough = 1 << 20;
    return tasks > 1 && both_bytes() >= enough;
  }

  // Whether src and dst together are more than the caches hold.
  [[nodiscard]] bool in_memory() const {
    return both_bytes() >= all_caches_bytes;
  }

  // Distances in src and dst, from those that moves are planned with.
  [[nodiscard]] std::int64_t in_src(std::int64_t bytes) const {
    return bytes / width * src_width;
  }
  [[nodiscard]] std::int64_t in_dst(std::int64_t bytes) const {
    return bytes / width * dst_width;
  }
};

// What a tile takes at most in a stage, and what parts of tiles are chosen for:
// strides may leave gaps.
inline constexpr std::int64_t stage_bytes = 40 << 10;
inline constexpr std::int64_t staged_bytes = 32 << 10;
// What a block that moves in two steps takes at most.
inline constexpr std::int64_t block_bytes = 24 << 10;
// What a block of columns takes at most where it is put together.
inline constexpr std::int64_t most_combined = 32 << 10;

// Plans moves by the engine of src/engine; their loops are normalised. Zeros that it has
// no kernel for are added to `fills`.
void plan_blocks(PlanData& data, const std::vector<Piece>& moves,
                 std::vector<Piece>& fills, bool streams);

// The blocks of a nest that streams; none where it has no use for them.
// `column_offsets` are those of nest.columns.
[[nodiscard]] Combine combine_of(const PlanNest& nest, const Kernel& kernel,
                                 std::span<const std::int64_t> column_offsets,
                                 bool crowded_src);

// The bytes of one run of such a tile on the side of the stage.
[[nodiscard]] std::int64_t run_bytes(const ScheduledNest& scheduled,
                                     const std::array<std::int64_t, 4>& count,
                                     std::int64_t zeros);

}  // namespace stridewise::detail
