// Squares of a transpose that write whole lines of columns and take all or half of
// a line of each row, in registers where those hold that. Included as transpose.hpp
// is.
//
// Rows that begin with a line are then read once, so that it does not matter
// whether the L1 cache could keep them. Elements are transposed within lanes
// (squares.hpp) and, before that or after, lanes:
//
//   row 0    a0 b0 c0 d0              a0 a4 a8 a12
//   row 4    a4 b4 c4 d4      ->      b0 b4 b8 b12
//   row 8    a8 b8 c8 d8              c0 c4 c8 c12
//   row 12   a12 b12 c12 d12          d0 d4 d8 d12
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/out_of_order.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// The same, but not before it is used: 16 columns' places would leave registers.
template <class Columns>
[[gnu::always_inline]] inline Columns anew(Columns columns) {
  asm volatile("" : "+m"(columns));
  return columns;
}

template <class Vector, int width>
class LineSquares {
  using S = Squares<Vector, width, line>;
  using V = typename S::V;
  static constexpr std::int64_t n = S::n;
  static constexpr int lanes = Vector::lanes;
  // Bytes of each row that prefetches run ahead.
  static constexpr std::int64_t ahead = 256;
  // Lanes of each row that the registers hold at once.
  static constexpr int most_taken = n <= 4 ? 4 : 2;

 public:
  // Whether vectors are lines, so that registers take `most_taken` lanes of each row
  // of a square; else a square goes lane by lane, which only its order makes better.
  static constexpr bool whole = S::vector_bytes == line;
  // Rows of a square.
  static constexpr std::int64_t side = line / width;

  static bool suits(const Tile& tile) {
    const bool ordered =
        whole && (tile.square_order == SquareOrder::along_rows ||
                  tile.square_order == SquareOrder::down_columns);
    const bool by_bytes = (whole || tile.squares_of_parts) &&
                          tile.square_bytes >= (whole ? line / 2 : line);
    return (ordered || by_bytes) &&
           std::min(tile.count[0], tile.count[1]) >= side;
  }

  // Rows of whole squares and all columns. Returns the row after them.
  [[gnu::noinline]] static std::int64_t run(const Tile& tile) {
    const std::int64_t rows = tile.count[0] / side * side;
    if (tile.row_offset != nullptr) {
      by_rows(tile, rows, typename S::ByOffset{tile.src, tile.row_offset});
    } else {
      by_rows(tile, rows, typename S::ByPitch{tile.src, tile.src_stride[0]});
    }
    return rows;
  }

