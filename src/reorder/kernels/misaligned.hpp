// Columns that stream by whole lines wherever in a line each of them begins.
// Included as transpose.hpp is.
//
// Squares of some strips, and of the strip after them, are put together in the
// nearest cache, from where each column's lines are taken. A line is written with
// the strips in which it begins:
//
//   rows         0        16       32       48       64       80
//   column 0     |........|........|........|........|        |
//   column 1     |    ....|....:...|....:...|....:...|....    |
//   column 2     |  ......|..:.....|..:.....|..:.....|..      |
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class MisalignedColumns {
  using S = Squares<Vector, width, line>;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t rows = S::rows;
  // Rows whose lines are written at once.
  static constexpr std::int64_t strips = 4;
  static constexpr std::int64_t group = strips * rows;
  // Bytes of each row that prefetches run ahead.
  static constexpr std::int64_t ahead = 512;
  // Columns that are taken at once: the rows of long elements lie in other pages, which
  // are turned to less often by eight.
  static constexpr std::int64_t most_columns = std::max<std::int64_t>(n, 8);
  // A line more in front, for a strip that reaches back to before the first row.
  static constexpr std::int64_t column_pitch = (1 + strips + 1) * line;
  // Bytes of each row that are packed at once, and that it has at least: moving short
  // elements takes longer than to read their lines twice.
  static constexpr std::int64_t most_packed = 64 * width;
  static constexpr std::int64_t least_packed =
      width >= 4 ? line / 2 : most_packed;

 public:
  // Pre: tile.misaligned.
  static bool suits(const Tile& tile) { return tile.count[1] >= n; }

  static void run(const Tile& tile) {
    if (tile.row_offset != nullptr) {
      by_rows(tile, typename S::ByOffset{tile.src, tile.row_offset});
    } else {
      by_rows(tile, typename S::ByPitch{tile.src, tile.src_stride[0]});
    }
  }

 private:
  // The rows of a group, counted from its first.
  struct Extent {
    std::int64_t own;    // lines that begin in so many are written
    std::int64_t there;  // so many hold them
    bool first;          // columns begin here
    bool last;           // and end after those that are there
  };

  template <class Rows>
  static void by_rows(const Tile& tile, Rows from) {
    if (tile.column_offset != nullptr) {
      by_columns(tile, from, typename S::ByTable{tile.column_offset});
    } else {
      by_columns(tile, from, typename S::ByStride{0, tile.dst_stride[1]});
    }
  }
  template <class Rows, class Columns>
  static void by_columns(const Tile& tile, Rows from, Columns columns) {
    const std::int64_t count = tile.count[1];
    const std::int64_t all = tile.count[0] + tile.rows_after;
    for (std::int64_t row = 0; row < tile.count[0]; row += group) {
      const std::int64_t own = std::min(group, tile.count[0] - row);
      const std::int64_t there = std::min(own + rows, all - row);
      const Extent extent = {own, there, row == 0 && tile.rows_before == 0,
                             row + there == all};
      const Rows here = from.from(row);
      // What is read where these rows end: as many after them, or the next call's.
      const Rows then = (row + group + there <= all ? from.from(row + group)
                                                    : from.at(tile.next_src))
                            .at(-count * width);
      std::byte* const dst = tile.dst + row * width;
      if (tile.crowded_src > 0 && count * width >= least_packed) {
        packed(extent, here, then, tile.prefetch, dst, columns, count);
      } else {
        squares(extent, here, then, tile.prefetch, S::bursts(tile), dst,
                columns, count);
      }
    }
  }

  // Columns by turns with the lines of those before them, so that reading src and
  // writing dst overlap.
  template <class Rows, class Columns>
  [[gnu::noinline]] static void squares(const Extent& extent, Rows here,
                                        Rows then, bool prefetch, bool bursts,
                                        std::byte* dst, Columns columns,
                                        std::int64_t count) {
    alignas(64) std::byte stages[2][most_columns * column_pitch];
    const std::int64_t step =
        most_columns == n ? n : std::min(most_columns, count) / n * n;
    std::byte* stage = stages[0];
    std::byte* last = stages[1];
    for (std::int64_t j = 0; j < count; j += step) {
      const Rows from = here.at(std::min(j, count - step) * width);
      for (std::int64_t row = 0; row < extent.there; row += rows) {
        const std::int64_t first = std::min(row, extent.there - rows);
        for (std::int64_t k = 0; k < step; k += n) {
          if (prefetch && first == row) {
            ask(here, then, row, (j + k) / n, bursts, count);
          }
          square(from.from(first).at(k * width), stage, first, k);
        }
      }
      if (j > 0) write(extent, last + line, dst, columns.from(j - step), step);
      std::swap(stage, last);
    }
    write(extent, last + line, dst, columns.from(count - step), step);
  }

  // Rows from `row` on and columns from `column` on of those in a stage.
  template <class Rows>
  [[gnu::always_inline]] static void square(Rows from, std::byte* stage,
                                            std::int64_t row,
                                            std::int64_t column) {
    S::template square<Put::cached>(
        from, S::parts, stage + line + row * width + column * column_pitch,
        typename S::ByStride{0, column_pitch});
  }

  // What is read after the `turn`th square of a strip of rows; where those end, `then`.
  // Bursts are out of line, so that loops of machines that like none keep their registers.
  template <class Rows>
  [[gnu::always_inline]] static void ask(Rows here, Rows then, std::int64_t row,
                                         std::int64_t turn, bool bursts,
                                         std::int64_t count) {
    if (bursts) [[unlikely]] {
      return ask_in_bursts(here, then, row, turn, count);
    }
    ask_lines<false>(here, then, row, turn, count);
  }
  template <class Rows>
  [[gnu::noinline]] static void ask_in_bursts(Rows here, Rows then,
                                              std::int64_t row,
                                              std::int64_t turn,
                                              std::int64_t count) {
    ask_lines<true>(here, then, row, turn, count);
  }
  template <bool bursts, class Rows>
  [[gnu::always_inline]] static void ask_lines(Rows here, Rows then,
                                               std::int64_t row,
                                               std::int64_t turn,
                                               std::int64_t count) {
    const bool in_row =
        asked_lines(rows, n * width, turn, bursts).byte + ahead < count * width;
    S::template ask<n>((in_row ? here : then).at(ahead).from(row), turn,
                       bursts);
  }

  // Rows by way of a copy of some columns, whose lines the L1 cache keeps.
  template <class Rows, class Columns>
  [[gnu::noinline]] static void packed(const Extent& extent, Rows here,
                                       Rows then, bool prefetch, std::byte* dst,
                                       Columns columns, std::int64_t count) {
    const std::int64_t block = std::min(most_packed / width, count);
    const std::int64_t pitch = block * width;
    // Where a strip reaches back, rows before the first are packed, too.
    alignas(64) std::byte pack[(group + 2 * rows) * most_packed];
    const std::int64_t first = std::min<std::int64_t>(extent.there - rows, 0);
    const typename S::ByPitch from{pack - first * pitch, pitch};
    for (std::int64_t j = 0; j < count; j += block) {
      const std::int64_t at = std::min(j, count - block);
      const Rows src = here.at(at * width);
      const std::int64_t byte = at * width + pitch;
      const Rows next = (byte < count * width ? here : then).at(byte);
      for (std::int64_t i = first; i < extent.there; ++i) {
        if (prefetch && i >= 0) {
          for (std::int64_t k = 0; k < pitch; k += line) {
            __builtin_prefetch(next.row(i) + k, 0, 2);
          }
        }
        pack_row(pack + (i - first) * pitch, src.row(i), pitch);
      }
      squares(extent, from, from, false, false, dst, columns.from(at), block);
    }
  }
  [[gnu::always_inline]] static void pack_row(std::byte* to,
                                              const std::byte* from,
                                              std::int64_t bytes) {
    std::int64_t at = 0;
    for (; at + line <= bytes; at += line) {
      S::template put_column<Put::cached>(to + at, from + at);
    }
    for (; at < bytes; at += 16) {
      const std::int64_t lane = std::min(at, bytes - 16);
      Vector128::store(to + lane, Vector128::load(from + lane));
    }
  }

  template <class Columns>
  [[gnu::always_inline]] static void write(const Extent& extent,
                                           const std::byte* from,
                                           std::byte* dst, Columns columns,
                                           std::int64_t count) {
    const bool inner = extent.there == group + rows && !extent.first;
    for (std::int64_t k = 0; k < count; ++k) {
      std::byte* const column = dst + columns.at(k);
      const std::byte* const staged = from + k * column_pitch;
      if (!inner) {
        write_ends(extent, staged, column);
        continue;
      }
      const std::int64_t lead = to_next_line(column);
#pragma GCC unroll 4
      for (std::int64_t at = 0; at < strips * line; at += line) {
        S::template put_column<Put::stream>(column + lead + at,
                                            staged + lead + at);
      }
    }
  }
  [[gnu::noinline]] static void write_ends(const Extent& extent,
                                           const std::byte* from,
                                           std::byte* column) {
    const std::int64_t own = extent.own * width;
    const std::int64_t there = extent.there * width;
    std::int64_t at = to_next_line(column);
    if (extent.first) copy_part(column, from, std::min(at, there));
    for (; at < own && at + line <= there; at += line) {
      S::template put_column<Put::stream>(column + at, from + at);
    }
    if (extent.last && at < own) {
      copy_part(column + at, from + at, there - at);
    }
  }
};

}  // namespace
}  // namespace stridewise
