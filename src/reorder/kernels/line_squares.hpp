// Squares of a transpose that take a line of each row: as many rows by as many
// columns as a line holds elements, all in registers. Included as transpose.hpp is.
//
// Rows are read once, by whole lines, so that it does not matter whether the L1
// cache could keep them; lanes are transposed before elements are (squares.hpp):
//
//   row 0    a0 b0 c0 d0              a0 a4 a8 a12
//   row 4    a4 b4 c4 d4      ->      b0 b4 b8 b12
//   row 8    a8 b8 c8 d8              c0 c4 c8 c12
//   row 12   a12 b12 c12 d12          d0 d4 d8 d12
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class LineSquares {
  using S = Squares<Vector, width, line>;
  using V = typename S::V;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t lanes = Vector::lanes;

 public:
  // Whether vectors are lines and the registers hold a square of them.
  static constexpr bool whole = S::vector_bytes == line && n <= 4;
  // Rows and columns of a square.
  static constexpr std::int64_t side = line / width;

  // Rows of whole squares and all columns, at least `side` of each. Returns the
  // row after them.
  static std::int64_t run(const Tile& tile) {
    const std::int64_t rows = tile.count[0] / side * side;
    if (tile.row_offset != nullptr) {
      by_rows(tile, rows, typename S::ByOffset{tile.src, tile.row_offset});
    } else {
      by_rows(tile, rows, typename S::ByPitch{tile.src, tile.src_stride[0]});
    }
    return rows;
  }

 private:
  template <class Rows>
  static void by_rows(const Tile& tile, std::int64_t rows, Rows from) {
    if (tile.column_offset != nullptr) {
      squares(from, rows, tile.dst, typename S::ByTable{tile.column_offset},
              tile.count[1], tile.squares);
    } else {
      squares(from, rows, tile.dst, typename S::ByStride{0, tile.dst_stride[1]},
              tile.count[1], tile.squares);
    }
  }

  // Two by two squares, since caches fetch lines in pairs; or, where columns crowd,
  // many after each other of the same columns.
  template <class Rows, class Columns>
  [[gnu::noinline]] static void squares(Rows from, std::int64_t rows,
                                        std::byte* dst, Columns columns,
                                        std::int64_t count,
                                        std::int64_t beside) {
    const std::int64_t tall = (beside == 2 ? 2 : 8) * side;
    const std::int64_t wide = beside * side;
    for (std::int64_t i = 0; i < rows; i += tall) {
      const std::int64_t end = std::min(i + tall, rows);
      for (std::int64_t j = 0; j < count; j += wide) {
        for (std::int64_t row = i; row < end; row += side) {
          const Rows square_rows = from.from(row);
          for (std::int64_t k = j; k < std::min(j + wide, count); k += side) {
            const std::int64_t at = std::min(k, count - side);
            square(square_rows.at(at * width), dst + row * width,
                   columns.from(at));
          }
        }
      }
    }
  }

  template <class Rows, class Columns>
  [[gnu::always_inline]] static void square(Rows from, std::byte* dst,
                                            Columns columns) {
    if constexpr (whole) {
      in_registers(from, dst, columns);
    } else {
      for (std::int64_t j = 0; j < side; j += n) {
        S::template square<Put::cached>(from.at(j * width), S::parts, dst,
                                        columns.from(j));
      }
    }
  }

  template <class Rows, class Columns>
  [[gnu::always_inline]] static void in_registers(Rows from, std::byte* dst,
                                                  Columns columns) {
    // Vector [c][i]: rows i, i + n ... of the columns of lane c.
    V v[lanes][n];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < n; ++i) {
      V row[lanes];
#pragma GCC unroll 4
      for (std::int64_t l = 0; l < lanes; ++l) {
        row[l] = Vector::load(from.row(l * n + i));
      }
      Vector::transpose_lanes(row);
#pragma GCC unroll 4
      for (std::int64_t c = 0; c < lanes; ++c) v[c][i] = row[c];
    }
#pragma GCC unroll 4
    for (std::int64_t c = 0; c < lanes; ++c) {
      S::transpose_lanes(v[c]);
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < n; ++k) {
        Vector::store(dst + columns.at(c * n + k), v[c][k]);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
