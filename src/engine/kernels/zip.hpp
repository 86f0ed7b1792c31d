// Zips: 2, 4 or 8 rows to columns of less than a lane, and back. Included by the file of
// an instruction set alone.
//
// An element among J vectors has log2(lane / width) bits of column and log2(J) bits of row.
// A round of zips over all vectors rotates those bits by one; a round of unzips rotates
// them back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/kernels/squares.hpp"
#include "engine/kernels/walk.hpp"

namespace stridewise::engine {
namespace {

// J vectors in, J vectors out; `back`: the inverse.
template <class Vector, int width, int J, bool back>
[[gnu::always_inline]] inline void zip_vectors(typename Vector::type* v) {
  using V = typename Vector::type;
  constexpr bool unzips = requires(V a) {
    Vector::template unzip_even<width>(a, a);
  };
  // Zips alone go all the way round.
  constexpr int rounds = std::countr_zero(
      static_cast<unsigned>(back && !unzips ? Vector::lane_bytes / width : J));
  V z[J];
#pragma GCC unroll 8
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 8
    for (int i = 0; i < J; ++i) z[i] = v[i];
#pragma GCC unroll 4
    for (int i = 0; i < J / 2; ++i) {
      if constexpr (back && unzips) {
        v[i] = Vector::template unzip_even<width>(z[2 * i], z[2 * i + 1]);
        v[i + J / 2] =
            Vector::template unzip_odd<width>(z[2 * i], z[2 * i + 1]);
      } else {
        v[2 * i] = Vector::template zip_low<width>(z[i], z[i + J / 2]);
        v[2 * i + 1] = Vector::template zip_high<width>(z[i], z[i + J / 2]);
      }
    }
  }
}

// Calls f with the integral_constant of a power of two from 2 to 8, if J elements are less
// than a lane.
template <int width, class F>
void with_rows(std::int64_t rows, F f) {
  if (rows == 2) return f(std::integral_constant<int, 2>{});
  if constexpr (4 * width < 16) {
    if (rows == 4) return f(std::integral_constant<int, 4>{});
  }
  if constexpr (8 * width < 16) f(std::integral_constant<int, 8>{});
}

// Long: vectors whose zips reach across all of it, where there are such; else Wide.
template <class Long, int width>
class Zip {
 public:
  static void run(const Tile& tile, const Hints& hints) {
    planes<false>(tile, hints);
  }
  static void stream(const Tile& tile, const Hints& hints) {
    dst_bits(tile) % Long::lane_bytes == 0 ? planes<true>(tile, hints)
                                           : planes<false>(tile, hints);
  }

 private:
  template <bool streams>
  static void planes(const Tile& tile, const Hints& hints) {
    with_rows<width>(tile.rows + tile.zeros, [&](auto rows) {
      each_plane(tile, [&](const std::byte* src, std::byte* dst) {
        columns<rows(), streams>(tile, src, dst, hints.ahead);
      });
    });
  }

  // What fills vectors, then lanes; the last lanes reach back.
  template <int J, bool streams>
  static void columns(const Tile& tile, const std::byte* src, std::byte* dst,
                      std::int64_t ahead) {
    constexpr std::int64_t all = Long::lane_bytes * Long::lanes / width;
    constexpr std::int64_t lane = 16 / width;
    std::int64_t j = 0;
    for (; tile.columns - j >= all; j += all) {
      block<Long, J, streams>(tile, src + j * width, dst + j * J * width,
                              ahead);
    }
    using Half = typename Long::Half;
    if constexpr (Long::lanes * Long::lane_bytes > 32) {
      if (tile.columns - j >= 32 / width) {
        block<Half, J, streams>(tile, src + j * width, dst + j * J * width, 0);
        j += 32 / width;
      }
    }
    for (; tile.columns - j >= lane; j += lane) {
      block<Vector128, J, streams>(tile, src + j * width, dst + j * J * width,
                                   0);
    }
    if (j == tile.columns) return;
    if (tile.columns >= lane && !streams) {
      j = tile.columns - lane;
      return block<Vector128, J, false>(tile, src + j * width,
                                        dst + j * J * width, 0);
    }
    for (; j < tile.columns; ++j) {
      for (std::int64_t i = 0; i < J; ++i) {
        std::byte* const to = dst + (j * J + i) * width;
        if (i < tile.rows) {
          std::memcpy(to, row(tile, src, i) + j * width, width);
        } else {
          std::memset(to, 0, width);
        }
      }
    }
  }

  [[gnu::always_inline]] static const std::byte* row(const Tile& tile,
                                                     const std::byte* src,
                                                     std::int64_t i) {
    return src + (tile.row_at != nullptr ? tile.row_at[i] : i * tile.row_pitch);
  }

