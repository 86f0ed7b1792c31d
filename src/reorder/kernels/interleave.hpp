// Interleaves of a few rows (image lanes, colour channels, batches in a word) for
// every instruction set, within lanes of vectors. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/lanes.hpp"
#include "reorder/kernels/out_of_order.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// How many planes a block takes: one, or some that lie apart in src, perhaps to be
// a vector of dst each, or beside each other.
enum class Planes : std::uint8_t { one, apart, vectors, beside };

// Long rows, planes beside each other, and where it loads first bytes alone, those of
// rows that are parts of it, by vectors of type Long; other short planes by type Wide,
// some at once; the last columns by Vector128. From 32 bytes on, rows are transposed.
template <class Wide, int width, class Long = Wide>
class Interleave {
  static constexpr auto fits = [](int J) {
    return J * width < 32 && (J <= 8 || width == 1);
  };
  // Columns that fill 16 bytes of each row.
  static constexpr std::int64_t step = 16 / width;
  static constexpr std::int64_t long_row = 4096;  // bytes of dst

 public:
  static void run(const Tile& tile) { dispatch(tile, false); }
  static void stream(const Tile& tile) {
    dispatch(tile, planes_aligned(tile, 16));
  }

 private:
  static void dispatch(const Tile& tile, bool streams) {
    with_constant<fits>(tile.count[0] + tile.zeros, [&](auto all) {
      streams ? planes<all(), true>(tile) : planes<all(), false>(tile);
    });
  }

  // Whether planes of one lane a row are a vector of dst each, and lanes of those of
  // some planes can change places.
  template <int J>
  static constexpr bool vector_each = (J == Wide::lanes) && requires {
    &Wide::transpose_lanes;
  };

  // Whether so many first bytes of a vector, which is one lane, can be loaded and stored
  // alone.
  template <class Vector>
  static constexpr bool loads_first = Vector::lanes == 1 && requires {
    &Vector::load_first;
  };

  // All planes, of rows that a vector holds but whole lanes do not. Not inline, so that
  // what it needs of all planes stays in registers.
  template <class Vector, int J>
  [[gnu::noinline]] static void short_planes(const Tile& tile) {
    constexpr std::int64_t some = Vector::lane_bytes;
    constexpr std::int64_t planes_ahead = 4;
    const std::int64_t bytes = tile.count[1] * width;
    const std::int64_t ahead = planes_ahead * tile.src_stride[2];
    each_plane(tile, [&](const Tile& plane) {
      typename Vector::type in[J];
      typename Vector::type out[J];
#pragma GCC unroll 16
      for (int i = 0; i < J; ++i) {
        const std::byte* const row = plane.src + i * tile.src_stride[0];
        if (tile.prefetch) __builtin_prefetch(row + ahead, 0, 2);
        in[i] =
            i < tile.count[0] ? Vector::load_first(row, bytes) : Vector::zero();
      }
      Lanes<Vector, width, J, false>::permute(in, out);
#pragma GCC unroll 16
      for (int k = 0; k < J; ++k) {
        const std::int64_t left = bytes * J - k * some;
        if (left >= some) {
          Vector::store(plane.dst + k * some, out[k]);
        } else if (left > 0) {
          Vector::store_first(plane.dst + k * some, out[k], left);
        }
      }
    });
  }

  template <int J, bool streams>
  static void planes(Tile plane) {
    if constexpr (loads_first<Long> && !streams) {
      const std::int64_t bytes = plane.count[1] * width;
      if (bytes < Long::lane_bytes && bytes % 16 != 0) {
        return short_planes<Long, J>(plane);
      }
    }
    const PlanesAhead ahead(plane, plane.count[0] * plane.count[1] * width);
    const std::int64_t next_src = plane.next_src;
    for (LoopsAround around(plane); around.more(); around.next()) {
      plane.next_src = next_src;
      plane.src = around.src();
      plane.dst = around.dst();
      std::int64_t left = plane.count[2];
      const auto go_on = [&](std::int64_t by) {
        left -= by;
        plane.src += by * plane.src_stride[2];
        plane.dst += by * plane.dst_stride[2];
      };
      if (!streams || steps_by_lines(plane)) {
        go_on(beside<J, streams, 16>(plane, left));
        go_on(beside<J, streams, 32>(plane, left));
      }
      // Planes of one lane each fill a vector together.
      if (Wide::lanes > 1 && plane.count[1] == step) {
        if constexpr (vector_each<J>) {
          if (!streams || steps_by_lines(plane)) {
            for (; left >= Wide::lanes; go_on(Wide::lanes)) {
              block<Wide, J, streams, Planes::vectors>(plane, 0);
            }
          }
        }
        for (; left >= Wide::lanes; go_on(Wide::lanes)) {
          block<Wide, J, streams, Planes::apart>(plane, 0);
        }
      }
      while (left > 0) {
        plane.next_src = ahead.from(left);
        columns<J, streams>(plane);
        go_on(1);
      }
    }
  }

