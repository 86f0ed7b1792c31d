// Every kernel of the table against plain loops: all tile edges, pitches that
// are no multiple of anything, and forbidden pages on both sides.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

#include "reorder/kernels/gathered_lanes.hpp"
#include "reorder/kernels/grouped_blocks.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/planes.hpp"
#include "support/guarded.hpp"

namespace stridewise {
namespace {

using testing::GuardedBytes;

// What the kernels mean. Zeros follow the rows of a transpose and the bytes of a
// run.
void reference(const Kernel& kernel, const Tile& tile) {
  const auto put = [&](std::int64_t i, std::int64_t j, bool zero) {
    const std::int64_t column = tile.column_src != nullptr
                                    ? tile.column_src[j]
                                    : j * tile.src_stride[1];
    for (std::int64_t b = 0; b < kernel.element_bytes; ++b) {
      tile.dst[i * tile.dst_stride[0] + tile.column_at(j) + b] =
          zero ? std::byte{0} : tile.src[tile.row_at(i) + column + b];
    }
  };
  const bool runs = kernel.kind == KernelKind::copy;
  const std::int64_t rows = tile.count[0] + (runs ? 0 : tile.zeros);
  const std::int64_t columns = tile.count[1] + (runs ? tile.zeros : 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      put(i, j,
          kernel.kind == KernelKind::fill || i >= tile.count[0] ||
              j >= tile.count[1] || tile.row_at(i) == no_row);
    }
  }
}

// Of so many rows or columns, a step apart, the last first.
std::vector<std::int64_t> offsets_back(std::int64_t count, std::int64_t step) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t k = 0; k < count; ++k) {
    offsets.push_back((count - 1 - k) * step);
  }
  return offsets;
}

// Strides of a rows x columns tile for each kind, with `gap` bytes between.
Tile tile_of(const Kernel& kernel, std::int64_t rows, std::int64_t columns,
             std::int64_t gap, std::int64_t zeros) {
  const std::int64_t width = kernel.element_bytes;
  Tile tile{};
  tile.count = {rows, columns, 1, 1};
  tile.src_stride = {columns * width + gap, width, 0, 0};
  tile.dst_stride = {(columns + zeros) * width + gap, width, 0, 0};
  tile.zeros = zeros;
  // Only how it is done hangs on these.
  tile.prefetch = (rows + columns) % 2 == 0;
  tile.read_ahead = columns % 4 == 0 ? 16 : 0;
  tile.bursts = columns % 5 < 3;
  tile.from_memory = columns % 2 == 0;
  tile.next_src = columns % 3 * 4096;
  tile.crowded_src = rows % 3 * 16;
  tile.reads_crowded = (rows + columns) % 4 < 2;
  tile.stream_columns = columns % 7 < 4;
  tile.crowded_dst = columns % 2 == 0 ? 8 : 0;
  tile.square_bytes = columns % 3 == 0 ? 128 : 0;
  tile.squares_of_parts = rows % 2 == 0;
  switch (kernel.kind) {
    case KernelKind::transpose:
      tile.dst_stride = {width, (rows + zeros) * width + gap, 0, 0};
      break;
    case KernelKind::interleave:
    case KernelKind::short_columns:
    case KernelKind::padded_columns:
    case KernelKind::permuted:
      tile.dst_stride = {width, (rows + zeros) * width, 0, 0};
      break;
    case KernelKind::short_rows:
      tile.src_stride = {columns * width, width, 0, 0};
      tile.dst_stride = {width, rows * width + gap, 0, 0};
      break;
    case KernelKind::deinterleave:
      tile.src_stride = {std::clamp<std::int64_t>(columns + gap, 2, 8) * width,
                         width, 0, 0};
      tile.dst_stride = {width, rows * width + gap, 0, 0};
      break;
    case KernelKind::strided:
      tile.src_stride = {width, rows * width + gap, 0, 0};
      tile.dst_stride = {columns * (width + gap), width + gap, 0, 0};
      break;
    default:
      break;
  }
  return tile;
}

// Whether a tile is one that the kind is for.
bool suits(const Kernel& kernel, const Tile& tile) {
  const std::int64_t all_rows = tile.count[0] + tile.zeros;
  switch (kernel.kind) {
    case KernelKind::interleave:
      return (all_rows >= 2 && all_rows <= 8 &&
              all_rows * kernel.element_bytes < 32) ||
             (all_rows == 16 && kernel.element_bytes == 1);
    case KernelKind::short_columns:
      return tile.zeros == 0 && all_rows >= 5 && all_rows <= 32 &&
             all_rows * kernel.element_bytes <= kernel.most_short;
    case KernelKind::padded_columns: {
      const std::int64_t bytes = all_rows * kernel.element_bytes;
      return tile.zeros > 0 && tile.count[0] <= 4 &&
             (bytes == 16 || bytes == 32 || bytes == 64);
    }
    case KernelKind::short_rows:
      return tile.zeros == 0 && tile.count[1] >= 5 && tile.count[1] <= 32 &&
             tile.count[1] * kernel.element_bytes <= kernel.most_short;
    case KernelKind::deinterleave:
      return tile.count[1] * kernel.element_bytes < 16 && tile.count[1] <= 8 &&
             tile.zeros == 0;
    case KernelKind::permuted:
      return tile.src_stride[0] > 0 &&
             std::max((tile.count[0] - 1) * tile.src_stride[0] +
                          tile.count[1] * kernel.element_bytes,
                      all_rows * tile.count[1] * kernel.element_bytes) <=
                 kernel.most_short;
    case KernelKind::gathered:  // of offsets
    case KernelKind::padded_rows:
    case KernelKind::grouped:
    case KernelKind::ungrouped:
      return false;
    case KernelKind::copy:
    case KernelKind::transpose:
      return true;
    default:
      return tile.zeros == 0;
  }
}

// Bytes from the first to the last element, all loops at their ends. A table, where
// there is one, stands for a stride.
std::size_t extent(const std::array<std::int64_t, 4>& count,
                   const std::array<std::int64_t, 4>& stride,
                   std::int64_t width,
                   const std::array<const std::int64_t*, 2>& tables = {}) {
  std::int64_t last = width;
  for (std::size_t d = 0; d < 4; ++d) {
    const bool table = d < 2 && tables[d] != nullptr;
    last += table ? *std::max_element(tables[d], tables[d] + count[d])
                  : (count[d] - 1) * stride[d];
  }
  return static_cast<std::size_t>(last);
}

