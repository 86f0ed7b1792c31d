// Transposes: strips of rows by squares. Included by the file of an instruction set alone.
//
// A strip is as many rows as fill a line of dst, or half of one, or a lane. It is taken
// from its first column to its last, some strips by turns. What is left of rows or columns
// is done by a strip or a square that reaches back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>

#include "engine/kernels/strips.hpp"
#include "engine/kernels/walk.hpp"

namespace stridewise::engine {
namespace {

// Wide and Half are the vectors of a line and of half a line, or of less where there are
// no such.
template <class Wide, class Half, int width>
class Transpose {
  static constexpr std::int64_t n = width < 16 ? 16 / width : 1;  // of a lane
  using Line = Squares<Wide, width, 64>;

 public:
  static void run(const Tile& tile, const Hints& hints) {
    planes<false>(tile, hints);
  }
  // As run() where columns are no whole lines of dst.
  static void stream(const Tile& tile, const Hints& hints) {
    const std::int64_t bytes = (tile.rows + tile.zeros) * width;
    const bool dense = (bytes == 16 || bytes == 32) &&
                       tile.column_at == nullptr && tile.column_pitch == bytes;
    const bool lines = bytes % line_bytes == 0 || tile.columns < n;
    dense || (lines && columns_aligned(tile)) ? planes<true>(tile, hints)
                                              : planes<false>(tile, hints);
  }

 private:
  static bool columns_aligned(const Tile& tile) {
    std::int64_t bits = dst_bits(tile);
    if (tile.column_at == nullptr) {
      bits |= tile.column_pitch;
    } else {
      for (std::int64_t j = 0; j < tile.columns; ++j) bits |= tile.column_at[j];
    }
    return bits % line_bytes == 0;
  }

  // The innermost planes are the strips' own loop.
  template <bool streams>
  static void planes(const Tile& tile, const Hints& hints) {
    Tile outer = tile;
    outer.planes = {tile.planes[1], tile.planes[2], tile.planes[3], Loop{}};
    Tile inner = tile;
    each_plane(outer, [&](const std::byte* src, std::byte* dst) {
      inner.src = src;
      inner.dst = dst;
      if constexpr (n > 1) {
        if (inner.columns < n) return few_columns<streams>(inner);
        const std::int64_t bytes = (inner.rows + inner.zeros) * width;
        if (inner.rows * width <= 16 && bytes >= 32) {
          // Others than lines may begin anywhere in one.
          return bytes % line_bytes == 0 ? padded<streams>(inner, bytes)
                                         : padded<false>(inner, bytes);
        }
      }
      strips<streams>(inner, hints);
    });
  }

  // A lane of each column, and zeros after it.
  template <bool streams>
  static void padded(const Tile& tile, std::int64_t bytes) {
    constexpr std::int64_t vector_bytes = 16 * Wide::lanes;
    const bool whole = bytes % vector_bytes == 0;
    Tile plane = tile;
    for (std::int64_t k = 0; k < tile.planes[0].count; ++k) {
      RowsOrZeros::Row rows[n];
      RowsOrZeros::set(plane, plane.src, 0, n, rows);
      for (std::int64_t j = 0; j < tile.columns; j += n) {
        const std::int64_t at = std::min(j, tile.columns - n);
        Squares<Vector128, width, 16>::each(
            RowsOrZeros{rows, at * width},
            [&](std::int64_t i, std::int64_t /*byte*/, Vector128::type v)
                __attribute__((always_inline)) {
                  std::byte* const to = column(plane, at + i);
                  whole ? lane_and_zeros<Wide, streams>(to, v, bytes)
                        : lane_and_zeros<Vector128, false>(to, v, bytes);
                });
      }
      plane.src += tile.planes[0].src;
      plane.dst += tile.planes[0].dst;
    }
  }
  // At least two lanes; the last vector reaches back.
  template <class Vector, bool streams>
  [[gnu::always_inline]] static void lane_and_zeros(std::byte* to,
                                                    Vector128::type v,
                                                    std::int64_t bytes) {
    constexpr std::int64_t unit = 16 * Vector::lanes;
    put<Vector, streams>(to, Vector::with_zeros(v));
    for (std::int64_t at = unit; at < bytes; at += unit) {
      put<Vector, streams>(to + std::min(at, bytes - unit), Vector::zero());
    }
  }

