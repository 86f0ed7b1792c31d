// The transpose of every instruction set and width, over what a set provides
// (Vector128 and its like). Included by one file a set only, which instantiates
// it with types of its own: nothing here may be compiled twice under one name.
//
// Rows are contiguous in dst, so dst is written by strips of rows that fill a
// cache line. A strip is walked by squares of n columns, where n is how many
// elements 16 bytes hold. Each vector gathers 16 bytes of row i of every block
// of n rows into its 128-bit lanes; zips within lanes then make each lane the
// transpose of its block, so each vector ends as a piece of one column:
//
//   lane 0, rows 0..n-1       lane 1, rows n..2n-1
//   a0 a1 a2 a3               e0 e1 e2 e3                a0 b0 c0 d0 e0 f0 g0 h0
//   b0 b1 b2 b3               f0 f1 f2 f3        ->      a1 b1 c1 d1 e1 f1 g1 h1
//   c0 c1 c2 c3               g0 g1 g2 g3                ...
//   d0 d1 d2 d3               h0 h1 h2 h3
//
// Loading by lanes costs no shuffle: it is an insert from memory. Edges are not
// special: the last strip and the last columns begin early enough to be whole,
// and write once more what is already there. Elements of 16 bytes and more are
// chunks: squares of one column, and no zips.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// A strip of `bytes` of rows, or several of them side by side.
template <class Vector, int width, int bytes>
class Strip {
  using V = typename Vector::type;
  static constexpr bool chunks = width >= 16;
  static constexpr std::int64_t n = chunks ? 1 : 16 / width;
  static constexpr std::int64_t vector_bytes = 16 * Vector::lanes;
  static constexpr std::int64_t parts = bytes / vector_bytes;
  static_assert(bytes % vector_bytes == 0 && bytes % width == 0);

 public:
  static constexpr std::int64_t rows = bytes / width;
  static constexpr std::int64_t most_strips = chunks ? 16 : 4;

  Strip(const Tile& tile, std::int64_t row, std::int64_t strips = 1)
      : tile_(tile),
        row_(row),
        dst_(tile.dst + row * width),
        strips_(strips),
        present_(
            std::clamp<std::int64_t>(tile.count[0] - row, 0, rows * strips)),
        used_(std::min<std::int64_t>(
            bytes, (tile.count[0] + tile.zeros - row) * width)) {}

  template <bool streams>
  [[gnu::always_inline]] void run() {
    const std::int64_t count = tile_.count[1];
    const bool plain =
        present_ == rows * strips_ && tile_.row_offset == nullptr;
    if (count < n || used_ < bytes) return irregular<streams>();
    if (count * width >= pack_bytes && (!plain || tile_.crowded_src)) {
      return packed<streams>();
    }
    if (!plain) return irregular<streams>();
    columns<streams>(0, count, tile_.src + row_ * tile_.src_stride[0],
                     tile_.src_stride[0], tile_.prefetch);
  }

 private:
  static constexpr std::int64_t line = 64;
  static constexpr std::int64_t line_columns =
      std::max<std::int64_t>(line / width, 1);
  // Columns that are packed at once: where there is room, several lines, for
  // the prefetchers' sake.
  static constexpr std::int64_t pack_bytes =
      std::clamp<std::int64_t>(4096 / rows, 64, 256);
  static constexpr std::int64_t ahead = 512;  // bytes that prefetches run ahead

  // Rows are read once each, by way of a copy, which costs less than reading
  // lines again that the L1 cache could not keep.
  template <bool streams>
  [[gnu::noinline]] void packed() {
    alignas(64) std::byte pack[most_strips * rows * pack_bytes];
    std::memset(
        pack + present_ * pack_bytes, 0,
        static_cast<std::size_t>((rows * strips_ - present_) * pack_bytes));
    const std::int64_t count = tile_.count[1];
    constexpr std::int64_t block = pack_bytes / width;
    for (std::int64_t j = 0; j < count; j += block) {
      const std::int64_t begin = std::min(j, count - block);
      for (std::int64_t i = 0; i < present_; ++i) {
        const std::byte* const from =
            tile_.src + tile_.row_at(row_ + i) + begin * width;
        if (tile_.prefetch) {
          for (std::int64_t b = 0; b < pack_bytes; b += line) {
            __builtin_prefetch(from + pack_bytes + b);
          }
        }
#pragma GCC unroll 16
        for (std::int64_t b = 0; b < pack_bytes; b += vector_bytes) {
          Vector::store(pack + i * pack_bytes + b, Vector::load(from + b));
        }
      }
      columns<streams>(begin, begin + block, pack, pack_bytes, false);
    }
  }