// `slack`: bytes between dst and the guard page after it.
void check(const Kernel& kernel, const std::function<void(const Tile&)>& run,
           Tile tile, GuardedBytes::Against side, std::size_t slack = 0) {
  const std::int64_t width = kernel.element_bytes;
  const bool runs = kernel.kind == KernelKind::copy;
  auto written = tile.count;
  written[runs ? 1 : 0] += tile.zeros;
  std::size_t src_size = extent(tile.count, tile.src_stride, width,
                                {tile.row_offset, tile.column_src});
  std::size_t dst_size =
      extent(written, tile.dst_stride, width, {nullptr, tile.column_offset});
  // Some of those that have loops around have more of them.
  if (tile.count[3] > 1 && (tile.count[0] + tile.count[1]) % 4 == 0) {
    const auto lines = [](std::size_t size) { return (size + 63) / 64 * 64; };
    for (Tile::Loop& loop : tile.outer) {
      loop = {2, static_cast<std::int64_t>(lines(src_size)),
              static_cast<std::int64_t>(lines(dst_size))};
      src_size += lines(src_size);
      dst_size += lines(dst_size);
    }
  }
  const GuardedBytes src(src_size, side);
  const GuardedBytes dst(dst_size + slack, side);
  for (std::size_t k = 0; k < src_size; ++k) {
    src.bytes()[k] = static_cast<std::byte>(k * 131 + (k >> 8) * 7 + 1);
  }
  std::memset(dst.data(), 0xee, dst_size + slack);
  std::vector<std::byte> expected(dst_size + slack, std::byte{0xee});
  tile.src_end = src.data() + src_size;
  std::vector<std::byte> table;
  if (kernel.table_of != nullptr) table = kernel.table_of(tile);
  tile.table = table.data();
  const std::array<std::int64_t, 4> around = {
      tile.count[2], tile.count[3], tile.outer[0].count, tile.outer[1].count};
  const std::array<std::int64_t, 4> src_steps = {
      tile.src_stride[2], tile.src_stride[3], tile.outer[0].src_stride,
      tile.outer[1].src_stride};
  const std::array<std::int64_t, 4> dst_steps = {
      tile.dst_stride[2], tile.dst_stride[3], tile.outer[0].dst_stride,
      tile.outer[1].dst_stride};
  std::array<std::int64_t, 4> at{};
  for (std::size_t d = 0; d < 4;) {
    tile.src =
        src.data() + std::inner_product(at.begin(), at.end(), src_steps.begin(),
                                        std::int64_t{0});
    tile.dst = expected.data() + std::inner_product(at.begin(), at.end(),
                                                    dst_steps.begin(),
                                                    std::int64_t{0});
    reference(kernel, tile);
    for (d = 0; d < 4 && ++at[d] == around[d]; ++d) at[d] = 0;
  }
  tile.src = src.data();
  tile.dst = dst.data();
  run(tile);
  stream_fence();
  ASSERT_EQ(std::memcmp(expected.data(), dst.data(), expected.size()), 0)
      << kernel.name << " " << tile.count[0] << "x" << tile.count[1] << "+"
      << tile.zeros << " x" << tile.count[2] << "x" << tile.count[3];
}

void check_both(const Kernel& kernel, const Tile& tile,
                GuardedBytes::Against side, std::size_t slack = 0) {
  ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side, slack));
  if (kernel.stream == nullptr) return;
  ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.stream, tile, side, slack));
}

// Of a tile with such a gap, two times three planes, one after the other and with gaps.
void check_small_planes(const Kernel& kernel, Tile tile, std::int64_t gap) {
  const std::size_t outer = kernel.kind == KernelKind::copy ? 0 : 1;  // in dst
  tile.count[2] = 3;
  tile.count[3] = 2;
  tile.src_stride[2] = tile.count[0] * tile.src_stride[0] - gap;
  tile.src_stride[3] = 3 * tile.src_stride[2] + gap;
  tile.dst_stride[2] = tile.count[outer] * tile.dst_stride[outer];
  tile.dst_stride[3] = 3 * tile.dst_stride[2] + gap;
  for (const auto side :
       {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
    ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
  }
}

void check_all(std::int64_t rows, std::int64_t columns, std::int64_t gap,
               std::int64_t zeros) {
  const auto side = (rows + columns + gap) % 2 == 0
                        ? GuardedBytes::Against::front
                        : GuardedBytes::Against::back;
  for (const Kernel& kernel : kernels()) {
    const Tile tile = tile_of(kernel, rows, columns, gap, zeros);
    if (!suits(kernel, tile)) continue;
    ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
  }
}

// 0..2*tile+1 for the tiles of 4 to 32 elements, and around those of 64.
TEST(Kernels, EqualPlainLoopsAtEveryTileEdge) {
  std::vector<std::int64_t> counts;
  for (std::int64_t n = 1; n <= 35; ++n) counts.push_back(n);
  counts.insert(counts.end(), {47, 63, 64, 65, 127, 128, 129, 257});
  for (const std::int64_t rows : counts) {
    for (const std::int64_t columns : counts) {
      if (rows > 35 && columns > 35 && rows != columns) continue;
      const std::int64_t gap = (rows * 7 + columns) % 3 * 13;
      const std::int64_t zeros = (rows + columns) % 4 == 0 ? rows % 17 : 0;
      ASSERT_NO_FATAL_FAILURE(check_all(rows, columns, gap, zeros));
    }
  }
}

TEST(Kernels, FewRowsAndColumnsWithEveryNumberOfZeros) {
  for (std::int64_t rows = 1; rows <= 8; ++rows) {
    for (std::int64_t zeros = 0; rows + zeros <= 16; ++zeros) {
      for (const std::int64_t columns :
           {1, 3, 8, 15, 16, 17, 63, 64, 65, 200}) {
        for (const std::int64_t gap : {0, 1, 4, 64}) {
          ASSERT_NO_FATAL_FAILURE(check_all(rows, columns, gap, zeros));
          ASSERT_NO_FATAL_FAILURE(check_all(columns, rows, gap, zeros));
        }
      }
    }
  }
}

// Long elements stream by lanes of 16 bytes: columns need not step by more.
TEST(Kernels, LongElementsStreamToColumnsThatStepByLanes) {
  for (const Kernel& kernel : kernels()) {
    const std::int64_t width = kernel.element_bytes;
    if (kernel.kind != KernelKind::transpose || kernel.stream == nullptr ||
        width < 16) {
      continue;
    }
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 8, 17}) {
      for (const std::int64_t columns : {1, 2, 5, 33}) {
        for (const std::int64_t lanes : {0, 1, 2, 3}) {
          Tile tile = tile_of(kernel, rows, columns, 0, 0);
          tile.dst_stride[1] += 16 * lanes;
          ASSERT_NO_FATAL_FAILURE(
              check(kernel, kernel.stream, tile, GuardedBytes::Against::front));
        }
      }
    }
  }
}

// Columns in a scattered order, and rows as one stride has them.
TEST(Kernels, TransposesTakeColumnsFromATable) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose) continue;
    for (const std::int64_t rows : {3, 16, 17, 64, 100, 256}) {
      for (const std::int64_t columns : {1, 3, 5, 9, 15, 16, 31, 100}) {
        Tile tile = tile_of(kernel, rows, columns, 3, rows % 5);
        const auto offsets =
            offsets_back(columns, (rows + tile.zeros) * kernel.element_bytes);
        tile.column_offset = offsets.data();
        for (const auto side :
             {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
          ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
        }
      }
    }
  }
}