  template <class Vector, int J, bool streams>
  [[gnu::always_inline]] static void block(const Tile& tile,
                                           const std::byte* src, std::byte* dst,
                                           std::int64_t ahead) {
    typename Vector::type v[J];
#pragma GCC unroll 8
    for (int i = 0; i < J; ++i) {
      if (i >= tile.rows) {
        v[i] = Vector::zero();
        continue;
      }
      const std::byte* const from = row(tile, src, i);
      if (ahead != 0) __builtin_prefetch(from + ahead, 0, 2);
      v[i] = Vector::load(from);
    }
    zip_vectors<Vector, width, J, false>(v);
#pragma GCC unroll 8
    for (int k = 0; k < J; ++k) {
      const auto at = [&](std::int64_t lane) {
        return dst + (lane * J + k) * Vector::lane_bytes;
      };
      if constexpr (streams) {
        Vector::scatter_stream(at, v[k]);
      } else {
        Vector::scatter(at, v[k]);
      }
    }
  }
};

template <class Long, int width>
class Unzip {
 public:
  static void run(const Tile& tile, const Hints& hints) {
    planes<false>(tile, hints);
  }
  static void stream(const Tile& tile, const Hints& hints) {
    const bool columns_aligned =
        tile.column_at == nullptr &&
        (dst_bits(tile) | tile.column_pitch) % vector_bytes == 0;
    columns_aligned ? planes<true>(tile, hints) : planes<false>(tile, hints);
  }

 private:
  static constexpr std::int64_t vector_bytes = Long::lane_bytes * Long::lanes;

  template <bool streams>
  static void planes(const Tile& tile, const Hints& hints) {
    with_rows<width>(tile.row_pitch / width, [&](auto lanes) {
      each_plane(tile, [&](const std::byte* src, std::byte* dst) {
        rows<lanes(), streams>(tile, src, dst, hints.ahead);
      });
    });
  }

  template <int J, bool streams>
  static void rows(const Tile& tile, const std::byte* src, std::byte* dst,
                   std::int64_t ahead) {
    constexpr std::int64_t all = vector_bytes / width;
    constexpr std::int64_t lane = 16 / width;
    // The last row may be the last of src, and shorter than others.
    const std::int64_t readable = (tile.src_end - src) / (J * width);
    const std::int64_t whole = std::min(tile.rows, readable);
    std::int64_t i = 0;
    if constexpr (streams && vector_bytes < line_bytes) {
      // Lines of some columns that stream in parts by turns would be written in parts.
      constexpr std::int64_t of_line = line_bytes / width;
      for (; whole - i >= of_line; i += of_line) {
        lines<J>(tile, src + i * J * width, dst + i * width, ahead);
      }
    }
    for (; whole - i >= all; i += all) {
      block<Long, J, streams>(tile, src + i * J * width, dst + i * width,
                              ahead);
    }
    for (; whole - i >= lane; i += lane) {
      block<Vector128, J, false>(tile, src + i * J * width, dst + i * width, 0);
    }
    if (i < whole && whole >= lane && !streams) {
      block<Vector128, J, false>(tile, src + (whole - lane) * J * width,
                                 dst + (whole - lane) * width, 0);
      i = whole;
    }
    for (; i < tile.rows; ++i) {
      for (std::int64_t j = 0; j < tile.columns; ++j) {
        std::memcpy(column(tile, dst, j) + i * width, src + (i * J + j) * width,
                    width);
      }
    }
  }

  [[gnu::always_inline]] static std::byte* column(const Tile& tile,
                                                  std::byte* dst,
                                                  std::int64_t j) {
    return dst + (tile.column_at != nullptr ? tile.column_at[j]
                                            : j * tile.column_pitch);
  }

  // A line of each column, put together on the stack.
  template <int J>
  [[gnu::always_inline]] static void lines(const Tile& tile,
                                           const std::byte* src, std::byte* dst,
                                           std::int64_t ahead) {
    alignas(64) std::byte held[J * line_bytes];
    Tile part = tile;
    part.column_at = nullptr;
    part.column_pitch = line_bytes;
    for (std::int64_t at = 0; at < line_bytes; at += vector_bytes) {
      block<Long, J, false>(part, src + at * J, held + at, ahead);
    }
    for (std::int64_t j = 0; j < tile.columns; ++j) {
      for (std::int64_t at = 0; at < line_bytes; at += vector_bytes) {
        Long::stream(column(tile, dst, j) + at,
                     Long::load(held + j * line_bytes + at));
      }
    }
  }

  template <class Vector, int J, bool streams>
  [[gnu::always_inline]] static void block(const Tile& tile,
                                           const std::byte* src, std::byte* dst,
                                           std::int64_t ahead) {
    typename Vector::type v[J];
#pragma GCC unroll 8
    for (int k = 0; k < J; ++k) {
      v[k] = Vector::gather([&](std::int64_t lane) {
        return src + (lane * J + k) * Vector::lane_bytes;
      });
    }
    if (ahead != 0) {
#pragma GCC unroll 8
      for (std::int64_t at = 0; at < J * Vector::lanes * Vector::lane_bytes;
           at += line_bytes) {
        __builtin_prefetch(src + ahead + at, 0, 2);
      }
    }
    zip_vectors<Vector, width, J, true>(v);
#pragma GCC unroll 8
    for (int j = 0; j < J; ++j) {
      if (j < tile.columns) put<Vector, streams>(column(tile, dst, j), v[j]);
    }
  }
};

}  // namespace
}  // namespace stridewise::engine
