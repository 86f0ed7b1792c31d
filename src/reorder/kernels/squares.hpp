// Squares of a transpose: n rows by n columns in each 128-bit lane, where n is how
// many elements 16 bytes hold. Included as transpose.hpp is.
//
// Each vector gathers 16 bytes of row i of every block of n rows into its lanes;
// zips within lanes then make each lane the transpose of its block, so each vector
// ends as a piece of one column:
//
//   lane 0, rows 0..n-1       lane 1, rows n..2n-1
//   a0 a1 a2 a3               e0 e1 e2 e3                a0 b0 c0 d0 e0 f0 g0 h0
//   b0 b1 b2 b3               f0 f1 f2 f3        ->      a1 b1 c1 d1 e1 f1 g1 h1
//   c0 c1 c2 c3               g0 g1 g2 g3                ...
//   d0 d1 d2 d3               h0 h1 h2 h3
//
// Loading by lanes costs no shuffle: it is an insert from memory. Elements of 16
// bytes and more are chunks: squares of one column, and no zips.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/bursts.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/out_of_order.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// How dst is written: through the caches or past them, the latter by vectors
// that are aligned or, where only 16 bytes are, by lanes.
enum class Put : std::uint8_t { cached, stream, stream_lanes };

// What is prefetched while squares are written: nothing, since src is near; the same
// columns of other rows, by turns or in bursts (bursts.hpp); or what lies from there on,
// in the order of memory: the processor then reads ahead, too, and memory gives up to 1.5
// times as much.
enum class Ahead : std::uint8_t { none, by_columns, in_bursts, in_order };

// The squares of strips that hold `bytes` of each column.
template <class Vector, int width, int bytes>
struct Squares {
  using V = typename Vector::type;
  static constexpr bool chunks = width >= 16;
  static constexpr std::int64_t n = chunks ? 1 : 16 / width;
  static constexpr std::int64_t rows = bytes / width;
  static constexpr std::int64_t vector_bytes = 16 * Vector::lanes;
  static constexpr std::int64_t parts = bytes / vector_bytes;
  static_assert(bytes % vector_bytes == 0 && bytes % width == 0);

  // Where rows begin in src.
  struct ByPitch {
    const std::byte* src;
    std::int64_t pitch;

    [[nodiscard]] const std::byte* row(std::int64_t i) const {
      return src + i * pitch;
    }
    // The rows from row i on, and from so many bytes of each on.
    [[nodiscard]] ByPitch from(std::int64_t i) const { return {row(i), pitch}; }
    [[nodiscard]] ByPitch at(std::int64_t byte) const {
      return {src + byte, pitch};
    }
  };
  struct ByOffset {
    const std::byte* src;
    const std::int64_t* offset;

    [[nodiscard]] const std::byte* row(std::int64_t i) const {
      return src + offset[i];
    }
    [[nodiscard]] ByOffset from(std::int64_t i) const {
      return {src, offset + i};
    }
    [[nodiscard]] ByOffset at(std::int64_t byte) const {
      return {src + byte, offset};
    }
  };

  // Where columns begin in dst.
  struct ByStride {
    std::int64_t first;
    std::int64_t stride;

    [[nodiscard]] std::int64_t at(std::int64_t column) const {
      return first + column * stride;
    }
    [[nodiscard]] ByStride from(std::int64_t column) const {
      return {at(column), stride};
    }
  };
  struct ByTable {
    const std::int64_t* offset;

    [[nodiscard]] std::int64_t at(std::int64_t column) const {
      return offset[column];
    }
    [[nodiscard]] ByTable from(std::int64_t column) const {
      return {offset + column};
    }
  };

  struct ByTile {
    const Tile* tile;
    std::int64_t first;

    [[nodiscard]] std::int64_t at(std::int64_t column) const {
      return tile->column_at(first + column);
    }
    [[nodiscard]] ByTile from(std::int64_t column) const {
      return {tile, first + column};
    }
  };

  // How many pieces of 16 bytes of each row a square takes where it streams rows that the
  // caches do not keep: two where two vectors make a line. So it comes back to each line
  // half as often, and writes more lines one after the other: transposes of 256 MiB by
  // strides that are powers of two take half of the time.
  static constexpr bool halves_lines = Vector::lanes == 2 && parts == 2;
  template <Put put>
  static constexpr int most_taken = (put == Put::stream) && halves_lines &&
                                            (width == 4 || width == 8)
                                        ? 2
                                        : 1;