// Strips of several lines by way of a copy of the rows, and streaming to whole
// lines: what large transposes do.
TEST(Kernels, WideTransposes) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose) continue;
    const std::int64_t line = 64 / kernel.element_bytes;
    for (const std::int64_t rows :
         {4 * line, 7 * line, 9 * line, 9 * line + 1}) {
      for (const std::int64_t columns : {line, 9 * line, 17 * line + 3}) {
        for (int flags = 0; flags < 16; ++flags) {
          const std::int64_t gap = (flags & 2) != 0 ? 16 : 0;
          Tile tile = tile_of(kernel, rows, columns, gap, flags & 4);
          tile.bursts = (flags & 4) == 0;
          tile.from_memory = (flags & 8) == 0;
          tile.square_bytes = 0;
          tile.crowded_src = (flags & 1) != 0 ? 64 : 0;
          tile.crowded_dst = (flags & 2) != 0 ? 8 : 0;
          tile.stream_columns = (flags & 2) != 0;
          tile.dst_stride[1] = (tile.dst_stride[1] + 63) / 64 * 64;
          const auto columns_back = offsets_back(columns, tile.dst_stride[1]);
          if ((flags & 8) != 0) tile.column_offset = columns_back.data();
          const auto side = GuardedBytes::Against::front;
          ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
        }
      }
    }
  }
}

// Rows of less than some lines whose columns share sets, and what is left of their
// columns where squares take as many as they hold.
TEST(Kernels, ShortRowsByColumns) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.element_bytes >= 16) {
      continue;
    }
    const std::int64_t line = 64 / kernel.element_bytes;
    for (const std::int64_t rows : {4 * line, 9 * line, 9 * line + 1}) {
      for (std::int64_t columns = 2; columns <= 50; ++columns) {
        Tile tile = tile_of(kernel, rows, columns, 0, 0);
        tile.stream_columns = tile.reads_crowded = true;
        tile.crowded_src = 1;
        tile.square_bytes = 0;
        tile.dst_stride[1] = (tile.dst_stride[1] + 2047) / 2048 * 2048;
        ASSERT_NO_FATAL_FAILURE(
            check_both(kernel, tile, GuardedBytes::Against::back));
      }
    }
  }
}

// Half a line of rows, a line and some, of which lines are lines of memory and not, to
// columns that follow each other and not.
TEST(Kernels, StripsOfLines) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose) continue;
    const std::int64_t width = kernel.element_bytes;
    const std::int64_t line = std::max<std::int64_t>(64 / width, 2);
    for (const std::int64_t rows :
         {line / 2, line, 2 * line + 3, 2 * line + line * 3 / 4}) {
      for (const std::int64_t columns :
           {line - 1, line, line + 1, 3 * line + 3, 3 * line + line / 2,
            4 * line, 8 * line}) {
        for (const std::int64_t gap : {0, 64, 13}) {
          Tile tile = tile_of(kernel, rows, columns, gap, 0);
          tile.prefetch = false;
          tile.square_bytes = 0;
          tile.square_order = SquareOrder::strips;
          if (gap != 13) {
            tile.src_stride[0] = (tile.src_stride[0] + 63) / 64 * 64;
          }
          for (const std::int64_t crowded : {0, 16}) {
            tile.crowded_src = crowded;
            ASSERT_NO_FATAL_FAILURE(check_small_planes(kernel, tile, gap));
          }
        }
      }
    }
  }
}

// Columns that are no lines and follow each other in dst, from anywhere in a line on:
// a block of as many as a line holds, some, and some that are less than another.
TEST(Kernels, DenseColumnsStreamByBlocks) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.stream == nullptr) {
      continue;
    }
    const std::int64_t block = 64 / kernel.element_bytes;
    std::vector<std::int64_t> counts = {511};  // the most that a stage holds
    for (std::int64_t rows = block / 2 + 1; rows < counts.front();
         rows += 1 + rows / 12) {
      counts.push_back(rows);
    }
    for (const std::int64_t rows : counts) {
      for (const std::int64_t columns :
           {block, block + 1, 2 * block, 2 * block + 1, 3 * block - 1,
            8 * block, 9 * block - 1}) {
        Tile tile = tile_of(kernel, rows, columns, columns % 2 * 13, 0);
        tile.from_memory = columns >= 8 * block;
        tile.dst_stride[1] = rows * kernel.element_bytes;
        tile.prefetch = rows % 2 == 0;
        for (const std::int64_t crowded : {16, 0}) {
          tile.crowded_src = crowded;
          for (const std::size_t slack : {0U, 16U, 40U, 63U}) {
            ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.stream, tile,
                                          GuardedBytes::Against::back, slack));
          }
        }
        const auto reversed = offsets_back(rows, tile.src_stride[0]);
        tile.row_offset = reversed.data();
        tile.row_reach = reversed.front();
        ASSERT_NO_FATAL_FAILURE(
            check(kernel, kernel.stream, tile, GuardedBytes::Against::back));
      }
    }
  }
}

// Rows and columns of whole lines, by any number of bytes of each row at once, in any
// order and with either side by a table.
TEST(Kernels, SquaresOfLines) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose) continue;
    const std::int64_t line = 64 / kernel.element_bytes;
    for (const std::int64_t rows :
         {line, 2 * line - 1, 2 * line + 3, 9 * line}) {
      for (const std::int64_t columns : {line, line + 1, 7 * line - 1}) {
        for (const auto& [bytes, order] : {std::pair{32, SquareOrder::blocks},
                                           {64, SquareOrder::blocks},
                                           {128, SquareOrder::blocks},
                                           {0, SquareOrder::along_rows},
                                           {128, SquareOrder::along_rows},
                                           {0, SquareOrder::down_columns},
                                           {128, SquareOrder::down_columns}}) {
          for (int tables = 0; tables < 4; ++tables) {
            Tile tile = tile_of(kernel, rows, columns, 0, rows % 2);
            tile.square_bytes = bytes;
            tile.square_order = order;
            tile.squares_of_parts = true;
            tile.prefetch = tables == 1;
            tile.crowded_src = bytes == 64 ? 16 : 0;
            const auto of_rows = offsets_back(rows, tile.src_stride[0]);
            const auto of_columns = offsets_back(columns, tile.dst_stride[1]);
            if ((tables & 1) != 0) {
              tile.row_offset = of_rows.data();
              tile.row_reach = of_rows.front();
            }
            if ((tables & 2) != 0) tile.column_offset = of_columns.data();
            for (const auto side :
                 {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
              ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
            }
          }
        }
      }
    }
  }
}

// Chunks by blocks: every number of strips and columns beside each other.
TEST(Kernels, TransposesOfChunks) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.element_bytes < 16) {
      continue;
    }
    for (const std::int64_t few : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17}) {
      for (const std::int64_t many : {8, 33}) {
        for (const bool tall : {false, true}) {
          const std::int64_t strip = 64 / kernel.element_bytes;
          Tile tile = tile_of(kernel, (tall ? many : few) * strip,
                              tall ? few : many, 16, 0);
          tile.prefetch = many == 8;
          tile.crowded_src = 0;
          for (const auto side :
               {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
            ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
          }
        }
      }
    }
  }
}

// Planes of few elements of 16 bytes and more.
TEST(Kernels, TransposesOfSmallPlanesOfChunks) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.element_bytes < 16) {
      continue;
    }
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 14}) {
      for (const std::int64_t columns : {1, 2, 3, 7}) {
        for (const std::int64_t gap : {0, 16, 24}) {
          Tile tile = tile_of(kernel, rows, columns, gap, 0);
          tile.crowded_src = 0;
          ASSERT_NO_FATAL_FAILURE(check_small_planes(kernel, tile, gap));
        }
      }
    }
  }
}