  // A square of rows that are whole lines, of 4 and 8 bytes. Elements are transposed before
  // lanes are: rows are loaded in their order, and few at once.
  template <class Rows, class Columns>
  [[gnu::always_inline]] static void whole_lines(Rows from, std::byte* dst,
                                                 Columns columns) {
    static_assert(whole && n <= 4);
    // Vector [g][k]: of every n columns the k-th, rows from g * n on.
    V v[lanes][n];
#pragma GCC unroll 4
    for (std::int64_t g = 0; g < lanes; ++g) {
#pragma GCC unroll 4
      for (std::int64_t i = 0; i < n; ++i) {
        v[g][i] = Vector::load(from.row(g * n + i));
      }
    }
#pragma GCC unroll 4
    for (std::int64_t g = 0; g < lanes; ++g) S::transpose_lanes(v[g]);
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < n; ++k) {
      V column[lanes];
#pragma GCC unroll 4
      for (std::int64_t g = 0; g < lanes; ++g) column[g] = v[g][k];
      Vector::transpose_lanes(column);
#pragma GCC unroll 4
      for (std::int64_t l = 0; l < lanes; ++l) {
        Vector::store(dst + columns.at(l * n + k), column[l]);
      }
    }
  }

 private:
  template <class Rows>
  static void by_rows(const Tile& tile, std::int64_t rows, Rows from) {
    if (tile.column_offset != nullptr) {
      by_columns(tile, rows, from, typename S::ByTable{tile.column_offset});
    } else {
      by_columns(tile, rows, from, typename S::ByStride{0, tile.dst_stride[1]});
    }
  }
  template <class Rows, class Columns>
  static void by_columns(const Tile& tile, std::int64_t rows, Rows from,
                         Columns columns) {
    if constexpr (!whole) {
      squares<side / n>(tile, rows, from, columns);
    } else if (tile.square_order != SquareOrder::blocks) {
      tile.square_order == SquareOrder::along_rows
          ? along_rows(tile, rows, from, columns)
          : down_columns(tile, rows, from, columns);
    } else if (most_taken == 4 && tile.square_bytes < line) {
      squares<2>(tile, rows, from, columns);
    } else {
      squares<most_taken>(tile, rows, from, columns);
    }
  }

  // Columns of a square that registers hold, out of order.
  static constexpr std::int64_t held = most_taken * n;

  template <class Rows, class Columns>
  [[gnu::noinline]] static void along_rows(const Tile& tile, std::int64_t rows,
                                           Rows from, Columns columns) {
    const std::int64_t squares = tile.count[1] / held;
    const std::int64_t last = tile.count[1] - held;
    for (std::int64_t row = 0; row < rows; row += side) {
      const Rows of_square = from.from(row);
      std::byte* const to = tile.dst + row * width;
      for (std::int64_t k = 0; k < squares; ++k) {
        const std::int64_t at = out_of_order(k, squares) * held;
        square<most_taken>(of_square.at(at * width), to, columns.from(at));
      }
      if (squares * held < tile.count[1]) {
        square<most_taken>(of_square.at(last * width), to, columns.from(last));
      }
    }
  }

  template <class Rows, class Columns>
  [[gnu::noinline]] static void down_columns(const Tile& tile,
                                             std::int64_t rows, Rows from,
                                             Columns columns) {
    const std::int64_t squares = rows / side;
    const std::int64_t last = tile.count[1] - held;
    for (std::int64_t j = 0; j < tile.count[1]; j += held) {
      const std::int64_t at = std::min(j, last);
      const Rows of_columns = from.at(at * width);
      for (std::int64_t k = 0; k < squares; ++k) {
        const std::int64_t row = out_of_order(k, squares) * side;
        square<most_taken>(of_columns.from(row), tile.dst + row * width,
                           anew(columns.from(at)));
      }
    }
  }

  // Two lines of two times the rows of a square, since caches fetch lines in
  // pairs; or, where columns crowd, fewer columns of more rows.
  template <int taken, class Rows, class Columns>
  [[gnu::noinline]] static void squares(const Tile& tile, std::int64_t rows,
                                        Rows from, Columns columns) {
    const std::int64_t count = tile.count[1];
    // Of bytes, half a line of each row is no faster than strips.
    constexpr std::int64_t least = width == 1 ? side : 1;
    const std::int64_t wide = std::max(tile.square_bytes / width, least);
    const std::int64_t tall = (tile.square_bytes > line ? 2 : 8) * side;
    for (std::int64_t i = 0; i < rows; i += tall) {
      const std::int64_t end = std::min(i + tall, rows);
      for (std::int64_t j = 0; j < count; j += wide) {
        for (std::int64_t row = i; row < end; row += side) {
          const Rows of_square = from.from(row);
          for (std::int64_t k = j; k < std::min(j + wide, count);
               k += taken * n) {
            const std::int64_t at = std::min(k, count - taken * n);
            if (tile.prefetch) {
              // Where rows end, what is read next are others, or the next call's; blocks
              // of columns say themselves what is.
              const std::int64_t byte = at * width + ahead;
              const Rows next =
                  tile.rows_go_on ? of_square.at(at * width + tile.next_src)
                  : byte < count * width ? of_square.at(byte)
                  : row + tall < rows    ? from.from(row + tall)
                                         : from.from(row - i).at(tile.next_src);
#pragma GCC unroll 16
              for (std::int64_t r = 0; r < side; ++r) {
                __builtin_prefetch(next.row(r), 0, 2);
              }
            }
            square<taken>(of_square.at(at * width), tile.dst + row * width,
                          columns.from(at));
          }
        }
      }
    }
  }

  // `taken` lanes of each row.
  template <int taken, class Rows, class Columns>
  [[gnu::always_inline]] static void square(Rows from, std::byte* dst,
                                            Columns columns) {
    if constexpr (whole) {
      in_registers<taken>(from, dst, columns);
    } else {
      for (std::int64_t j = 0; j < taken * n; j += n) {
        S::template square<Put::cached>(from.at(j * width), S::parts, dst,
                                        columns.from(j));
      }
    }
  }

  template <int taken, class Rows, class Columns>
  [[gnu::always_inline]] static void in_registers(Rows from, std::byte* dst,
                                                  Columns columns) {
    if constexpr (taken == lanes) {
      whole_lines(from, dst, columns);
    } else {
      half_lines(from, dst, columns);
    }
  }

  template <class Rows, class Columns>
  [[gnu::always_inline]] static void half_lines(Rows from, std::byte* dst,
                                                Columns columns) {
    // Vector [c][i]: rows i, i + n ... of the columns of lane c.
    V v[2][n];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i) {
      V row[2];
      Vector::unzip_lanes(
          Vector::join(from.row(i), from.row(n + i)),
          Vector::join(from.row(2 * n + i), from.row(3 * n + i)), row);
      v[0][i] = row[0];
      v[1][i] = row[1];
    }
#pragma GCC unroll 2
    for (int c = 0; c < 2; ++c) {
      S::transpose_lanes(v[c]);
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < n; ++k) {
        Vector::store(dst + columns.at(c * n + k), v[c][k]);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