  // Columns [begin, end), the first of which is at src; rows are `pitch` apart.
  template <bool streams>
  [[gnu::always_inline]] void columns(std::int64_t begin, std::int64_t end,
                                      const std::byte* src, std::int64_t pitch,
                                      bool prefetch) const {
    if constexpr (bytes < line) {
      // Ends of columns: not worth code for either kind.
      walk<streams>(src, pitch, ByTile{&tile_, begin}, end - begin, prefetch);
    } else if (tile_.column_offset != nullptr) {
      walk<streams>(src, pitch, ByTable{tile_.column_offset + begin},
                    end - begin, prefetch);
    } else {
      walk<streams>(src, pitch,
                    ByStride{begin * tile_.dst_stride[1], tile_.dst_stride[1]},
                    end - begin, prefetch);
    }
  }

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

  template <bool streams, class Columns>
  void walk(const std::byte* src, std::int64_t pitch, Columns columns,
            std::int64_t count, bool prefetch) const {
    if (strips_ == 1 && present_ == rows) {
      const auto some = [&](std::int64_t first, std::int64_t many) {
        squares<streams>(src + first * width, pitch, dst_, columns.from(first),
                         many);
      };
      constexpr std::int64_t block = std::max(line_columns, n);
      std::int64_t j = 0;
      for (; prefetch && count - j >= block; j += block) {
        ask_ahead(src + j * width, pitch);
        some(j, block);
      }
      const std::int64_t whole = (count - j) / n * n;
      if (whole > 0) some(j, whole);
      if (j + whole < count) some(count - n, n);
      return;
    }
    for (std::int64_t j = 0; j < count; j += n) {
      const std::int64_t column = std::min(j, count - n);
      for (std::int64_t s = 0; s < strips_; ++s) {
        const std::byte* const from = src + s * rows * pitch;
        if (prefetch && j % std::max(line_columns, n) == 0) {
          ask_ahead(from + j * width, pitch);
        }
        square<streams>(ByPitch{from + column * width, pitch},
                        parts_with_rows(s), dst_ + s * bytes,
                        columns.from(column));
      }
    }
  }

  // Prefetches what the rows of a strip go on with.
  [[gnu::always_inline]] static void ask_ahead(const std::byte* src,
                                               std::int64_t pitch) {
    for (std::int64_t i = 0; i < rows; ++i) {
      __builtin_prefetch(src + i * pitch + ahead);
    }
  }

  // A multiple of n columns of one whole strip. Not inline, so that registers
  // are all for this.
  template <bool streams, class Columns>
  [[gnu::noinline]] static void squares(const std::byte* src,
                                        std::int64_t pitch, std::byte* dst,
                                        Columns columns, std::int64_t count) {
    for (std::int64_t j = 0; j < count; j += n) {
      square<streams>(ByPitch{src, pitch}, parts, dst, columns);
      src += n * width;
      columns = columns.from(n);
    }
  }

  // Vectors of a column of strip s that hold more than zeros.
  [[nodiscard]] std::int64_t parts_with_rows(std::int64_t s) const {
    const std::int64_t present =
        std::clamp<std::int64_t>(present_ - s * rows, 0, rows);
    return (present * width + vector_bytes - 1) / vector_bytes;
  }

  // Where rows begin in src.
  struct ByPitch {
    const std::byte* src;
    std::int64_t pitch;

    [[nodiscard]] const std::byte* row(std::int64_t i) const {
      return src + i * pitch;
    }
    [[nodiscard]] ByPitch from(std::int64_t i) const { return {row(i), pitch}; }
  };
  struct ByPointer {
    const std::byte* const* src;
    std::int64_t byte;

    [[nodiscard]] const std::byte* row(std::int64_t i) const {
      return src[i] + byte;
    }
    [[nodiscard]] ByPointer from(std::int64_t i) const {
      return {src + i, byte};
    }
  };