// Planes of 16 or 32 bytes a row that follow each other in src.
TEST(Kernels, InterleavesOfPlanesBesideEachOther) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::interleave) continue;
    for (const std::int64_t rows : {2, 3, 4, 6, 7, 8, 16}) {
      for (const std::int64_t bytes : {16, 32}) {
        for (const std::int64_t planes : {1, 2, 3, 4, 5, 9}) {
          const std::int64_t zeros = planes == 5 ? 1 : 0;
          Tile tile = tile_of(kernel, rows - zeros,
                              bytes / kernel.element_bytes, 0, zeros);
          if (!suits(kernel, tile)) continue;
          if (planes == 9) {
            tile.count[3] = 2;
            tile.src_stride[3] = 16 * (planes * bytes + 3);
            tile.dst_stride[3] = 16 + 9 * (rows * bytes + 64);
          }
          tile.src_stride[0] = planes * bytes + 3;
          tile.count[2] = planes;
          tile.dst_stride[2] = rows * bytes + (planes % 2) * 64;
          for (const std::int64_t apart : {0, 48}) {
            tile.src_stride[2] = bytes + apart;
            for (const std::size_t slack : {0U, 16U}) {
              const auto side = GuardedBytes::Against::back;
              ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side, slack));
            }
          }
        }
      }
    }
  }
}

// Planes of every number of columns that a vector of a row holds, and some more, next to
// what must not be read or written.
TEST(Kernels, InterleavesOfPlanesOfShortRows) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::interleave) continue;
    const std::int64_t most = 80 / kernel.element_bytes;
    for (const std::int64_t rows : {2, 3, 4, 5, 8, 16}) {
      for (std::int64_t columns = 1; columns <= most; ++columns) {
        const std::int64_t zeros = columns % 3 == 0 ? 1 : 0;
        const Tile tile = tile_of(kernel, rows - zeros, columns, 0, zeros);
        if (!suits(kernel, tile)) continue;
        ASSERT_NO_FATAL_FAILURE(check_small_planes(kernel, tile, 0));
      }
    }
  }
}

// So few columns that strips of many lines are written side by side, or that they
// are less than a square; of one plane and of some.
TEST(Kernels, TransposesOfShortRows) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose) continue;
    const std::int64_t line = 64 / kernel.element_bytes;
    for (const std::int64_t rows : {33 * line, 70 * line + 3}) {
      for (const std::int64_t columns : {1, 3, 4, 8, 16, 17, 32}) {
        for (const std::int64_t gap : {0, 5}) {
          for (const std::int64_t zeros : {0, 2}) {
            const Tile tile = tile_of(kernel, rows, columns, gap, zeros);
            const auto side = GuardedBytes::Against::back;
            ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
            Tile planes = tile;
            planes.dst_stride[1] = (tile.dst_stride[1] + 63) / 64 * 64;
            planes.count[2] = planes.count[3] = 2;
            planes.src_stride[2] = rows * tile.src_stride[0] - gap;
            planes.src_stride[3] = 2 * planes.src_stride[2] + gap;
            planes.dst_stride[2] = columns * planes.dst_stride[1];
            planes.dst_stride[3] = 2 * planes.dst_stride[2] + 64;
            ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, planes, side));
            if (kernel.stream == nullptr) continue;
            for (const auto against :
                 {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
              ASSERT_NO_FATAL_FAILURE(
                  check(kernel, kernel.stream, planes, against));
            }
          }
        }
      }
    }
  }
}

// Columns that share no lines stream by whole ones, from any address.
TEST(Kernels, DeinterleavesStreamLines) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::deinterleave || kernel.stream == nullptr) {
      continue;
    }
    const std::int64_t width = kernel.element_bytes;
    for (const std::int64_t bytes :
         {64, 128, 192, 208, 300, 512, 520, 576, 1672}) {
      for (std::int64_t columns = 1; columns <= 8; ++columns) {
        for (const std::int64_t gap : {0, 1, 2}) {
          Tile apart = tile_of(kernel, bytes / width, columns, gap, 0);
          if (!suits(kernel, apart)) continue;
          Tile together = apart;
          together.dst_stride[1] = (apart.dst_stride[1] + 63) / 64 * 64;
          for (const std::size_t slack : {0U, 1U, 8U, 16U, 32U, 48U, 56U}) {
            for (const Tile& tile : {apart, together}) {
              ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.stream, tile,
                                            GuardedBytes::Against::back,
                                            slack));
            }
          }
        }
      }
    }
  }
}

// Columns that go on from plane to plane, of whole lines or not.
TEST(Kernels, DeinterleavesOfPlanesThatFollowEachOther) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::deinterleave) continue;
    const std::int64_t width = kernel.element_bytes;
    for (const std::int64_t bytes : {16, 48, 64, 112, 224}) {
      for (std::int64_t columns = 1; columns <= 8; ++columns) {
        Tile tile = tile_of(kernel, bytes / width, columns, columns % 2, 0);
        if (!suits(kernel, tile)) continue;
        for (const std::int64_t planes : {1, 2, 9, 40}) {
          tile.from_memory = planes != 2;
          tile.count[2] = planes;
          tile.count[3] = planes == 9 ? 2 : 1;
          tile.src_stride[2] = bytes / width * tile.src_stride[0] + 3;
          tile.dst_stride[1] = planes * bytes + planes % 5 * 16;
          tile.dst_stride[2] = bytes;
          tile.src_stride[3] = planes * tile.src_stride[2];
          tile.dst_stride[3] = columns * tile.dst_stride[1] + 32;
          for (const std::size_t slack : {0U, 8U, 16U}) {
            const auto side = GuardedBytes::Against::back;
            ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side, slack));
          }
        }
      }
    }
  }
}

// What is asked for 4 KiB ahead of planes of 448 bytes, 9 of them further on.
TEST(Kernels, PlanesAhead) {
  Tile tile{};
  tile.from_memory = true;
  tile.count = {56, 4, 20, 1};
  tile.src_stride = {8, 2, 1000, 50000};
  tile.next_src = 7;
  const auto ahead = [&](std::int64_t left) {
    return PlanesAhead(tile, 448).from(left);
  };
  EXPECT_TRUE(PlanesAhead(tile, 448).any());
  EXPECT_FALSE(PlanesAhead(tile, 4096).any());
  EXPECT_EQ(ahead(20), 10000);
  EXPECT_EQ(ahead(11), 10000);
  EXPECT_EQ(ahead(10), 7 - 10 * 1000);
  tile.count[3] = 2;
  EXPECT_EQ(ahead(10), 50000 - 10 * 1000);
  tile.count = {56, 4, 3, 1};
  EXPECT_EQ(ahead(3), 7);
  tile.from_memory = false;
  EXPECT_FALSE(PlanesAhead(tile, 448).any());
  EXPECT_EQ(ahead(3), 0);
}

