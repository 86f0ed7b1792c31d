// Columns of at most 32 bytes by squares. Included as transpose.hpp is.
//
// Where vectors are longer than columns, squares lie side by side in their lanes:
//
//   rows 0..n-1, columns 0..n-1        columns n..2n-1
//   a0 a1 a2 a3                        a4 a5 a6 a7        a0 b0 c0 *
//   b0 b1 b2 b3                        b4 b5 b6 b7   ->            a1 b1 c1 *
//   c0 c1 c2 c3                        c4 c5 c6 c7                          ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "reorder/kernels/short_columns.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// Columns of at most so many lanes.
template <class Vector, int width, int column_lanes>
class SquareColumns {
  using S = Squares<Vector, width, 16 * Vector::lanes>;
  using V = typename Vector::type;
  static constexpr int n = S::n;
  // Vectors of a column.
  static constexpr int parts =
      std::max<int>(column_lanes / static_cast<int>(Vector::lanes), 1);
  static constexpr int lanes = column_lanes / parts;

 public:
  static constexpr int squares = static_cast<int>(Vector::lanes) / lanes;
  static constexpr std::int64_t rows = column_lanes * n;
  static constexpr std::int64_t step = n * squares;
  static constexpr std::int64_t beyond = line;
  static constexpr std::int64_t most_bytes = 16 * column_lanes;  // of a column

  // The last vectors of columns first: what they write of the next columns is
  // those columns' first vectors'.
  [[gnu::always_inline]] void put(const std::byte* src, const std::int64_t* row,
                                  std::byte* dst, std::int64_t bytes) const {
#pragma GCC unroll 4
    for (int part = parts - 1; part >= 0; --part) {
      V v[n];
      load(src, row + part * lanes * n, v);
      S::transpose_lanes(v);
      std::byte* to = dst + 16 * lanes * part;
#pragma GCC unroll 4
      for (int square = 0; square < squares; ++square) {
#pragma GCC unroll 16
        for (int k = 0; k < n; ++k) {
          Vector::template store_some<lanes>(to, v[k], square);
          to += bytes;
        }
      }
    }
  }

 private:
  [[gnu::always_inline]] static void load(const std::byte* src,
                                          const std::int64_t* row, V* v) {
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) {
      if constexpr (lanes == 1) {
        v[i] = Vector::load(src + row[i]);
      } else {
        v[i] = Vector::gather([=](std::int64_t lane) {
          return src + row[lane % lanes * n + i] + lane / lanes * 16;
        });
      }
    }
  }
};

// Of columns of less than 32 bytes.
template <class Wide, int width>
class ShortColumnsBySquares {
 public:
  static constexpr std::int64_t most_short = 31;

  static void run(const Tile& tile) { dispatch<false>(tile); }
  static void stream(const Tile& tile) { dispatch<true>(tile); }

 private:
  template <bool streams>
  static void dispatch(const Tile& tile) {
    tile.dst_stride[1] <= 16 ? columns<Wide, streams, 1>(tile)
                             : columns<Wide, streams, 2>(tile);
  }
  // By the longest vectors that rows fill.
  template <class Vector, bool streams, int lanes>
  static void columns(const Tile& tile) {
    using Columns = SquareColumns<Vector, width, lanes>;
    using Half = std::conditional_t<(Vector::lanes > 2), typename Vector::Half,
                                    Vector128>;
    if constexpr (Columns::squares > 1) {
      if (tile.count[1] < Columns::step) {
        return columns<Half, streams, lanes>(tile);
      }
    }
    ShortColumns<Vector, streams>::run(tile, maker_of<width>(Columns()));
  }
};

}  // namespace
}  // namespace stridewise