  // Where vectors are less than a line, streaming goes by way of whole lines:
  // more than a few that are written by halves would leave the write-combining
  // buffers half empty.
  template <bool streams, class Rows, class Columns>
  [[gnu::always_inline]] static void square(Rows from, std::int64_t parts_used,
                                            std::byte* dst, Columns columns) {
    constexpr bool staged = streams && parts > 1 && n > 4;
    alignas(64) std::byte stage[staged ? n * bytes : 1];
    if constexpr (staged) {
      each_piece(from, parts_used, [&](std::int64_t k, std::int64_t at, V v) {
        Vector::store(stage + k * bytes + at, v);
      });
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < n; ++k) {
        stream_column(dst + columns.at(k), stage + k * bytes);
      }
    } else {
      each_piece(from, parts_used, [&](std::int64_t k, std::int64_t at, V v) {
        if constexpr (streams) {
          Vector::stream(dst + columns.at(k) + at, v);
        } else {
          Vector::store(dst + columns.at(k) + at, v);
        }
      });
    }
  }

  // put(k, at, v) for every vector v of a square: bytes `at` and on of column k.
  // After the first `parts_used` of each column they are zero.
  template <class Rows, class Put>
  [[gnu::always_inline]] static void each_piece(Rows from,
                                                std::int64_t parts_used,
                                                Put put) {
#pragma GCC unroll 4
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t at = part * vector_bytes;
      V v[n];
      if (part < parts_used) {
        load(from, at, v);
        transpose_lanes(v);
#pragma GCC unroll 16
        for (std::int64_t k = 0; k < n; ++k) put(k, at, v[k]);
      } else {
#pragma GCC unroll 16
        for (std::int64_t k = 0; k < n; ++k) put(k, at, Vector::zero());
      }
    }
  }

  [[gnu::always_inline]] static void stream_column(std::byte* to,
                                                   const std::byte* from) {
#pragma GCC unroll 4
    for (std::int64_t at = 0; at < bytes; at += vector_bytes) {
      Vector::stream(to + at, Vector::load(from + at));
    }
  }

  // The rows that make bytes [at, at + vector_bytes) of the strip.
  template <class Rows>
  [[gnu::always_inline]] static void load(Rows all, std::int64_t at, V* v) {
    const Rows from = all.from(at / width);
    if constexpr (chunks && width >= vector_bytes) {
      v[0] = Vector::load(from.row(0) + at % width);
    } else if constexpr (chunks) {
      v[0] = Vector::gather([&](std::int64_t lane) {
        const std::int64_t byte = at % width + 16 * lane;
        return from.row(byte / width) + byte % width;
      });
    } else {
#pragma GCC unroll 16
      for (std::int64_t i = 0; i < n; ++i) {
        v[i] = Vector::gather(
            [&](std::int64_t lane) { return from.row(lane * n + i); });
      }
    }
  }

  [[gnu::always_inline]] static void transpose_lanes(V* v) {
    if constexpr (!chunks) {
      V z[n];
#pragma GCC unroll 4
      for (std::int64_t stage = 1; stage < n; stage *= 2) {
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < n / 2; ++i) {
          z[2 * i] = Vector::template zip_low<width>(v[i], v[i + n / 2]);
          z[2 * i + 1] = Vector::template zip_high<width>(v[i], v[i + n / 2]);
        }
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < n; ++i) v[i] = z[i];
      }
    }
  }

  // Rows that no one stride takes apart, of which some may be zeros; columns or
  // rows too few for a square: each row by a pointer of its own, each column
  // stored as far as it goes.
  template <bool streams>
  [[gnu::noinline]] void irregular() {
    for (std::int64_t s = 0; s < strips_; ++s) {
      const std::int64_t present =
          std::clamp<std::int64_t>(present_ - s * rows, 0, rows);
      irregular_strip<streams>(row_ + s * rows, present, dst_ + s * bytes);
    }
  }
  template <bool streams>
  void irregular_strip(std::int64_t row, std::int64_t present, std::byte* dst) {
    constexpr std::int64_t pitch = std::max(16, width);
    alignas(64) std::byte in[rows * pitch];
    const std::byte* src[rows];
    const std::byte* last = tile_.src;
    for (std::int64_t i = 0; i < present; ++i) {
      src[i] = tile_.src + tile_.row_at(row + i);
      last = std::max(last, src[i]);
    }
    const std::int64_t used =
        (present * width + vector_bytes - 1) / vector_bytes;
    for (std::int64_t j = 0; j < tile_.count[1]; j += n) {
      const std::int64_t taken = std::min(n, tile_.count[1] - j);
      const std::int64_t byte = j * width;
      if (present == rows && tile_.src_end - last >= byte + pitch) {
        some_columns<streams>(ByPointer{src, byte}, used, j, taken, dst);
        continue;
      }
      const std::byte* copies[rows];
      for (std::int64_t i = 0; i < rows; ++i) {
        std::byte* const copy = in + i * pitch;
        copies[i] = copy;
        if (i >= present) {
          std::memset(copy, 0, pitch);
        } else if (tile_.src_end - src[i] >= byte + pitch) {
          std::memcpy(copy, src[i] + byte, pitch);
        } else {
          copy_short(copy, src[i] + byte, taken * width);
        }
      }
      some_columns<streams>(ByPointer{copies, 0}, used, j, taken, dst);
    }
  }

  // Columns [j, j + taken) of a square: whole ones straight to dst.
  template <bool streams>
  [[gnu::noinline]] void some_columns(ByPointer from, std::int64_t parts_used,
                                      std::int64_t j, std::int64_t taken,
                                      std::byte* dst) const {
    const bool direct = !streams && used_ == bytes;
    alignas(64) std::byte out[n * bytes];
    std::byte* to[n];
    for (std::int64_t k = 0; k < n; ++k) {
      to[k] =
          direct && k < taken ? dst + tile_.column_at(j + k) : out + k * bytes;
    }
    each_piece(from, parts_used, [&](std::int64_t k, std::int64_t at, V v) {
      Vector::store(to[k] + at, v);
    });
    if (direct) return;
    for (std::int64_t k = 0; k < taken; ++k) {
      std::byte* const column = dst + tile_.column_at(j + k);
      if (used_ < bytes) {
        copy_short(column, out + k * bytes, used_);
      } else {
        stream_column(column, out + k * bytes);
      }
    }
  }

  const Tile& tile_;
  std::int64_t row_;
  std::byte* dst_;
  std::int64_t strips_;
  std::int64_t present_;  // rows that are not zeros
  std::int64_t used_;     // bytes of each column that are stored
};