// Runs of less than a line, with zeros up to parts of one and without, dense or
// apart, wherever they are.
TEST(Kernels, CopiesOfShortRuns) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::copy) continue;
    for (std::int64_t bytes = 1; bytes <= 66; ++bytes) {
      for (const std::int64_t all :
           {0, 2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 80, 128}) {
        const std::int64_t zeros = std::max<std::int64_t>(all - bytes, 0);
        if (zeros == 0 && all > 0) continue;
        for (const std::int64_t runs : {1, 7, 37, 70}) {
          for (const std::int64_t gap : {0, 3, 64}) {
            const Tile tile = tile_of(kernel, runs, bytes, gap, zeros);
            for (const auto side :
                 {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
              const std::size_t slack = gap == 0 ? 16 : 0;
              ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
              if (kernel.stream == nullptr) continue;
              ASSERT_NO_FATAL_FAILURE(
                  check(kernel, kernel.stream, tile, side, slack));
            }
          }
        }
      }
    }
  }
}

// Few runs a plane, of which the last one may end with src.
TEST(Kernels, CopiesOfPlanesOfShortRuns) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::copy) continue;
    for (const std::int64_t bytes : {1, 3, 4, 8, 13, 16, 17, 33, 64, 66}) {
      for (const std::int64_t zeros : {0, 1, 4, 12, 31, 60, 80}) {
        for (const std::int64_t runs : {1, 5, 70}) {
          for (const std::int64_t gap : {0, 3, 64}) {
            Tile tile = tile_of(kernel, runs, bytes, gap, zeros);
            ASSERT_NO_FATAL_FAILURE(check_small_planes(kernel, tile, gap));
            // Runs are whole lines apart, planes are not.
            tile.count[2] = tile.count[3] = 2;
            tile.src_stride[2] = 3;
            tile.dst_stride[0] = 192;
            tile.dst_stride[2] = runs * 192 + (bytes % 2 == 0 ? 0 : 3);
            tile.dst_stride[3] = 2 * tile.dst_stride[2] + 3;
            ASSERT_NO_FATAL_FAILURE(
                check_both(kernel, tile, GuardedBytes::Against::back));
          }
        }
      }
    }
  }
}

// Planes of runs of one to some lines.
TEST(Kernels, CopiesOfSomeLines) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::copy) continue;
    for (std::int64_t bytes = 63; bytes <= 577; bytes += bytes < 260 ? 1 : 4) {
      for (const std::int64_t gap : {0, 3, 64}) {
        Tile tile = tile_of(kernel, 5, bytes, gap, 0);
        tile.count[2] = 3;
        tile.src_stride[2] = 5 * tile.src_stride[0];
        tile.dst_stride[2] = 5 * tile.dst_stride[0];
        for (const auto side :
             {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
          ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
        }
      }
    }
  }
}

// Planes of a few squares, of rows by one stride and from anywhere, columns likewise:
// the last squares of either overlap those before.
TEST(Kernels, SmallPlanesOfRowsAndColumnsByTables) {
  for (const Kernel& kernel : kernels()) {
    const std::int64_t width = kernel.element_bytes;
    if (kernel.kind != KernelKind::transpose) continue;
    for (const std::int64_t rows :
         {1, 2, 3, 4, 6, 8, 9, 15, 16, 17, 33, 64, 66}) {
      for (const std::int64_t columns : {1, 2, 3, 4, 7, 8, 16, 17, 31}) {
        for (const bool by_tables : {false, true}) {
          Tile tile = tile_of(kernel, rows, columns, 3 * width, 0);
          tile.crowded_src = 0;
          const auto from = offsets_back(rows, tile.src_stride[0]);
          const auto to = offsets_back(columns, tile.dst_stride[1]);
          if (by_tables) {
            tile.row_offset = from.data();
            tile.row_reach = from.front();
            tile.column_offset = to.data();
          }
          tile.count[2] = 3;
          tile.count[3] = 2;
          tile.src_stride[2] = rows * tile.src_stride[0];
          tile.src_stride[3] = 3 * tile.src_stride[2];
          tile.dst_stride[2] = columns * tile.dst_stride[1];
          tile.dst_stride[3] = 3 * tile.dst_stride[2] + width;
          const auto side = columns % 2 == 0 ? GuardedBytes::Against::front
                                             : GuardedBytes::Against::back;
          ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
        }
      }
    }
  }
}

// Columns of a few rows that lie apart, and between them those of other planes.
TEST(Kernels, FewRowsOfPlanesThatFollowEachOther) {
  for (const Kernel& kernel : kernels()) {
    const std::int64_t width = kernel.element_bytes;
    if (kernel.kind != KernelKind::transpose || width > 4) continue;
    for (const std::int64_t bytes : {4, 8, 12, 16}) {
      for (std::int64_t rows = 1; rows <= bytes / width; ++rows) {
        for (const std::int64_t columns : {1, 7, 54, 64, 131}) {
          for (const std::int64_t planes : {3, 4, 17, 37}) {
            Tile tile = tile_of(kernel, rows, columns, 3, bytes / width - rows);
            tile.count[2] = planes;
            tile.count[3] = 2;
            tile.src_stride[2] = rows * tile.src_stride[0] + 1;
            tile.src_stride[3] = planes * tile.src_stride[2];
            tile.dst_stride[1] = planes * bytes + rows % 2;
            tile.dst_stride[2] = bytes;
            tile.dst_stride[3] = columns * tile.dst_stride[1];
            const auto side = columns % 2 == 0 ? GuardedBytes::Against::front
                                               : GuardedBytes::Against::back;
            ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
          }
        }
      }
    }
  }
}

// Runs that follow each other in dst, zeros included, from all over src, which
// may overlap or be one.
TEST(Kernels, CopiesOfShortRunsThatFollowEachOther) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::copy) continue;
    for (std::int64_t bytes = 1; bytes <= 33; ++bytes) {
      for (const std::int64_t zeros : {0, 1, 3, 4, 5, 7, 8, 13, 26}) {
        const bool shortest = bytes + zeros <= 4;
        for (const std::int64_t stride :
             {std::int64_t{0}, std::int64_t{1}, bytes, bytes + 1, bytes + 3,
              bytes + 5, bytes + 8, bytes + 31, bytes + 60}) {
          for (const std::int64_t runs : {15, 70, 121, shortest ? 1201 : 337}) {
            Tile tile = tile_of(kernel, runs, bytes, 0, zeros);
            tile.src_stride[0] = stride;
            const std::int64_t odd = (bytes + zeros + stride) % 2;
            const auto side = odd == 0 ? GuardedBytes::Against::front
                                       : GuardedBytes::Against::back;
            const auto slack = static_cast<std::size_t>(runs % 2 * 3);
            ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side, slack));
          }
        }
      }
    }
  }
}

// Long rows stream by lines from the first column that begins with one.
TEST(Kernels, LongInterleavesFromAnyAddress) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::interleave) continue;
    for (const std::int64_t rows : {2, 3, 4, 5, 6, 7, 8, 16}) {
      for (const std::int64_t columns : {257, 500, 1100, 2100}) {
        const Tile tile = tile_of(kernel, rows, columns, 0, 0);
        if (!suits(kernel, tile)) continue;
        for (const std::size_t slack : {0U, 4U, 16U, 32U, 48U}) {
          for (auto* const run : {kernel.run, kernel.stream}) {
            if (run == nullptr) continue;
            ASSERT_NO_FATAL_FAILURE(
                check(kernel, run, tile, GuardedBytes::Against::back, slack));
          }
        }
      }
    }
  }
}

