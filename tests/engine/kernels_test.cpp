// Every kernel of every instruction set that this machine has, against plain loops: all
// edges of its squares, pitches that are no multiple of anything, rows and columns by
// tables, planes, dst anywhere in a line, and forbidden pages on both sides.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "engine/kernels/tile.hpp"
#include "support/guarded.hpp"

namespace stridewise::engine {
namespace {

using stridewise::testing::GuardedBytes;

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) {
    for (const Kernel& kernel : kernels_of(static_cast<Isa>(isa))) {
      all.push_back(kernel);
    }
  }
  return all;
}

std::int64_t row_of(const Tile& tile, std::int64_t row) {
  return tile.row_at != nullptr ? tile.row_at[row] : row * tile.row_pitch;
}
std::int64_t column_of(const Tile& tile, std::int64_t column) {
  return tile.column_at != nullptr ? tile.column_at[column]
                                   : column * tile.column_pitch;
}

// One plane, by the definition of each kind.
void reference(const Kernel& kernel, const Tile& tile, const std::byte* src,
               std::byte* dst) {
  const auto width = static_cast<std::size_t>(kernel.element_bytes);
  if (of_runs(kernel.kind)) {
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      std::byte* const to = dst + r * tile.column_pitch;
      if (kernel.kind == Kind::fill) {
        std::memset(to, 0, static_cast<std::size_t>(tile.columns));
        continue;
      }
      std::memcpy(to, src + r * tile.row_pitch,
                  static_cast<std::size_t>(tile.columns));
      std::memset(to + tile.columns, 0, static_cast<std::size_t>(tile.zeros));
    }
    return;
  }
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    for (std::int64_t r = 0; r < tile.rows + tile.zeros; ++r) {
      std::byte* const to = dst + column_of(tile, c) + r * kernel.element_bytes;
      if (r >= tile.rows) {
        std::memset(to, 0, width);
      } else {
        std::memcpy(to, src + row_of(tile, r) + c * kernel.element_bytes,
                    width);
      }
    }
  }
}

// Bytes from the first to the last that a tile reaches on each side.
struct Reach {
  std::int64_t src = 0;
  std::int64_t dst = 0;
};
Reach reach_of(const Kernel& kernel, const Tile& tile) {
  const std::int64_t width = kernel.element_bytes;
  const bool runs = of_runs(kernel.kind);
  Reach reach;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    reach.src = std::max(reach.src, row_of(tile, r) + tile.columns * width);
  }
  const std::int64_t columns = runs ? tile.rows : tile.columns;
  const std::int64_t column =
      runs ? tile.columns + tile.zeros : (tile.rows + tile.zeros) * width;
  for (std::int64_t c = 0; c < columns; ++c) {
    reach.dst = std::max(reach.dst, column_of(tile, c) + column);
  }
  for (const Loop& loop : tile.planes) {
    reach.src += (loop.count - 1) * loop.src;
    reach.dst += (loop.count - 1) * loop.dst;
  }
  return reach;
}

using Run = void (*)(const Tile&, const Hints&);

// `slack`: bytes of dst before and after what is written.
void check(const Kernel& kernel, Run run, Tile tile, const Hints& hints,
           GuardedBytes::Against side, std::int64_t slack) {
  if (run == nullptr) return;
  const Reach reach = reach_of(kernel, tile);
  const GuardedBytes src(static_cast<std::size_t>(reach.src), side);
  const GuardedBytes dst(static_cast<std::size_t>(reach.dst + slack), side);
  std::uint8_t next = 1;
  for (std::byte& byte : src.bytes()) byte = static_cast<std::byte>(next += 73);
  std::ranges::fill(dst.bytes(), std::byte{0xee});
  std::vector<std::byte> expected(dst.bytes().begin(), dst.bytes().end());
  const auto& planes = tile.planes;
  for (std::int64_t b = 0; b < planes[1].count; ++b) {
    for (std::int64_t a = 0; a < planes[0].count; ++a) {
      reference(
          kernel, tile, src.data() + a * planes[0].src + b * planes[1].src,
          expected.data() + slack + a * planes[0].dst + b * planes[1].dst);
    }
  }
  tile.src = src.data();
  tile.src_end = src.data() + reach.src;
  tile.dst = dst.data() + slack;
  run(tile, hints);
  stream_fence();
  ASSERT_TRUE(std::ranges::equal(expected, dst.bytes()))
      << kernel_name(kernel) << " " << tile.rows << "+" << tile.zeros << " x "
      << tile.columns << ", pitches " << tile.row_pitch << " "
      << tile.column_pitch << ", slack " << slack
      << (run == kernel.stream ? ", streaming" : "");
}

