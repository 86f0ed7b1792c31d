// Columns that follow each other in dst and stream by whole lines, though they are
// no lines themselves. Included as transpose.hpp is.
//
// As many columns as a line of a row holds, or some lines, are put together in near caches,
// strip by strip; as they are whole lines together, wherever those begin. Those of
// the columns before them are written by turns with that, so that reading src and
// writing dst overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "reorder/kernels/lane_columns.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, class Half, int width>
class DenseColumns {
  using S = Squares<Vector, width, line>;
  static constexpr std::int64_t rows = S::rows;
  // Columns that a line of a row holds.
  static constexpr std::int64_t line_columns = line / width;
  // Bytes of each row that prefetches run ahead.
  static constexpr std::int64_t far_ahead = 1024, bursts_ahead = 256;

 public:
  static bool suits(const Tile& tile) {
    return tile.column_offset == nullptr && tile.zeros == 0 &&
           streams_dense(tile.count[0], tile.count[1], tile.dst_stride[1],
                         width);
  }

  static void run(const Tile& tile) {
    if (tile.row_offset != nullptr) {
      blocks(tile, typename S::ByOffset{tile.src, tile.row_offset});
    } else if (tile.crowded_src > 0) {
      blocks(tile, Crowded{{tile.src, tile.src_stride[0]}});
    } else {
      blocks(tile, typename S::ByPitch{tile.src, tile.src_stride[0]});
    }
  }

 private:
  // Rows that share sets of the L1 cache, which would not keep their lines: each line
  // is copied before squares read it.
  struct Crowded : S::ByPitch {
    [[nodiscard]] Crowded at(std::int64_t byte) const {
      return {S::ByPitch::at(byte)};
    }
  };
  // Lines that wait to be written.
  struct Waiting {
    const std::byte* from;
    std::byte* to;
    std::int64_t lines;

    [[gnu::always_inline]] void write(std::int64_t most) {
      const std::int64_t some = std::min(most, lines);
      for (std::int64_t k = 0; k < some; ++k) {
        S::template put_column<Put::stream>(to, from);
        from += line;
        to += line;
      }
      lines -= some;
    }
  };
  // Reading and writing by turns of so many lines at most: a strip or a square.
  static constexpr bool by_strips = rows <= 16;
  // Of many rows a share is asked for with each square: memory gives only some lines at
  // once.
  static constexpr std::int64_t squares = line_columns / S::n;  // of a strip
  static constexpr std::int64_t shares = by_strips ? 1 : squares;

  // Columns of a block: a line of each row. Where few rows at once are best, more lines
  // of each are read while its page is known, as the nearest cache holds of all rows.
  static std::int64_t block_of(const Tile& tile) {
    constexpr std::int64_t most_lines = 4, share = 20 << 10;
    const std::int64_t lines = share / (tile.count[0] * line);
    const bool some = tile.from_memory && tile.crowded_src == 0 &&
                      tile.count[1] >= 2 * most_lines * line_columns;
    return some ? std::clamp<std::int64_t>(lines, 1, most_lines) * line_columns
                : line_columns;
  }

  static constexpr std::int64_t page = page_bytes;
  // Room for a block, with the line in which it begins, from anywhere in a page on.
  static constexpr std::int64_t stage_bytes = most_dense + page;
  static_assert(stage_bytes % page == 0);

  // Where in its stage a block begins, at most `line` bytes before its columns do. Stores
  // that cross the end of a page take 100 ns each beside stores that stream, on Zen 4: a
  // block crosses none, or a column ends with the page in its middle, where it has others
  // from 8 KiB on. Blocks of fewer columns, that have none, read lines of src twice, which
  // takes longer.
  static std::int64_t begin(std::int64_t head, std::int64_t column,
                            std::int64_t block) {
    if (head + block * column <= page) return 0;
    const std::int64_t half = head + block / 2 * column;
    return (half + page - 1) / page * page - half;
  }

  template <class Rows>
  [[gnu::noinline]] static void blocks(const Tile& tile, Rows from) {
    const std::int64_t count = tile.count[1];
    const std::int64_t column = tile.count[0] * width;
    const std::int64_t head = reinterpret_cast<std::intptr_t>(tile.dst) % line;
    const std::int64_t block = by_strips ? block_of(tile) : line_columns;
    // Of two blocks by turns; the line in which the second one ends is read whole. The
    // last one, if it is short, begins early enough to be whole: in front of the second.
    alignas(page) std::byte stages[2 * stage_bytes + line];
    const std::int64_t first = begin(head, column, block);
    const auto stage_of = [&](std::int64_t k) {
      const bool whole = (k + 1) * block <= count;
      return stages + (whole ? k % 2 : 1) * stage_bytes + first;
    };
    std::byte* to = tile.dst - head;  // of the block's first line
    Waiting waiting{nullptr, nullptr, 0};
    for (std::int64_t j = 0; j < count; j += block) {
      std::byte* const stage = stage_of(j / block);
      const std::int64_t at = std::min(j, count - block);
      make(tile, from, at, block, j / block, stage + head + (at - j) * column,
           waiting);
      waiting.write(waiting.lines);
      const std::int64_t bytes =
          head + (std::min(j + block, count) - j) * column;
      const std::int64_t lines = bytes / line;
      waiting = {stage, to, lines};
      if (j == 0 && head > 0) {
        copy_part(tile.dst, stage + head, line - head);
        waiting = {stage + line, to + line, lines - 1};
      }
      to += lines * line;
      const std::byte* const rest = stage + lines * line;
      if (j + block < count) {
        if (j + 2 * block > count) waiting.write(waiting.lines);
        S::template put_column<Put::cached>(stage_of(j / block + 1), rest);
      } else {
        waiting.write(waiting.lines);
        copy_part(to, rest, bytes % line);
      }
    }
  }