// The transpose with strips of a line by vectors of type Wide, and shorter ones
// for the last rows.
template <class Wide, class Half, int width>
class Transpose {
  static constexpr std::int64_t line = 64;
  static constexpr bool chunks = width >= 16;

 public:
  static void run(const Tile& tile) { each_plane(tile, rows<false>); }
  static void stream(const Tile& tile) { each_plane(tile, rows<true>); }

 private:
  template <bool streams>
  static void rows(const Tile& tile) {
    using Full = Strip<Wide, width, 64>;
    const std::int64_t count = tile.count[0] + tile.zeros;
    std::int64_t row = 0;
    if constexpr (streams) {
      const std::int64_t misaligned =
          reinterpret_cast<std::intptr_t>(tile.dst) % line;
      const bool reachable = misaligned % width == 0 && steps_by_lines(tile) &&
                             count >= Full::rows;
      if (reachable) {
        if (misaligned != 0) {
          Full(tile, 0).template run<false>();
          row = (line - misaligned) / width;
        }
        const bool short_rows = tile.count[1] * width <= 1024;
        row = strips<true>(tile, row,
                           chunks || short_rows ? Full::most_strips : 1);
      }
    }
    if (count - row >= Full::rows) {
      row = strips<false>(tile, row,
                          chunks || tile.crowded_dst ? Full::most_strips : 1);
    }
    if (count > row) last_rows(tile, row);
  }

  // Whole strips, so many at once; returns the row after them.
  template <bool streams>
  static std::int64_t strips(const Tile& tile, std::int64_t row,
                             std::int64_t at_once) {
    using Full = Strip<Wide, width, 64>;
    const std::int64_t count = tile.count[0] + tile.zeros;
    while (count - row >= Full::rows) {
      const std::int64_t some = std::min(at_once, (count - row) / Full::rows);
      Full(tile, row, some).template run<streams>();
      row += some * Full::rows;
    }
    return row;
  }

  // Whether every column of dst begins as its first one does, modulo lines.
  static bool steps_by_lines(const Tile& tile) {
    if (tile.column_offset == nullptr) return tile.dst_stride[1] % line == 0;
    return std::all_of(tile.column_offset, tile.column_offset + tile.count[1],
                       [](std::int64_t at) { return at % line == 0; });
  }

  // Fewer rows than a line: the shortest strip that ends with the last row and
  // reaches back to `row`, or two of half a line.
  static void last_rows(const Tile& tile, std::int64_t row) {
    const std::int64_t count = tile.count[0] + tile.zeros;
    const std::int64_t left = (count - row) * width;
    if constexpr (width <= 32) {
      using Full = Strip<Wide, width, 64>;
      using Short = Strip<Half, width, 32>;
      if (left > 32 && count >= Full::rows) {
        return Full(tile, count - Full::rows).template run<false>();
      }
      if (left >= 32) {
        Short(tile, row).template run<false>();
        if (left == 32) return;
        return last_rows(tile, row + Short::rows);
      }
      if constexpr (width <= 16) {
        using Shortest = Strip<Vector128, width, 16>;
        if (left > 16 && count >= Short::rows) {
          return Short(tile, count - Short::rows).template run<false>();
        }
        if (left > 16) {
          Shortest(tile, row).template run<false>();
          return last_rows(tile, row + Shortest::rows);
        }
        row = std::max<std::int64_t>(std::min(row, count - Shortest::rows), 0);
        Shortest(tile, row).template run<false>();
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
