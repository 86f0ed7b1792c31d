// Columns of a few rows and then zeros, by permutations of bytes across whole
// vectors. Included as transpose.hpp is.
//
// A vector of each row holds some lines' worth of columns. What a line takes of them
// lies so much further on than what the line before took:
//
//   rows a, b of bytes, columns of 16:
//   a0 b0 0 .. 0  a1 b1 0 .. 0  a2 b2 0 .. 0  a3 b3 0 .. 0
//   a4 b4 0 .. 0  a5 b5 0 .. 0  ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/short_columns.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Of `row_count` rows, `column` bytes a column.
template <class Vector, int width, int row_count, int column, bool streams>
class PaddedColumns {
  using V = typename Vector::type;
  static constexpr int of_line = 64 / column;  // columns

 public:
  static constexpr std::int64_t rows = row_count;
  static constexpr std::int64_t step = 64 / width;
  static constexpr std::int64_t beyond = 0;
  static constexpr std::int64_t most_bytes = column;

  [[gnu::always_inline]] void put(const std::byte* src, const std::int64_t* row,
                                  std::byte* dst,
                                  std::int64_t /*bytes*/) const {
    V in[row_count];
#pragma GCC unroll 4
    for (int i = 0; i < row_count; ++i) in[i] = Vector::load(src + row[i]);
    V from = Vector::load(reinterpret_cast<const std::byte*>(first.data()));
    const V next = Vector::repeat(of_line * width);
#pragma GCC unroll 1
    for (int l = 0; l < step / of_line; ++l) {
      V out = Vector::take_bytes(of_row[0], from, in[0]);
#pragma GCC unroll 4
      for (int i = 1; i < row_count; ++i) {
        out = Vector::insert_bytes(out, of_row[i], from, in[i]);
      }
      if constexpr (streams) {
        Vector::stream(dst + l * line, out);
      } else {
        Vector::store(dst + l * line, out);
      }
      from = Vector::add_bytes(from, next);
    }
  }

 private:
  // Which byte of its row each byte of the first line is.
  static constexpr LaneMask<64> first = [] {
    LaneMask<64> from{};
    for (int q = 0; q < 64; ++q) {
      from[static_cast<std::size_t>(q)] =
          static_cast<std::uint8_t>(q / column * width + q % width);
    }
    return from;
  }();
  // The bytes of a line that are of each row.
  static constexpr std::array<std::uint64_t, row_count> of_row = [] {
    std::array<std::uint64_t, row_count> of{};
    for (int q = 0; q < 64; ++q) {
      const int row = q % column / width;
      if (row < row_count) {
        of[static_cast<std::size_t>(row)] |= std::uint64_t{1} << q;
      }
    }
    return of;
  }();
};

template <class Vector, int width>
class PaddedColumnsByPermutation {
 public:
  static void run(const Tile& tile) { by_rows<false>(tile); }
  static void stream(const Tile& tile) { by_rows<true>(tile); }

 private:
  template <bool streams, int rows = 1>
  static void by_rows(const Tile& tile) {
    if constexpr (rows < 4 && (rows + 1) * width < 64) {
      if (tile.count[0] > rows) return by_rows<streams, rows + 1>(tile);
    }
    switch (tile.dst_stride[1]) {
      case 16:
        return columns<streams, rows, 16>(tile);
      case 32:
        return columns<streams, rows, 32>(tile);
      default:
        return columns<streams, rows, 64>(tile);
    }
  }
  // Whether every plane begins and ends with a line.
  static bool whole_lines(const Tile& tile) {
    return planes_aligned(tile, line) &&
           tile.count[1] * tile.dst_stride[1] % line == 0;
  }
  template <bool streams, int rows, int column>
  static void columns(const Tile& tile) {
    if constexpr (rows * width < column) {
      if constexpr (streams) {
        using Lines = PaddedColumns<Vector, width, rows, column, true>;
        if (tile.count[1] >= Lines::step && whole_lines(tile)) {
          return ShortColumns<Vector, false>::run(tile,
                                                  maker_of<width>(Lines()));
        }
      }
      using Columns = PaddedColumns<Vector, width, rows, column, false>;
      ShortColumns<Vector, streams>::run(tile, maker_of<width>(Columns()));
    }
  }
};

}  // namespace
}  // namespace stridewise
