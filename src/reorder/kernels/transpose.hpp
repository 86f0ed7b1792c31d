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
    if (count < n || used_ < bytes) return edge();
    if (count * width >= pack_bytes && (!plain || tile_.crowded_src)) {
      return packed<streams>();
    }
    if (!plain) return edge();
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
    if (tile_.column_offset != nullptr) {
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

  template <bool streams, class Columns>
  void walk(const std::byte* src, std::int64_t pitch, Columns columns,
            std::int64_t count, bool prefetch) const {
    std::int64_t j = 0;
    if (strips_ == 1) {
      constexpr std::int64_t some = std::max(line_columns, n);
      if (prefetch) {
        for (; count - j >= some; j += some) {
          for (std::int64_t i = 0; i < rows; ++i) {
            __builtin_prefetch(src + i * pitch + j * width + ahead);
          }
          squares<streams>(src + j * width, pitch, dst_, columns.from(j), some);
        }
      }
      const std::int64_t whole = (count - j) / n * n;
      squares<streams>(src + j * width, pitch, dst_, columns.from(j), whole);
      j += whole;
    }
    for (; j < count; j += n) {
      const std::int64_t column = std::min(j, count - n);
      for (std::int64_t s = 0; s < strips_; ++s) {
        const std::byte* const rows_from = src + s * rows * pitch;
        if (prefetch && j % line_columns == 0) {
          for (std::int64_t i = 0; i < rows; ++i) {
            __builtin_prefetch(rows_from + i * pitch + j * width + ahead);
          }
        }
        squares<streams>(rows_from + column * width, pitch, dst_ + s * bytes,
                         columns.from(column), n);
      }
    }
  }

  // A multiple of n columns of one strip.
  template <bool streams, class Columns>
  [[gnu::always_inline]] static void squares(const std::byte* src,
                                             std::int64_t pitch, std::byte* dst,
                                             Columns columns,
                                             std::int64_t count) {
    for (std::int64_t j = 0; j < count; j += n) {
      square<streams>(src, pitch, dst, columns);
      src += n * width;
      columns = columns.from(n);
    }
  }

  // Where vectors are less than a line, streaming goes by way of whole lines:
  // more than a few that are written by halves would leave the write-combining
  // buffers half empty.
  template <bool streams, class Columns>
  [[gnu::always_inline]] static void square(const std::byte* src,
                                            std::int64_t pitch, std::byte* dst,
                                            Columns columns) {
    constexpr bool staged = streams && parts > 1 && n > 4;
    alignas(64) std::byte stage[staged ? n * bytes : 1];
#pragma GCC unroll 4
    for (std::int64_t part = 0; part < parts; ++part) {
      V v[n];
      load(src, pitch, part * vector_bytes, v);
      transpose_lanes(v);
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t at = part * vector_bytes;
        if constexpr (staged) {
          Vector::store(stage + k * bytes + at, v[k]);
        } else if constexpr (streams) {
          Vector::stream(dst + columns.at(k) + at, v[k]);
        } else {
          Vector::store(dst + columns.at(k) + at, v[k]);
        }
      }
    }
    if constexpr (staged) {
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < n; ++k) {
#pragma GCC unroll 4
        for (std::int64_t at = 0; at < bytes; at += vector_bytes) {
          Vector::stream(dst + columns.at(k) + at,
                         Vector::load(stage + k * bytes + at));
        }
      }
    }
  }

  // The rows that make bytes [at, at + vector_bytes) of the strip.
  [[gnu::always_inline]] static void load(const std::byte* src,
                                          std::int64_t pitch, std::int64_t at,
                                          V* v) {
    if constexpr (chunks && width >= vector_bytes) {
      v[0] = Vector::load(src + at / width * pitch + at % width);
    } else if constexpr (chunks) {
      v[0] = Vector::gather([&](std::int64_t lane) {
        const std::int64_t byte = at + 16 * lane;
        return src + byte / width * pitch + byte % width;
      });
    } else {
      src += at / width * pitch;
#pragma GCC unroll 16
      for (std::int64_t i = 0; i < n; ++i) {
        v[i] = Vector::gather(
            [&](std::int64_t lane) { return src + (lane * n + i) * pitch; });
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

  // What is less than a square, or narrow and irregular: columns or rows too
  // few, rows of zeros. By way of squares on the stack, loaded as far as src
  // goes and stored as far as dst does.
  [[gnu::noinline]] void edge() {
    for (std::int64_t s = 0; s < strips_; ++s) {
      const std::int64_t present =
          std::clamp<std::int64_t>(present_ - s * rows, 0, rows);
      for (std::int64_t j = 0; j < tile_.count[1]; j += n) {
        edge(row_ + s * rows, present, j, dst_ + s * bytes);
      }
    }
  }
  void edge(std::int64_t row, std::int64_t present, std::int64_t column,
            std::byte* dst) {
    constexpr std::int64_t pitch = std::max(16, width);
    alignas(64) std::byte in[rows * pitch];
    alignas(64) std::byte out[n * bytes];
    const std::int64_t taken = std::min(n, tile_.count[1] - column);
    const std::byte* const src = tile_.src + column * width;
    for (std::int64_t i = 0; i < present; ++i) {
      const std::byte* const from = src + tile_.row_at(row + i);
      if (tile_.src_end - from >= pitch) {
        std::memcpy(in + i * pitch, from, pitch);
      } else {
        copy_short(in + i * pitch, from, taken * width);
      }
    }
    std::memset(in + present * pitch, 0,
                static_cast<std::size_t>((rows - present) * pitch));
    square<false>(in, pitch, out, ByStride{0, bytes});
    for (std::int64_t k = 0; k < taken; ++k) {
      store_some(dst + tile_.column_at(column + k), out + k * bytes);
    }
  }

  void store_some(std::byte* to, const std::byte* from) const {
    if (used_ == bytes) {
      std::memcpy(to, from, bytes);
    } else {
      copy_short(to, from, used_);
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
  static void run(const Tile& tile) { each_plane<&rows<false>>(tile); }
  static void stream(const Tile& tile) { each_plane<&rows<true>>(tile); }

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