// Columns of at most a line, of planes that follow each other in dst and not.
TEST(Kernels, ShortColumnsOfPlanes) {
  for (const Kernel& kernel : kernels()) {
    const bool padded = kernel.kind == KernelKind::padded_columns;
    if (kernel.kind != KernelKind::short_columns && !padded) continue;
    for (std::int64_t all = 2; all <= 64; ++all) {
      for (const std::int64_t columns : {1, 15, 16, 49, 64, 130, 300}) {
        const std::int64_t rows = padded ? 1 + (all + columns) % 4 : all;
        const std::int64_t zeros = all - rows;
        if (zeros < 0) continue;
        Tile tile = tile_of(kernel, rows, columns, columns % 2 * 5, zeros);
        if (!suits(kernel, tile)) continue;
        tile.count[2] = 3;
        tile.count[3] = 2;
        tile.src_stride[2] = rows * tile.src_stride[0] + columns % 4;
        tile.src_stride[3] = 3 * tile.src_stride[2];
        tile.dst_stride[2] = columns * tile.dst_stride[1];
        tile.dst_stride[3] = 3 * tile.dst_stride[2];
        Tile apart = tile;
        apart.dst_stride[2] += columns % 3;
        apart.dst_stride[3] = 3 * apart.dst_stride[2] + 64;
        for (const Tile& planes : {tile, apart}) {
          for (const std::size_t slack : {0U, 1U, 8U, 16U, 32U, 48U}) {
            const auto side = GuardedBytes::Against::back;
            ASSERT_NO_FATAL_FAILURE(check_both(kernel, planes, side, slack));
          }
        }
      }
    }
  }
}

// Tiles that vectors hold whole, with zeros and without, of planes that follow each other
// in dst and not, in src with gaps and on top of each other.
TEST(Kernels, PermutedTilesOfPlanes) {
  const auto check_planes = [](const Kernel& kernel, Tile tile) {
    const std::int64_t width = kernel.element_bytes;
    const std::int64_t columns = tile.count[1];
    const std::int64_t span = tile.count[0] * tile.src_stride[0];
    const std::int64_t bytes = (tile.count[0] + tile.zeros) * columns * width;
    for (const std::int64_t planes : {1, 2, 5, 70}) {
      tile.count[2] = planes;
      tile.count[3] = 2;
      for (const std::int64_t src_step : {span, span + 3, width}) {
        for (const std::int64_t dst_step : {bytes, bytes + 5}) {
          tile.src_stride[2] = src_step;
          tile.src_stride[3] = planes * src_step;
          tile.dst_stride[2] = dst_step;
          tile.dst_stride[3] = planes * dst_step + columns % 2;
          for (const auto side :
               {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
            ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
          }
        }
      }
    }
  };
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::permuted) continue;
    for (std::int64_t rows = 1; rows <= 64; ++rows) {
      for (const std::int64_t columns : {1, 2, 3, 4, 7, 9, 16, 27, 49, 100}) {
        for (const std::int64_t gap : {0, 1, 9}) {
          for (const std::int64_t zeros : {std::int64_t{0}, 1 + rows % 5}) {
            const Tile tile = tile_of(kernel, rows, columns, gap, zeros);
            if (!suits(kernel, tile)) continue;
            ASSERT_NO_FATAL_FAILURE(check_planes(kernel, tile));
          }
        }
      }
    }
  }
}

// Rows that lie anywhere in src, every third and fifth of them zeros, as tiles that
// vectors hold whole and as columns of some length, of one plane and more.
TEST(Kernels, RowsOfZerosBetweenOthers) {
  std::array<int, 2> checked{};
  for (const Kernel& kernel : kernels()) {
    const bool permuted = kernel.kind == KernelKind::permuted;
    if (!permuted && kernel.kind != KernelKind::padded_rows) continue;
    const std::int64_t width = kernel.element_bytes;
    for (std::int64_t rows = 2; rows <= 70; rows += rows < 20 ? 1 : 3) {
      for (const std::int64_t columns : {1, 3, 5, 8, 9, 16, 17, 33}) {
        const std::int64_t pitch = columns * width;
        std::vector<std::int64_t> offsets;
        for (std::int64_t i = 0; i < rows; ++i) {
          const bool zero = i % 3 == 2 || i % 5 == 4;
          offsets.push_back(zero ? no_row : i * 7 % rows * pitch);
        }
        Tile tile{};
        tile.count = {rows, columns, 1, 1};
        tile.src_stride = {0, width, 3, 50};
        tile.row_offset = offsets.data();
        tile.row_reach = std::ranges::max(offsets);
        const std::int64_t bytes = rows * columns * width;
        if (permuted && bytes > kernel.most_short) continue;
        for (const std::int64_t gap : {0, 1, 16}) {
          if (gap > 0 && (permuted || rows % 2 == 0)) continue;
          const std::int64_t column = rows * width + gap;
          tile.dst_stride = {width, column, columns * column,
                             3 * columns * column + 5};
          for (const std::int64_t planes : {1, 3}) {
            tile.count[2] = planes;
            tile.count[3] = planes;
            for (const auto side :
                 {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
              ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
            }
          }
          ++checked[permuted ? 1 : 0];
        }
      }
    }
  }
  EXPECT_GT(checked[0], 1000);
  EXPECT_GT(checked[1], 100);
}

// Where the elements of a run are in src that some loops make, the fastest first.
std::vector<std::int64_t> offsets_of(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& loops,
    std::int64_t width) {
  std::vector<std::int64_t> offsets = {0};
  for (const auto& [count, stride] : loops) {
    const std::vector<std::int64_t> inner = offsets;
    for (std::int64_t k = 1; k < count; ++k) {
      for (const std::int64_t at : inner) {
        offsets.push_back(at + k * stride * width);
      }
    }
  }
  return offsets;
}

// Runs of whole vectors and not, of pieces of lanes and shorter and longer ones, near
// and far, one after the other in dst and with gaps.
TEST(Kernels, GathersRunsOfManyPieces) {
  using Loops = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const std::vector<Loops> runs = {{{2, 8}, {8, 1}, {2, 1000}, {4, 16}},
                                   {{64, 1}},
                                   {{8, 2}, {2, 1}, {8, 640}},
                                   {{5, 3}, {3, 1}, {7, 15}},
                                   {{4, 4}, {4, 1}, {3, 99}, {3, 16}},
                                   {{2, 333}, {16, 1}, {4, 16}},
                                   {{4, 160}, {4, 1}, {5, 4}, {2, 40}},
                                   {{16, 16}, {8, 1}},
                                   {{16, 1}, {9, 16}},
                                   {{1, 0}, {67, 2}}};
  std::int64_t checked = 0;
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::gathered) continue;
    const std::int64_t width = kernel.element_bytes;
    for (const Loops& loops : runs) {
      const std::vector<std::int64_t> offsets = offsets_of(loops, width);
      const std::int64_t bytes = std::ssize(offsets) * width;
      if (bytes < kernel.most_short) continue;
      bool few = true;
      each_gathered(offsets, width, kernel.most_short,
                    [&](std::int64_t, std::span<const std::int64_t> elements) {
                      std::set<std::int64_t> lanes;
                      for (const auto at : elements) lanes.insert(at / 16);
                      few &= std::ssize(lanes) <= kernel.most_short / 4;
                    });
      if (!few) continue;
      for (const std::int64_t gap : {0, 64, 5}) {
        Tile tile{};
        tile.count = {std::ssize(offsets), 1, 3, 2};
        tile.src_stride = {0, width, 8 * width, 100 * width};
        tile.dst_stride = {width, 0, bytes + gap, 3 * bytes + 4 * gap};
        tile.row_offset = offsets.data();
        for (const auto side :
             {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
          ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
        }
        ++checked;
      }
    }
  }
  const auto all =
      std::ranges::count(kernels(), KernelKind::gathered, &Kernel::kind);
  EXPECT_GE(checked, 5 * all);
}