  // Block k's columns from `at` on, and meanwhile the lines that wait.
  template <class Rows>
  [[gnu::always_inline]] static void make(const Tile& tile, Rows from,
                                          std::int64_t at, std::int64_t block,
                                          std::int64_t k, std::byte* to,
                                          Waiting& waiting) {
    const std::int64_t column = tile.count[0] * width;
    const std::int64_t row_bytes = tile.count[1] * width;
    constexpr bool packs = std::is_same_v<Rows, Crowded>;
    alignas(64) std::byte pack[packs ? most_dense : 1];
    const Rows rows_at = from.at(at * width);
    const auto here = [&] {
      if constexpr (packs) {
        return typename S::ByPitch{pack, line};
      } else {
        return rows_at;
      }
    }();
    const bool prefetch = tile.prefetch;
    const bool bursts =
        tile.bursts && by_bursts(rows, line, tile.count[1] * width);
    // Where rows end, the next call's are read.
    const std::int64_t byte = at * width + (bursts ? bursts_ahead : far_ahead);
    const Rows next =
        from.at(byte < row_bytes ? byte : byte - row_bytes + tile.next_src);
    for (std::int64_t row = 0; row < tile.count[0]; row += rows) {
      const std::int64_t end = std::min(row + rows, tile.count[0]);
      const auto ask_row = [&](std::int64_t i) __attribute__((always_inline)) {
        if (!bursts && by_strips) {
          ask_for(next.row(i), block * width);
        } else if (!bursts) {
          ask_for<line>(next.row(i));
        } else if (i % burst_lines == k % burst_lines) {
          ask_for<burst_lines * line>(next.row(i));
        }
      };
      if constexpr (packs) {
        for (std::int64_t i = row; i < end; ++i) {
          if (prefetch) ask_row(i);
          S::template put_column<Put::cached>(pack + i * line, rows_at.row(i));
        }
      }
      // Of rows that are not packed, whose copies take lines one by one already.
      const auto ask = [&](std::int64_t share) __attribute__((always_inline)) {
        const std::int64_t some = (end - row + shares - 1) / shares;
        const std::int64_t last = std::min(row + (share + 1) * some, end);
        for (std::int64_t i = row + share * some;
             !packs && prefetch && i < last; ++i) {
          ask_row(i);
        }
      };
      const std::int64_t left = (tile.count[0] - row) * width;
      // The last rows, fewer than a strip, by the shortest one that ends with them; if there
      // are no others, by two.
      if (left > 32 && tile.count[0] >= rows) {
        const std::int64_t first = std::min(row, tile.count[0] - rows);
        strip<S>(here.from(first), to + first * width, column, block, waiting,
                 ask);
      } else if (left > 16) {
        using Short = Squares<Half, width, 32>;
        const std::int64_t first = tile.count[0] - Short::rows;
        if (left > 32) {
          strip<Short>(here, to, column, block, waiting, [](std::int64_t) {});
        }
        strip<Short>(here.from(first), to + first * width, column, block,
                     waiting, ask);
      } else {
        using Lanes = LaneColumns<Vector, width>;
        for (std::int64_t share = 0; share < shares; ++share) ask(share);
        const std::int64_t first = tile.count[0] - Lanes::rows;
        Lanes::columns(here.from(first), to + first * width,
                       typename S::ByStride{0, column}, block);
      }
      if (by_strips) waiting.write(rows * (block / line_columns));
    }
  }

  // By vectors of a line, conversions of 8 MiB are 1.05 times as fast where squares are
  // unrolled; by shorter ones they are slower.
  template <class Strip, class Rows, class Ask>
  [[gnu::always_inline]] static void strip(Rows from, std::byte* to,
                                           std::int64_t column,
                                           std::int64_t block, Waiting& waiting,
                                           Ask ask) {
    const auto one = [&](std::int64_t square) __attribute__((always_inline)) {
      const std::int64_t k = square * S::n;
      if (square < shares) ask(square);
      Strip::template square<Put::cached>(
          from.at(k * width), Strip::parts, to,
          typename Strip::ByStride{k * column, column});
      if (!by_strips) waiting.write(S::n);
    };
    const std::int64_t all = by_strips ? block / S::n : squares;
    if constexpr (S::vector_bytes == line) {
      for (std::int64_t first = 0; first < all; first += squares) {
#pragma GCC unroll 4
        for (std::int64_t k = 0; k < squares; ++k) one(first + k);
      }
    } else {
      for (std::int64_t k = 0; k < all; ++k) one(k);
    }
  }
};

}  // namespace
}  // namespace stridewise