  // At least n columns of one strip: the last square begins early enough to be whole.
  // Not inline, so that registers are all for this.
  template <Put put, bool asks, class Columns>
  [[gnu::noinline]] static void squares(const std::byte* src,
                                        std::int64_t pitch, std::byte* dst,
                                        Columns columns, std::int64_t count) {
    if constexpr (put == Put::cached && !asks && by_lines) {
      if (count >= few_lines * line_columns) {
        return squares_by_lines(src, pitch, dst, columns, count);
      }
    }
    each_square<put, Vector::lanes>(asks, src, pitch, parts, dst, columns,
                                    count);
  }

  template <class Columns>
  [[gnu::noinline]] static void squares_by_lines(const std::byte* src,
                                                 std::int64_t pitch,
                                                 std::byte* dst,
                                                 Columns columns,
                                                 std::int64_t count) {
    const auto one = [=](const std::byte* from, const Columns& to)
        __attribute__((always_inline)) {
      square<Put::cached>(ByPitch{from, pitch}, parts, dst, to);
    };
    by_lines_of_columns(src, columns, count, one);
  }

  // The same where only the first `lanes` lanes of a column hold more than zeros.
  // Rows after those that are there must be readable zeros, up to a vector.
  template <Put put, class Columns>
  [[gnu::noinline]] static void padded_squares(bool asks, const std::byte* src,
                                               std::int64_t pitch,
                                               std::int64_t lanes,
                                               std::byte* dst, Columns columns,
                                               std::int64_t count) {
    constexpr int all = Vector::lanes, half = std::max(all / 2, 1);
    const std::int64_t used = parts == 1 ? 1 : (lanes + all - 1) / all;
    const std::int64_t last = chunks ? all : lanes - (used - 1) * all;
    if (last == 1 && all > 1) {
      each_square<put, 1>(asks, src, pitch, used, dst, columns, count);
    } else if (last <= half && all > half) {
      each_square<put, half>(asks, src, pitch, used, dst, columns, count);
    } else {
      each_square<put, all>(asks, src, pitch, used, dst, columns, count);
    }
  }