// Rows of one to four lines in groups of 4 bytes, which lie in each plane of src as those
// of weights and of other loops do; whole lines of dst and not, to its end and src's.
TEST(Kernels, GroupsOfRows) {
  using Loops = std::vector<std::pair<std::int64_t, std::int64_t>>;
  struct Case {
    std::int64_t member;  // from row to row of a group, in elements
    Loops columns;
  };
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::grouped) continue;
    const std::int64_t width = kernel.element_bytes;
    const std::int64_t members = 4 / width;
    std::int64_t checked = 0;
    const std::vector<Case> cases = {{9, {{9, 1}, {3, 9 * members}}},
                                     {9, {{9, 1}, {16, 9 * members}}},
                                     {2, {{2, 1}, {4, 2 * members}}},
                                     {3, {{3, 1}, {5, 3 * members}}},
                                     {16, {{11, 1}}},
                                     {18, {{8, 1}}},
                                     {7, {{7, 1}, {2, 7 * members}}},
                                     {4, {{4, 1}}},
                                     {25, {{25, 1}}}};
    for (const auto& [member, columns] : cases) {
      const std::vector<std::int64_t> column_src = offsets_of(columns, width);
      const std::int64_t count = std::ssize(column_src);
      std::vector<std::int64_t> of_group;
      for (std::int64_t m = 0; m < members; ++m) {
        of_group.push_back(m * member * width);
      }
      if (!grouped_holds(kernel.block_columns, column_src, of_group, width)) {
        continue;
      }
      ++checked;
      for (const std::int64_t groups : {16, 32, 64}) {
        const std::int64_t rows = groups * members;
        const std::int64_t pitch = column_src.back() + members * member * width;
        for (const std::int64_t gap : {0, 5}) {
          std::vector<std::int64_t> row_offset;
          for (std::int64_t row = 0; row < rows; ++row) {
            row_offset.push_back(row / members * (pitch + gap) +
                                 row % members * member * width);
          }
          std::vector<std::int64_t> column_offset;
          for (std::int64_t j = 0; j < count; ++j) {
            column_offset.push_back((count - 1 - j) * rows * width);
          }
          Tile tile{};
          tile.count = {rows, count, 2, 3};
          tile.src_stride = {0, 0, 7 * width, 2 * groups * (pitch + gap)};
          const std::int64_t plane = rows * count * width + gap;
          tile.dst_stride = {width, 0, plane, 2 * plane};
          tile.row_offset = row_offset.data();
          tile.column_src = column_src.data();
          tile.column_offset = column_offset.data();
          for (const std::size_t slack : {0U, 16U, 5U}) {
            for (const auto side :
                 {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
              ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side, slack));
            }
          }
        }
      }
    }
    EXPECT_GE(checked, 6) << kernel.name;
  }
}

// Columns of one to four lines of groups, to runs of one part of some of these after the
// other.
TEST(Kernels, PartsOfGroups) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::ungrouped) continue;
    const std::int64_t width = kernel.element_bytes;
    const std::int64_t members = 4 / width;
    for (const std::int64_t run : {2, 3, 4, 9, 10, 16, 31}) {
      for (const std::int64_t runs : {1, 2, 4, 7, 28, 128}) {
        const std::int64_t groups = run * runs;
        const std::int64_t bytes = 4 * groups;
        if (groups < 16 || groups > most_groups || !ungroups(bytes, run)) {
          continue;
        }
        for (const std::int64_t columns : {16, 32, 64}) {
          for (const std::int64_t gap : {0, 12}) {
            const std::int64_t line = columns * 4 + gap;
            std::vector<std::int64_t> row_offset;
            for (std::int64_t row = 0; row < groups * members; ++row) {
              const std::int64_t group = row / run / members * run + row % run;
              row_offset.push_back((groups - 1 - group) * line +
                                   row / run % members * width);
            }
            Tile tile{};
            tile.count = {groups * members, columns, 2, 3};
            tile.src_stride = {0, 4, 8, groups * line};
            const std::int64_t plane = columns * (bytes + gap);
            tile.dst_stride = {width, bytes + gap, plane, 2 * plane};
            tile.row_offset = row_offset.data();
            for (const auto side :
                 {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
              ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
            }
          }
        }
      }
    }
  }
}

// Planes of one to some squares, whole ones and not, one after the other and with gaps.
TEST(Kernels, TransposesOfManySmallPlanes) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.element_bytes >= 16) {
      continue;
    }
    const std::int64_t line_rows = 64 / kernel.element_bytes;
    for (const std::int64_t rows :
         {line_rows, line_rows + 1, 2 * line_rows - 1, 2 * line_rows,
          4 * line_rows - 3, 4 * line_rows, 4 * line_rows + 1}) {
      for (const std::int64_t bytes : {8, 16, 24, 40, 64, 72, 120, 128, 136}) {
        const std::int64_t columns = bytes / kernel.element_bytes;
        for (const std::int64_t gap : {0, 1, 24}) {
          Tile tile = tile_of(kernel, rows, columns, gap, 0);
          tile.crowded_src = 0;
          tile.square_bytes = 0;
          ASSERT_NO_FATAL_FAILURE(check_small_planes(kernel, tile, gap));
        }
      }
    }
  }
}

// Rows of less than a line, to columns that follow each other in dst and not.
TEST(Kernels, ShortRowsOfPlanes) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::short_rows) continue;
    for (std::int64_t columns = 5; columns <= 32; ++columns) {
      for (const std::int64_t bytes : {8, 56, 64, 104, 256, 264, 320, 600}) {
        const std::int64_t rows = bytes / kernel.element_bytes;
        for (const std::int64_t gap : {0, 1, 64}) {
          Tile tile = tile_of(kernel, rows, columns, gap, 0);
          if (!suits(kernel, tile)) continue;
          if (gap == 64) tile.dst_stride[1] = (bytes + 63) / 64 * 64;
          // More than is put together before it streams.
          const std::int64_t planes = bytes < 256 ? 9 : 3;
          tile.count[2] = planes;
          tile.count[3] = 2;
          tile.src_stride[2] = rows * tile.src_stride[0] + columns % 2;
          tile.src_stride[3] = planes * tile.src_stride[2];
          tile.dst_stride[2] = columns * tile.dst_stride[1];
          tile.dst_stride[3] = planes * tile.dst_stride[2] + columns % 3;
          Tile apart = tile;
          apart.dst_stride[2] += 1 + bytes % 3;
          apart.dst_stride[3] = planes * apart.dst_stride[2];
          for (const Tile& some : {tile, apart}) {
            for (const std::size_t slack : {0U, 1U, 8U, 16U, 32U, 48U}) {
              const auto side = GuardedBytes::Against::back;
              ASSERT_NO_FATAL_FAILURE(check_both(kernel, some, side, slack));
            }
          }
        }
      }
    }
  }
}

