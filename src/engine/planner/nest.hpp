// What a plan of plain strides is: nests of blocks, each moved by one kernel or by some, one
// after the other, by way of stages in the nearest cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/program_table.hpp"
#include "engine/kernels/tile.hpp"

namespace stridewise::engine {

// What a stage holds at most, how many kernels move a block one after the other, and how
// many loops lie around blocks: each digit of either layout adds three at most to a piece.
inline constexpr std::int64_t most_stage_bytes = 40 << 10;
inline constexpr std::size_t most_steps = 3;
inline constexpr std::size_t most_planes = 4;  // of a tile
inline constexpr std::size_t most_block_loops = 512;

// A loop over blocks. The last block of those that it cuts a loop into may be shorter.
struct BlockLoop {
  Loop loop;
  std::int64_t whole =
      0;  // iterations of the loop that is cut, of a block; 0: it cuts none
  std::int64_t last = 0;  // of the last block
  // What all but the last block have more in their stages: runs of dst that go on from block
  // to block are written by whole lines.
  std::int64_t more = 0;

  // What all blocks have of the loop that is cut.
  [[nodiscard]] std::int64_t all() const {
    return (loop.count - 1) * whole + last;
  }
  [[nodiscard]] bool cuts() const {
    return whole != 0 && (last != whole || more != 0);
  }

  friend bool operator==(const BlockLoop&, const BlockLoop&) = default;
};

[[nodiscard]] inline std::int64_t blocks_of(
    const std::vector<BlockLoop>& around) {
  std::int64_t blocks = 1;
  for (const BlockLoop& over : around) blocks *= over.loop.count;
  return blocks;
}

// Which count of a tile a loop of a block is.
enum class Count : std::uint8_t {
  none,
  rows,
  columns,
  plane0,
  plane1,
  plane2,
  plane3
};
[[nodiscard]] inline std::size_t plane_of(Count count) {
  return static_cast<std::size_t>(count) -
         static_cast<std::size_t>(Count::plane0);
}
[[nodiscard]] inline Count count_of_plane(std::size_t plane) {
  return static_cast<Count>(static_cast<std::size_t>(Count::plane0) + plane);
}

// A count that is as many times what a block has of a loop that is cut.
struct Cut {
  Count count = Count::none;
  std::int64_t factor = 1;

  friend bool operator==(const Cut&, const Cut&) = default;
};

// One kernel over a block.
struct Step {
  const Kernel* kernel = nullptr;
  bool streams = false;
  // Whether values change on the way of a copy: then `columns` of its tile are values.
  bool converts = false;
  std::int64_t element_bytes = 1;  // of its loops; of copies and fills, 1
  Hints hints = {};
  Tile tile = {};  // of a whole block, without memory
  // Where rows of src and columns of dst begin, if no one pitch tells.
  std::vector<std::int64_t> row_table = {};
  std::vector<std::int64_t> column_table = {};
  ProgramMemory program = {};
  // For each loop over blocks that cuts one: which count that is.
  std::vector<Cut> cut = {};
  // The loops that rows and columns are made of, the innermost first; for printing.
  std::vector<Loop> rows = {};
  std::vector<Loop> columns = {};

  friend bool operator==(const Step&, const Step&) = default;
};

struct Nest {
  std::int64_t src_offset = 0;
  std::int64_t dst_offset = 0;
  std::vector<BlockLoop> around = {};  // the outermost first
  std::vector<Step> steps = {};
  std::vector<Loop> block = {};    // of several steps, the innermost first
  std::int64_t element_bytes = 1;  // that loops are of
  std::int64_t bytes = 0;          // of elements that it moves, or of zeros
  std::int64_t blocks = 1;
  std::int64_t blocks_per_task = 1;
  std::int64_t first_task = 0;

  [[nodiscard]] std::int64_t tasks() const {
    return (blocks + blocks_per_task - 1) / blocks_per_task;
  }
  [[nodiscard]] std::int64_t end_task() const { return first_task + tasks(); }

  friend bool operator==(const Nest&, const Nest&) = default;
};

// Where values change on the way: the bytes of one in src and in dst, and of what kernels
// move, which is that of one side. Loops are planned as if all were that wide.
struct Widths {
  std::int64_t moved;
  std::int64_t src;
  std::int64_t dst;
};
// Gives the nest the strides that src and dst have. Pre: its copies that convert are marked;
// all others are between memory and stages of elements as wide as are moved.
void widen(Nest& nest, const Widths& widths);

// The kernel of a step, or that values change in it.
[[nodiscard]] std::string name_of(const Step& step);
// All that decides what runs, a line a loop and a step.
[[nodiscard]] std::string print(const Nest& nest);

}  // namespace stridewise::engine