  // By strips of a line, then of less. Those that stream do not overlap.
  template <bool streams>
  static void strips(const Tile& tile, const Hints& hints) {
    const std::int64_t all = tile.rows + tile.zeros;
    if (all < Line::rows) {
      const std::int64_t row = parts<streams, Half, 32>(tile, 0, hints);
      if constexpr (width <= 16) {
        parts<streams, Vector128, 16>(tile, row, hints);
      }
      return;
    }
    if constexpr (LineSquares<Wide, width>::exists) {
      if (hints.whole_lines && tile.columns >= Line::rows) {
        return lines<streams, LineSquares<Wide, width>>(tile, hints);
      }
    }
    lines<streams, Line>(tile, hints);
  }

  template <bool streams, class Square>
  static void lines(const Tile& tile, const Hints& hints) {
    const std::int64_t all = tile.rows + tile.zeros;
    const std::int64_t most = std::max<std::int64_t>(hints.strips, 1);
    std::int64_t row = 0;
    while (all - row >= Square::rows) {
      const std::int64_t count = std::min(most, (all - row) / Square::rows);
      strip<streams, Wide, Square>(tile, row, count, hints);
      row += count * Square::rows;
    }
    // The rest by the shortest strip that holds it.
    const std::int64_t left = (all - row) * width;
    if (left > 32) {
      strip<false, Wide, Square>(tile, all - Square::rows, 1, hints);
    } else if (left > 16) {
      parts<false, Half, 32>(tile, row, hints);
    } else if (left > 0) {
      if constexpr (width <= 16) parts<false, Vector128, 16>(tile, row, hints);
    }
  }

  // Rows from `row` on by strips of so many bytes, if there are any left that fill one;
  // returns the row after them. The last strip reaches back, to the first row at most.
  template <bool streams, class Vector, int bytes>
  static std::int64_t parts(const Tile& tile, std::int64_t row,
                            const Hints& hints) {
    using Square = Squares<Vector, width, bytes>;
    const std::int64_t all = tile.rows + tile.zeros;
    if (all < Square::rows && bytes > 16) return row;
    while (row < all) {
      if constexpr (n > 1) {
        if (all < Square::rows) {
          short_columns(tile);
          return all;
        }
      }
      const std::int64_t begin = std::min(row, all - Square::rows);
      strip<streams, Vector, Square>(tile, begin, 1, hints);
      row = begin + Square::rows;
    }
    return row;
  }

  // Whether some rows from there on are zeros.
  static bool has_zeros(const Tile& tile, std::int64_t row,
                        std::int64_t count) {
    return row + count > tile.rows;
  }