// Blocks that follow each other stream wherever malloc puts them: at 16 bytes
// after a line, say.
TEST(Kernels, DenseColumnsStreamFromAnyAddress) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.stream == nullptr) {
      continue;
    }
    for (const std::int64_t bytes : {32, 64, 128, 256, 320, 512}) {
      const std::int64_t column = bytes / kernel.element_bytes;
      for (const std::int64_t zeros : {0, 1, 5}) {
        if (column <= zeros) continue;
        for (const std::int64_t columns : {1, 9, 64, 65, 66, 300}) {
          Tile tile = tile_of(kernel, column - zeros, columns, 0, zeros);
          if (columns == 65) {
            tile.count[2] = 2;
            tile.src_stride[2] = tile.count[0] * tile.src_stride[0];
            tile.dst_stride[2] = columns * tile.dst_stride[1];
          }
          tile.prefetch = columns % 4 == 0;
          tile.crowded_src = columns == 66 ? 16 : 0;
          for (const std::size_t slack : {0U, 1U, 8U, 16U, 32U, 48U}) {
            ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.stream, tile,
                                          GuardedBytes::Against::back, slack));
          }
        }
      }
    }
  }
}

// Columns that begin anywhere in a line stream in any number of calls: each writes
// the lines that begin in its rows, however few those are.
TEST(Kernels, MisalignedColumnsStreamByParts) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose || kernel.stream == nullptr ||
        kernel.element_bytes >= 16) {
      continue;
    }
    const std::int64_t line = 64 / kernel.element_bytes;
    const auto in_parts = [&](std::int64_t rows_at_once) {
      return [=](const Tile& tile) {
        for (std::int64_t row = 0; row < tile.count[0]; row += rows_at_once) {
          Tile part = tile;
          part.count[0] = std::min(rows_at_once, tile.count[0] - row);
          part.rows_before = row;
          part.rows_after = tile.count[0] - row - part.count[0];
          part.dst += row * tile.dst_stride[0];
          if (tile.row_offset != nullptr) {
            part.row_offset += row;
          } else {
            part.src += row * tile.src_stride[0];
          }
          kernel.stream(part);
        }
      };
    };
    for (const std::int64_t rows : {8 * line + 3, 9 * line, 14 * line - 1}) {
      for (const std::int64_t columns : {3, 5, 6, 11, 16, 19, 64, 65, 130}) {
        for (int flags = 0; flags < 8; ++flags) {
          const std::int64_t gap = (rows + columns + flags) % 70;
          Tile tile = tile_of(kernel, rows, columns, gap, 0);
          tile.misaligned = true;
          tile.crowded_src = (flags & 1) != 0 ? 16 : 0;
          const auto of_rows = offsets_back(rows, tile.src_stride[0]);
          const auto of_columns =
              offsets_back(columns, rows * kernel.element_bytes);
          if ((flags & 2) != 0) {
            tile.row_offset = of_rows.data();
            tile.row_reach = of_rows.front();
          }
          if ((flags & 4) != 0) tile.column_offset = of_columns.data();
          for (const std::int64_t at_once : {rows, 4 * line, line + 5}) {
            ASSERT_NO_FATAL_FAILURE(check(
                kernel, in_parts(at_once), tile, GuardedBytes::Against::back,
                static_cast<std::size_t>(columns % 7 * 8 + flags / 4)));
            ASSERT_NO_FATAL_FAILURE(check(kernel, in_parts(at_once), tile,
                                          GuardedBytes::Against::front));
          }
        }
      }
    }
  }
}

TEST(Kernels, WalkTheLoopsAroundATile) {
  for (const Kernel& kernel : kernels()) {
    for (const std::int64_t rows : {2, 4, 5, 16}) {
      for (const std::int64_t columns : {1, 3, 4, 8, 16, 33}) {
        Tile tile = tile_of(kernel, rows, columns, 0, 0);
        if (!suits(kernel, tile)) continue;
        const auto bytes = [&](const std::array<std::int64_t, 4>& stride) {
          return static_cast<std::int64_t>(
              extent(tile.count, stride, kernel.element_bytes));
        };
        const std::int64_t src = bytes(tile.src_stride);
        const std::int64_t dst = bytes(tile.dst_stride);
        tile.count[2] = 3;
        tile.count[3] = 2;
        tile.src_stride[2] = 2 * src;
        tile.src_stride[3] = src;
        tile.dst_stride[2] = dst + 5;
        tile.dst_stride[3] = 3 * dst + 16;
        const auto side = GuardedBytes::Against::back;
        ASSERT_NO_FATAL_FAILURE(check_both(kernel, tile, side));
      }
    }
  }
}

// Rows in a scattered order, which a table of offsets gives.
TEST(Kernels, TransposesTakeRowsFromATable) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.kind != KernelKind::transpose) continue;
    for (const std::int64_t rows : {3, 16, 17, 64, 100, 256}) {
      std::vector<std::int64_t> offsets;
      for (const std::int64_t columns : {1, 3, 5, 9, 15, 16, 31, 300}) {
        Tile tile = tile_of(kernel, rows, columns, 3, rows % 5);
        offsets.clear();
        for (std::int64_t i = 0; i < rows; ++i) {
          offsets.push_back((i * 7 + 3) % rows * tile.src_stride[0]);
        }
        tile.row_offset = offsets.data();
        tile.row_reach = std::ranges::max(offsets);
        for (const auto side :
             {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
          if (rows % 7 == 0) continue;  // not a permutation
          ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, tile, side));
          Tile near = tile;
          near.crowded_src = near.square_bytes = near.zeros = 0;
          near.prefetch = false;
          near.count[2] = 2;
          near.src_stride[2] = rows * near.src_stride[0];
          near.dst_stride[2] = columns * near.dst_stride[1];
          ASSERT_NO_FATAL_FAILURE(check(kernel, kernel.run, near, side));
          if (kernel.stream == nullptr) continue;
          Tile whole_lines = tile;
          whole_lines.dst_stride[1] = (tile.dst_stride[1] + 63) / 64 * 64;
          ASSERT_NO_FATAL_FAILURE(
              check(kernel, kernel.stream, whole_lines, side));
        }
      }
    }
  }
}

TEST(Kernels, TheTableHasEachKindAndWidthOnce) {
  std::set<std::string_view> names;
  for (const Kernel& kernel : kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_NE(find_kernel(kernel.kind, kernel.element_bytes), nullptr);
  }
  for (const std::int64_t width : {1, 2, 4, 8, 16, 32, 64}) {
    EXPECT_NE(find_kernel(KernelKind::transpose, width), nullptr);
  }
  for (const std::int64_t width : {1, 2, 4, 8, 16}) {
    EXPECT_NE(find_kernel(KernelKind::strided, width), nullptr);
  }
  EXPECT_EQ(find_kernel(KernelKind::transpose, 3), nullptr);
}

}  // namespace
}  // namespace stridewise