void check_all_ways(const Kernel& kernel, const Tile& tile) {
  std::int64_t which = tile.rows + tile.columns;
  for (const Run run : {kernel.run, kernel.stream}) {
    for (const auto side :
         {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
      const Hints hints{.ahead = which % 3 * 256,
                        .strips = 1 + which % 4,
                        .whole_lines = which % 2 == 0};
      ASSERT_NO_FATAL_FAILURE(
          check(kernel, run, tile, hints, side, which % 5 == 0 ? 0 : 64));
      ASSERT_NO_FATAL_FAILURE(
          check(kernel, run, tile, hints, side, which * 7 % 64));
      ++which;
    }
  }
}

// A tile with so many bytes between rows of src and between columns of dst.
Tile tile_of(const Kernel& kernel, std::int64_t rows, std::int64_t columns,
             std::int64_t zeros, std::int64_t gap) {
  Tile tile;
  tile.rows = rows;
  tile.columns = columns;
  tile.zeros = zeros;
  tile.row_pitch = columns * kernel.element_bytes + gap;
  tile.column_pitch = of_runs(kernel.kind)
                          ? columns + zeros + gap
                          : (rows + zeros) * kernel.element_bytes + gap;
  return tile;
}

// Two times three of a tile, with gaps.
Tile with_planes(const Kernel& kernel, Tile tile) {
  const Reach one = reach_of(kernel, tile);
  tile.planes[0] = {3, one.src + 5, one.dst};
  tile.planes[1] = {2, 3 * (one.src + 5), 3 * one.dst + 16};
  return tile;
}

// Around squares of each width, and of lines.
std::vector<std::int64_t> edges() {
  std::vector<std::int64_t> counts;
  for (std::int64_t n = 1; n <= 21; ++n) counts.push_back(n);
  for (const std::int64_t n : {31, 32, 33, 47, 48, 63, 64, 65, 80, 129}) {
    counts.push_back(n);
  }
  return counts;
}

TEST(Kernels, TransposesAtEveryEdge) {
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.kind != Kind::transpose) continue;
    for (const std::int64_t rows : edges()) {
      for (const std::int64_t columns : edges()) {
        const std::int64_t zeros = (rows + columns) % 3 == 0 ? columns % 9 : 0;
        for (const std::int64_t gap : {0, 3, 64}) {
          const bool dense = gap == 0;
          if ((rows + zeros) * kernel.element_bytes < 16 && !dense) continue;
          const Tile tile = tile_of(kernel, rows, columns, zeros, gap);
          ASSERT_NO_FATAL_FAILURE(check_all_ways(kernel, tile));
        }
      }
    }
  }
}

TEST(Kernels, TransposesOfPlanes) {
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.kind != Kind::transpose) continue;
    for (const std::int64_t rows : {2, 3, 4, 7, 8, 16, 17, 32, 64, 100}) {
      for (const std::int64_t columns : {1, 3, 4, 9, 16, 49}) {
        const Tile tile = tile_of(kernel, rows, columns, 0, 0);
        ASSERT_NO_FATAL_FAILURE(
            check_all_ways(kernel, with_planes(kernel, tile)));
      }
    }
  }
}