  template <bool streams, class Vector, class Square>
  static void strip(const Tile& tile, std::int64_t row, std::int64_t count,
                    const Hints& hints) {
    std::byte* const dst = tile.dst + row * width;
    if (tile.column_at != nullptr) {
      by_columns<streams, Vector, Square>(tile, row, count, hints,
                                          ColumnsByTable{dst, tile.column_at});
    } else {
      by_columns<streams, Vector, Square>(
          tile, row, count, hints, ColumnsByPitch{dst, tile.column_pitch});
    }
  }
  template <bool streams, class Vector, class Square, class Columns>
  static void by_columns(const Tile& tile, std::int64_t row, std::int64_t count,
                         const Hints& hints, Columns columns) {
    constexpr int bytes = static_cast<int>(Square::rows) * width;
    const StripWork work{tile.columns, count, hints.ahead, tile.planes[0]};
    // Strips of less than a line stream where columns are dense alone.
    if constexpr (bytes < 16 * Wide::lanes && width <= 16) {
      using Short = SquaresBeside<Wide, width, bytes>;
      if (tile.columns >= Short::columns) {
        return short_strip<streams, Short>(tile, row, columns, work);
      }
    }
    constexpr bool may_stream = streams && bytes == line_bytes;
    if constexpr (streams && bytes == 16 * Vector::lanes &&
                  std::same_as<Columns, ColumnsByPitch>) {
      const auto at = reinterpret_cast<std::intptr_t>(columns.dst);
      const bool dense =
          columns.pitch == bytes && tile.planes[0].dst % bytes == 0;
      if (dense && at % bytes == 0) {
        return by_rows<Strips<Vector, Square, width, true>, Square::rows>(
            tile, row, columns, work);
      }
    }
    by_rows<Strips<Vector, Square, width, may_stream>, Square::rows>(
        tile, row, columns, work);
  }
  template <bool streams, class Short, class Columns>
  static void short_strip(const Tile& tile, std::int64_t row, Columns columns,
                          const StripWork& work) {
    using Strip = ShortStrip<Wide, Short, streams>;
    if constexpr (Short::makes_vectors &&
                  std::same_as<Columns, ColumnsByPitch>) {
      if (columns.pitch == Short::rows * width) {
        return by_rows<DenseStrip<Strip>, Short::rows>(tile, row, columns,
                                                       work);
      }
    }
    by_rows<Strip, Short::rows>(tile, row, columns, work);
  }
  template <class Run, std::int64_t rows_of_strip, class Columns>
  static void by_rows(const Tile& tile, std::int64_t row, Columns columns,
                      StripWork work) {
    if (has_zeros(tile, row, work.strips * rows_of_strip)) {
      const std::int64_t strips = work.strips;
      work.strips = 1;
      RowsOrZeros::Row rows[RowsOrZeros::most];
      for (std::int64_t s = 0; s < strips; ++s) {
        RowsOrZeros::set(tile, tile.src, row + s * rows_of_strip, rows_of_strip,
                         rows);
        Run::run(RowsOrZeros{rows}, columns, work);
        columns.move(rows_of_strip * width);
      }
    } else if (tile.row_at != nullptr) {
      Run::run(RowsByTable{tile.src, tile.row_at + row}, columns, work);
    } else {
      Run::run(RowsByPitch{tile.src + row * tile.row_pitch, tile.row_pitch},
               columns, work);
    }
  }

  // Columns of less than a lane. Those that are dense in dst are each written as a whole
  // lane, in order: what it writes of the next columns is written again. All others, and
  // the last ones, go by way of the stack.
  static void short_columns(const Tile& tile) {
    using Run = Strips<Vector128, Squares<Vector128, width, 16>, width, false>;
    const std::int64_t bytes = (tile.rows + tile.zeros) * width;
    const bool dense = tile.column_at == nullptr && tile.column_pitch == bytes;
    const std::int64_t beyond = ceil_div(16 - bytes, bytes);  // columns
    const std::int64_t whole =
        dense ? std::max<std::int64_t>(tile.columns - beyond, 0) / n * n : 0;
    Tile plane = tile;
    for (std::int64_t k = 0; k < tile.planes[0].count; ++k) {
      RowsOrZeros::Row rows[n];
      RowsOrZeros::set(plane, plane.src, 0, n, rows);
      if (whole > 0) {
        Run::run(RowsOrZeros{rows}, ColumnsByPitch{plane.dst, bytes},
                 {whole, 1, 0, {}});
      }
      for (std::int64_t j = whole; j < tile.columns; j += n) {
        const std::int64_t at = std::min(j, tile.columns - n);
        alignas(16) std::byte turned[n * 16];
        Run::run(RowsOrZeros{rows, at * width}, ColumnsByPitch{turned, 16},
                 {n, 1, 0, {}});
        for (std::int64_t i = 0; i < n; ++i) {
          copy_short(column(plane, at + i), turned + i * 16, bytes);
        }
      }
      plane.src += tile.planes[0].src;
      plane.dst += tile.planes[0].dst;
    }
  }
  static std::byte* column(const Tile& tile, std::int64_t j) {
    return tile.dst + (tile.column_at != nullptr ? tile.column_at[j]
                                                 : j * tile.column_pitch);
  }
  static constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
  }