  // Planes of so many bytes a row that lie beside each other in src and of which
  // each begins with a vector in dst, so that a vector of each row makes some.
  // Returns how many of the planes that are left are done.
  template <int J, bool streams, std::int64_t row>
  [[gnu::always_inline]] static std::int64_t beside(Tile plane,
                                                    std::int64_t left) {
    constexpr std::int64_t some = Long::lane_bytes / row;
    std::int64_t done = 0;
    if constexpr (some > 1 && row * J % Long::lane_bytes == 0) {
      if (plane.count[1] * width != row || plane.src_stride[2] != row) return 0;
      for (; left - done >= some; done += some) {
        block<Long, J, streams, Planes::beside, row>(plane, 0);
        plane.src += some * row;
        plane.dst += some * plane.dst_stride[2];
      }
    }
    return done;
  }

  static bool steps_by_lines(const Tile& plane) {
    return (reinterpret_cast<std::uintptr_t>(plane.dst) |
            static_cast<std::uintptr_t>(plane.dst_stride[2])) %
               line ==
           0;
  }

  template <int J, bool streams>
  [[gnu::always_inline]] static void columns(const Tile& tile) {
    if constexpr (!streams || Long::lane_bytes == 16) {
      return columns_from<Long, J, streams>(tile, 0);
    }
    // Whole vectors stream from the first column that begins with one; ends of
    // short rows would be written by other stores than the rest of their lines.
    const std::int64_t bytes = tile.count[1] * J * width;
    std::int64_t lead = 0;
    std::int64_t at = to_next_line(tile.dst);
    if (bytes >= long_row) {
      for (; at % line != 0 && lead < line; ++lead) at -= J * width;
    }
    if (at % line != 0 || (bytes < long_row && bytes % line != 0)) {
      return columns_from<Wide, J, true>(tile, 0);
    }
    if (lead > 0) {
      Tile first = tile;
      first.count[1] = lead;
      last_columns<J, false>(first, 0);
    }
    columns_from<Long, J, true>(tile, lead);
  }

  // Pre: j == 0, unless they stream.
  template <class Vector, int J, bool streams>
  [[gnu::always_inline]] static void columns_from(const Tile& tile,
                                                  std::int64_t j) {
    const std::int64_t count = tile.count[1];
    constexpr std::int64_t some = Vector::lanes * Vector::lane_bytes / width;
    if constexpr (some * width == line && J >= few_rows && !streams) {
      if (count >= few_lines * some && !tile.prefetch) {
        lines_of_columns<Vector, J>(tile, count / some);
        j = count & -some;
      }
    }
    if constexpr (some > step) {
      for (; count - j >= some; j += some) {
        block<Vector, J, streams>(tile, j);
      }
    }
    if constexpr (some > 2 * step) {
      if (count - j >= 2 * step) {
        block<typename Vector::Half, J, streams>(tile, j);
        j += 2 * step;
      }
    }
    if (j < count) last_columns<J, streams>(tile, j);
  }

  // Fewer rows, and fewer lines of each, are best read as they come.
  static constexpr int few_rows = 8;
  static constexpr std::int64_t few_lines = 6;

  // Columns of so many lines of each row.
  template <class Vector, int J>
  [[gnu::noinline]] static void lines_of_columns(const Tile& of,
                                                 std::int64_t lines) {
    const Tile tile = of;  // that no store changes
    for (std::int64_t l = 0; l < lines; ++l) {
      block<Vector, J, false>(tile, out_of_order(l, lines) * (line / width));
    }
  }

  template <int J, bool streams>
  [[gnu::noinline]] static void last_columns(const Tile& tile, std::int64_t j) {
    const std::int64_t count = tile.count[1];
    if (!streams && count < step) return few<J, false>(tile);
    for (; count - j >= step; j += step) {
      block<Vector128, J, streams>(tile, j);
    }
    if (j == count) return;
    if constexpr (streams) {
      // Stores of both kinds by turns wait for each other.
      if constexpr (J % 2 == 0) {
        if ((count - j) * J * width % 16 == 0) return stream_few<J>(tile, j);
      }
      last_columns<J, false>(tile, j);
    } else {
      block<Vector128, J, false>(tile, count - step);
    }
  }