// Rows and columns in a scattered order.
TEST(Kernels, TransposesByTables) {
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.kind != Kind::transpose) continue;
    for (const std::int64_t rows : {16, 17, 33, 64, 100}) {
      for (const std::int64_t columns : {1, 3, 5, 16, 31, 64}) {
        const Tile plain = tile_of(kernel, rows, columns, rows % 5, 0);
        std::vector<std::int64_t> row_at, column_at;
        for (std::int64_t r = 0; r < rows; ++r) {
          row_at.push_back((rows - 1 - r) * plain.row_pitch);
        }
        for (std::int64_t c = 0; c < columns; ++c) {
          column_at.push_back((columns - 1 - c) * (plain.column_pitch + 16));
        }
        Tile tile = plain;
        tile.row_at = row_at.data();
        ASSERT_NO_FATAL_FAILURE(check_all_ways(kernel, tile));
        tile.column_at = column_at.data();
        ASSERT_NO_FATAL_FAILURE(check_all_ways(kernel, tile));
      }
    }
  }
}

TEST(Kernels, ZipsAndUnzips) {
  for (const Kernel& kernel : all_kernels()) {
    const bool zips = kernel.kind == Kind::zip;
    if (!zips && kernel.kind != Kind::unzip) continue;
    for (const std::int64_t few : {2, 4, 8}) {
      if (few * kernel.element_bytes >= 16) continue;
      for (std::int64_t many = 16; many <= 300; many += many < 70 ? 1 : 37) {
        for (std::int64_t rest = 0; rest < few; ++rest) {
          // Of zips the rest are zeros; of unzips, columns that are not taken.
          Tile tile = zips ? tile_of(kernel, few - rest, many, rest, 0)
                           : tile_of(kernel, many, few - rest, 0, 0);
          if (zips) tile.row_pitch += many % 4;
          if (!zips) {
            tile.row_pitch = few * kernel.element_bytes;
            tile.column_pitch += many % 3 * 16;
          }
          ASSERT_NO_FATAL_FAILURE(check_all_ways(kernel, tile));
          if (many % 8 == 0) {
            ASSERT_NO_FATAL_FAILURE(
                check_all_ways(kernel, with_planes(kernel, tile)));
          }
        }
      }
    }
  }
}

TEST(Kernels, RunsOfEveryLength) {
  for (const Kernel& kernel : all_kernels()) {
    if (!of_runs(kernel.kind)) continue;
    std::vector<std::int64_t> lengths;
    for (std::int64_t n = 1; n <= 140; ++n) lengths.push_back(n);
    for (const std::int64_t n : {191, 192, 256, 511, 513, 2047, 2049, 5000}) {
      lengths.push_back(n);
    }
    for (const std::int64_t bytes : lengths) {
      for (const std::int64_t zeros : {0, 1, 5, 60, 200}) {
        if (kernel.kind == Kind::fill && zeros > 0) continue;
        for (const std::int64_t rows : {1, 2, 5, 17}) {
          Tile tile = tile_of(kernel, rows, bytes, zeros, bytes % 3 * 8);
          if (kernel.kind == Kind::fill) tile.row_pitch = 0;
          ASSERT_NO_FATAL_FAILURE(check_all_ways(kernel, tile));
          if (bytes % 4 == 0) {
            ASSERT_NO_FATAL_FAILURE(
                check_all_ways(kernel, with_planes(kernel, tile)));
          }
        }
      }
    }
  }
}

TEST(Kernels, TheTableHasEachKindAndWidthOnce) {
  std::set<std::string> names;
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_TRUE(names.insert(kernel_name(kernel)).second);
    EXPECT_NE(find_kernel(kernel.kind, kernel.element_bytes, best_isa()),
              nullptr);
  }
  for (const std::int64_t width : {1, 2, 4, 8, 16, 32}) {
    EXPECT_NE(find_kernel(Kind::transpose, width, best_isa()), nullptr);
  }
  for (const Kind kind : {Kind::copy, Kind::fill}) {
    EXPECT_NE(find_kernel(kind, 1, best_isa()), nullptr);
  }
  EXPECT_EQ(find_kernel(Kind::transpose, 3, best_isa()), nullptr);
}

}  // namespace
}  // namespace stridewise::engine