  // Rows of less than a lane, of which whole lanes are read, as far as those end inside
  // src; the others by way of the stack.
  template <bool streams>
  static void few_columns(const Tile& tile) {
    const Loop planes = tile.planes[0];
    std::int64_t reach =
        std::max<std::int64_t>((tile.rows - 1) * tile.row_pitch, 0);
    if (tile.row_at != nullptr) {
      reach = *std::max_element(tile.row_at, tile.row_at + tile.rows);
    }
    const std::int64_t room = tile.src_end - tile.src - 16 - reach;
    const bool plain = tile.zeros == 0 && planes.src >= 0;
    const std::int64_t whole =
        !plain || room < 0 ? 0
        : planes.src == 0  ? planes.count
                           : std::min(planes.count, room / planes.src + 1);
    Tile part = tile;
    if (whole > 0) {
      part.planes[0].count = whole;
      std::int64_t row = few_by<Wide, Line, streams>(part, 0);
      row = few_by<Vector128, Squares<Vector128, width, 16>, false>(part, row);
      for (std::int64_t k = 0; k < whole && row < tile.rows; ++k) {
        few_rows(part, row, tile.rows - row);
        part.src += planes.src;
        part.dst += planes.dst;
      }
    }
    part = tile;
    for (std::int64_t k = whole; k < planes.count; ++k) {
      part.src = tile.src + k * planes.src;
      part.dst = tile.dst + k * planes.dst;
      const std::int64_t all = tile.rows + tile.zeros;
      for (std::int64_t row = 0; row < all; row += n) {
        few_rows(part, row, std::min<std::int64_t>(n, all - row));
      }
    }
  }
  // Whole strips from `row` on, in all planes; returns the row after them.
  template <class Vector, class Square, bool streams>
  static std::int64_t few_by(const Tile& tile, std::int64_t row) {
    const std::int64_t strips = (tile.rows - row) / Square::rows;
    if (strips == 0) return row;
    const StripWork work{tile.columns, strips, 0, tile.planes[0]};
    std::byte* const dst = tile.dst + row * width;
    if (tile.column_at != nullptr) {
      few_by_rows<Vector, Square, streams>(
          tile, row, ColumnsByTable{dst, tile.column_at}, work);
    } else {
      few_by_rows<Vector, Square, streams>(
          tile, row, ColumnsByPitch{dst, tile.column_pitch}, work);
    }
    return row + strips * Square::rows;
  }
  template <class Vector, class Square, bool streams, class Columns>
  static void few_by_rows(const Tile& tile, std::int64_t row, Columns columns,
                          const StripWork& work) {
    using Run = Strips<Vector, Square, width, streams>;
    if (tile.row_at != nullptr) {
      Run::few(RowsByTable{tile.src, tile.row_at + row}, columns, work);
    } else {
      Run::few(RowsByPitch{tile.src + row * tile.row_pitch, tile.row_pitch},
               columns, work);
    }
  }
  // `count` rows from there on, n at most.
  static void few_rows(const Tile& tile, std::int64_t row, std::int64_t count) {
    const std::int64_t row_bytes = tile.columns * width;
    alignas(16) std::byte held[n * 16] = {};
    alignas(16) std::byte turned[n * 16];
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t r = row + i;
      if (r >= tile.rows) break;
      const std::int64_t at =
          tile.row_at != nullptr ? tile.row_at[r] : r * tile.row_pitch;
      copy_short(held + i * 16, tile.src + at, row_bytes);
    }
    Strips<Vector128, Squares<Vector128, width, 16>, width, false>::run(
        RowsByPitch{held, 16}, ColumnsByPitch{turned, 16}, {n, 1, 0, {}});
    for (std::int64_t j = 0; j < tile.columns; ++j) {
      std::byte* const to = column(tile, j) + row * width;
      if (count == n) {
        Vector128::store(to, Vector128::load(turned + j * 16));
      } else {
        copy_short(to, turned + j * 16, count * width);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise::engine