  // Whether the rows of such a tile are asked for in bursts. Strips of vectors of 16 bytes
  // are last rows, or old machines': not worth code.
  static constexpr bool may_burst = Vector::lanes > 1;
  static bool bursts(const Tile& tile) {
    return may_burst && tile.bursts &&
           by_bursts(rows, n * width, tile.count[1] * width);
  }
  // Asks for what the `turn`th square of `step` columns does, past the L1 cache, which
  // would forget it and has few misses at once to give.
  template <std::int64_t step, class Rows>
  [[gnu::always_inline]] static void ask(Rows from, std::int64_t turn,
                                         bool in_bursts) {
    const auto each = [=](const AskedLines& asked)
        __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (std::int64_t i = 0; i < asked.rows; ++i) {
        const std::byte* const row = from.row(asked.row + i) + asked.byte;
#pragma GCC unroll 4
        for (std::int64_t l = 0; l < asked.lines; ++l) {
          ask_for<line>(row + l * line);
        }
      }
    };
    in_bursts ? each(asked_lines(rows, step * width, turn, true))
              : each(asked_lines(rows, step * width, turn, false));
  }

  // The same for strip `strip` of some side by side. In the order of memory `next` moves
  // on; else it stays where the rows of the first strip are read next, if any are.
  template <std::int64_t step>
  [[gnu::always_inline]] static void ask_ahead(Ahead ahead,
                                               const std::byte*& next,
                                               std::int64_t pitch,
                                               std::int64_t strip,
                                               std::int64_t turn) {
    constexpr std::int64_t square_bytes = rows * step * width;
    constexpr std::int64_t lines =
        std::max<std::int64_t>(square_bytes / line, 1);
    if (ahead == Ahead::in_order) {
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < lines; ++k) {
        ask_for<line>(next);
        next += std::min(square_bytes, line);
      }
    } else if (ahead != Ahead::none && next != nullptr) {
      ask<step>(ByPitch{next + strip * rows * pitch, pitch}, turn,
                ahead == Ahead::in_bursts);
    }
  }

  // Columns of several strips, `taken` pieces of rows at once, each of all strips before
  // the next ones: memory takes neighbouring lines faster. As many lines as are read are
  // asked for from `next` on, if any.
  template <Put put, bool asks, Ahead ahead, int taken, class Columns>
  [[gnu::noinline]] static void squares(const std::byte* src,
                                        std::int64_t pitch, std::byte* dst,
                                        Columns columns, std::int64_t count,
                                        std::int64_t strips,
                                        const std::byte* next) {
    const std::int64_t strip_pitch = rows * pitch;
    constexpr std::int64_t step = taken * n;
    PagesOfColumns<step> pages(dst + columns.at(0));
    for (std::int64_t j = 0; j < count; j += step) {
      if constexpr (asks) pages.reach(dst + columns.at(0));
      for (std::int64_t s = 0; s < strips; ++s) {
        ask_ahead<step>(ahead, next, pitch, s, j / step);
        square<put, Vector::lanes, taken>(
            ByPitch{src + s * strip_pitch + j * width, pitch}, parts,
            dst + s * bytes, columns);
      }
      columns = columns.from(step);
    }
  }

  // The same by the rows of one part of the columns after those of another, some
  // lines of each row at once.
  template <class Columns>
  [[gnu::noinline]] static void by_parts(const std::byte* src,
                                         std::int64_t pitch, std::byte* dst,
                                         Columns columns, std::int64_t count) {
    constexpr std::int64_t some = 128;
    for (std::int64_t begin = 0; begin < count; begin += some) {
      const std::int64_t end = std::min(begin + some, count);
#pragma GCC unroll 4
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t at = part * vector_bytes;
        const auto one = [=](const std::byte* from, const Columns& to)
            __attribute__((always_inline)) {
          V v[n];
          load(ByPitch{from, pitch}, at, v);
          transpose_lanes(v);
#pragma GCC unroll 16
          for (std::int64_t k = 0; k < n; ++k) {
            Vector::store(dst + to.at(k) + at, v[k]);
          }
        };
        by_lines_of_columns(src + begin * width, columns.from(begin),
                            end - begin, one);
      }
    }
  }

  // Columns that lie in a line of a row. Where less than 4 bytes make an element its
  // work takes longer than lines do, and fewer lines are best taken in order.
  static constexpr std::int64_t line_columns = line / width;
  static constexpr bool by_lines = !chunks && width >= 4;
  static constexpr std::int64_t few_lines = 4;

  // one(from, to) of n columns each, those of whole lines out of order. The last ones
  // begin early enough to be n, before src and columns if there are fewer: at columns
  // of the same rows.
  template <class Columns, class One>
  [[gnu::always_inline]] static void by_lines_of_columns(const std::byte* src,
                                                         Columns columns,
                                                         std::int64_t count,
                                                         One one) {
    const std::int64_t lines = by_lines ? count / line_columns : 0;
    std::int64_t j = 0;
    if (lines >= few_lines) {
      for (std::int64_t l = 0; l < lines; ++l) {
        j = out_of_order(l, lines) * line_columns;
#pragma GCC unroll 4
        for (std::int64_t k = 0; k < line_columns; k += n) {
          one(src + (j + k) * width, columns.from(j + k));
        }
      }
      j = lines * line_columns;
    }
    for (; j < count; j += n) {
      const std::int64_t at = std::min(j, count - n);
      one(src + at * width, columns.from(at));
    }
  }

  template <Put put, int last, class Columns>
  [[gnu::always_inline]] static void each_square(
      bool asks, const std::byte* src, std::int64_t pitch,
      std::int64_t parts_used, std::byte* dst, Columns columns,
      std::int64_t count) {
    PagesOfColumns<n> pages(dst + columns.at(0));
    for (std::int64_t left = count - n;; left -= n) {
      if (asks) pages.reach(dst + columns.at(0));
      square<put, last>(ByPitch{src, pitch}, parts_used, dst, columns);
      if (left <= 0) return;
      const std::int64_t step = std::min(n, left);
      src += step * width;
      columns = columns.from(step);
    }
  }

  // Where vectors are less than a line, streaming goes by way of whole lines:
  // more than a few that are written by halves would leave the write-combining
  // buffers half empty.
  template <Put put, int taken>
  static constexpr bool staged = (put != Put::cached) && parts > 1 &&
                                 (n > 4 || taken > 1);

  template <Put put, int last = Vector::lanes, int taken = 1, class Rows,
            class Columns>
  [[gnu::always_inline]] static void square(Rows from, std::int64_t parts_used,
                                            std::byte* dst, Columns columns) {
    constexpr std::int64_t all = taken * n;
    alignas(64) std::byte stage[staged<put, taken> ? all * bytes : 1];
    if constexpr (staged<put, taken>) {
      each_piece<last, taken>(from, parts_used,
                              [&](std::int64_t k, std::int64_t at, V v) {
                                Vector::store(stage + k * bytes + at, v);
                              });
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < all; ++k) {
        put_column<put>(dst + columns.at(k), stage + k * bytes);
      }
    } else {
      each_piece<last>(from, parts_used,
                       [&](std::int64_t k, std::int64_t at, V v) {
                         put_vector<put>(dst + columns.at(k) + at, v);
                       });
    }
  }

  // take(k, at, v) for every vector v of a square: bytes `at` and on of column k.
  // After the first `parts_used` of each column they are zero, and so are the lanes
  // after the first `last` of those.
  template <int last = Vector::lanes, int taken = 1, class Rows, class Take>
  [[gnu::always_inline]] static void each_piece(Rows from,
                                                std::int64_t parts_used,
                                                Take take) {
#pragma GCC unroll 4
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t at = part * vector_bytes;
#pragma GCC unroll 4
      for (std::int64_t first = 0; first < taken * n; first += n) {
        V v[n];
        if (part < parts_used) {
          const Rows piece = from.at(first * width);
          if (part == parts_used - 1) {
            load<last>(piece, at, v);
          } else {
            load(piece, at, v);
          }
          transpose_lanes(v);
#pragma GCC unroll 16
          for (std::int64_t k = 0; k < n; ++k) take(first + k, at, v[k]);
        } else {
#pragma GCC unroll 16
          for (std::int64_t k = 0; k < n; ++k) {
            take(first + k, at, Vector::zero());
          }
        }
      }
    }
  }

  template <Put put>
  [[gnu::always_inline]] static void put_vector(std::byte* to, V v) {
    if constexpr (put == Put::stream) {
      Vector::stream(to, v);
    } else if constexpr (put == Put::stream_lanes) {
      Vector::scatter_stream([=](std::int64_t lane) { return to + 16 * lane; },
                             v);
    } else {
      Vector::store(to, v);
    }
  }
  static void put_column(Put put, std::byte* to, const std::byte* from) {
    if (put == Put::stream) return put_column<Put::stream>(to, from);
    if (put == Put::cached) return put_column<Put::cached>(to, from);
    put_column<Put::stream_lanes>(to, from);
  }
  template <Put put>
  [[gnu::always_inline]] static void put_column(std::byte* to,
                                                const std::byte* from) {
#pragma GCC unroll 4
    for (std::int64_t at = 0; at < bytes; at += vector_bytes) {
      put_vector<put>(to + at, Vector::load(from + at));
    }
  }

  // The rows that make bytes [at, at + vector_bytes) of the strip, or so many lanes
  // of them.
  template <int lanes = Vector::lanes, class Rows>
  [[gnu::always_inline]] static void load(Rows all, std::int64_t at, V* v) {
    const Rows from = all.from(at / width);
    if constexpr (chunks && width >= vector_bytes) {
      v[0] = Vector::load(from.row(0) + at % width);
    } else if constexpr (chunks && 2 * width == vector_bytes) {
      v[0] = Vector::join(from.row(0), from.row(1));
    } else if constexpr (chunks) {
      v[0] = Vector::gather([&](std::int64_t lane) {
        const std::int64_t byte = at % width + 16 * lane;
        return from.row(byte / width) + byte % width;
      });
    } else {
#pragma GCC unroll 16
      for (std::int64_t i = 0; i < n; ++i) {
        v[i] = Vector::template gather<lanes>(
            [&](std::int64_t lane) { return from.row(lane * n + i); });
      }
    }
  }

  // Of `count` rows, where those are fewer: each lane of v[k] ends as what they hold of
  // columns n / count * k and on, one after the other.
  template <std::int64_t count = n>
  [[gnu::always_inline]] static void transpose_lanes(V* v) {
    if constexpr (!chunks) {
      V z[count];
#pragma GCC unroll 4
      for (std::int64_t stage = 1; stage < count; stage *= 2) {
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < count / 2; ++i) {
          z[2 * i] = Vector::template zip_low<width>(v[i], v[i + count / 2]);
          z[2 * i + 1] =
              Vector::template zip_high<width>(v[i], v[i + count / 2]);
        }
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < count; ++i) v[i] = z[i];
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