  // Columns from j on, fewer than 16 bytes hold. Not inline, so that others have no
  // tile on their stack.
  template <int J>
  [[gnu::noinline]] static void stream_few(const Tile& tile, std::int64_t j) {
    Tile last = tile;
    last.src += j * width;
    last.dst += j * J * width;
    last.count[1] -= j;
    few<J, true>(last);
  }

  // Columns from j on, a lane of each row a lane; or some planes of `row_bytes`,
  // each of them a lane, or all beside each other in a lane.
  template <class Vector, int J, bool streams, Planes planes = Planes::one,
            std::int64_t row_bytes = 16>
  [[gnu::always_inline]] static void block(const Tile& tile, std::int64_t j) {
    constexpr std::int64_t lane_bytes = Vector::lane_bytes;
    constexpr bool beside = planes == Planes::beside;
    // Vectors that a plane takes of dst.
    constexpr std::int64_t share = beside ? row_bytes * J / lane_bytes : J;
    const std::byte* const src = tile.src + j * width;
    std::byte* const dst = tile.dst + j * J * width;
    typename Vector::type in[J];
    typename Vector::type out[J];
#pragma GCC unroll 16
    for (int i = 0; i < J; ++i) {
      const std::byte* const row = src + i * tile.src_stride[0];
      if (i >= tile.count[0]) {
        in[i] = Vector::zero();
      } else if constexpr (planes == Planes::apart ||
                           planes == Planes::vectors) {
        in[i] = Vector::gather([&](std::int64_t lane) {
          const std::byte* const at = row + lane * tile.src_stride[2];
          if (tile.prefetch) __builtin_prefetch(at + tile.next_src, 0, 2);
          return at;
        });
      } else {
        if (beside && tile.prefetch) {
          __builtin_prefetch(row + tile.next_src, 0, 2);
        }
        constexpr std::int64_t bytes = lane_bytes * Vector::lanes;
        if (streams && planes == Planes::one && j * width % line < bytes) {
          ask_in_order(row, bytes, J);
          // Short rows, see PlanesAhead.
          if (tile.next_src != 0) ask_for<line>(row + tile.next_src);
        }
        in[i] = Vector::load(row);
      }
    }
    Lanes<Vector, width, J, false>::permute(in, out);
    if (streams) ask_page_after(dst, lane_bytes * J * Vector::lanes);
    if constexpr (planes == Planes::vectors) {
      Vector::transpose_lanes(out);
#pragma GCC unroll 4
      for (int k = 0; k < J; ++k) {
        store_or_stream<Vector, streams>(dst + k * tile.dst_stride[2], out[k]);
      }
    } else {
#pragma GCC unroll 16
      for (int k = 0; k < J; ++k) {
        const auto at = [&](std::int64_t lane) {
          return dst +
                 (lane + k / share) * (planes == Planes::one
                                           ? lane_bytes * J
                                           : tile.dst_stride[2]) +
                 k % share * lane_bytes;
        };
        if constexpr (streams) {
          Vector::scatter_stream(at, out[k]);
        } else {
          Vector::scatter(at, out[k]);
        }
      }
    }
  }

  // Fewer columns than 16 bytes hold, by way of whole vectors: copies of rows where
  // those would reach beyond src.
  template <int J, bool streams>
  static void few(const Tile& tile) {
    std::array<std::byte, 16 * J> rows;
    std::array<std::byte, 16 * J> all;
    Tile whole = tile;
    whole.dst = all.data();
    const std::int64_t reach =
        std::max<std::int64_t>((tile.count[0] - 1) * tile.src_stride[0], 0);
    if (tile.src_end - tile.src < reach + 16) {
      rows = {};
      for (std::int64_t i = 0; i < tile.count[0]; ++i) {
        copy_short(rows.data() + 16 * i, tile.src + i * tile.src_stride[0],
                   tile.count[1] * width);
      }
      whole.src = rows.data();
      whole.src_stride[0] = 16;
    }
    block<Vector128, J, false>(whole, 0);
    // Each load is of what one store wrote, which it need not wait for.
    const std::int64_t bytes = tile.count[1] * J * width;
    const std::int64_t vectors = bytes / 16 * 16;
    for (std::int64_t at = 0; at < vectors; at += 16) {
      const auto v = Vector128::load(all.data() + at);
      store_or_stream<Vector128, streams>(tile.dst + at, v);
    }
    if (vectors < bytes) {
      copy_short(tile.dst + vectors, all.data() + vectors, bytes - vectors);
    }
  }
};

}  // namespace
}  // namespace stridewise
