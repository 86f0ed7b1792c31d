// Deinterleaves: columns of a few lanes each, dense in src, to rows of dst.
// Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/column_lines.hpp"
#include "reorder/kernels/lanes.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streaming.hpp"

namespace stridewise {
namespace {

// By vectors of type Long; of type Wide where lanes stream.
template <class Wide, int width, class Long = Wide>
class Deinterleave {
  static constexpr auto fits = [](int J) { return J <= 8; };
  static constexpr std::int64_t few = 8;  // lines of a column

 public:
  static void run(const Tile& tile) { dispatch(tile, false); }
  static void stream(const Tile& tile) { dispatch(tile, true); }

 private:
  static void dispatch(const Tile& tile, bool streams) {
    with_constant<fits>(tile.src_stride[0] / width, [&](auto lanes) {
      constexpr int J = lanes();
      if (streams && goes_on_by_lanes(tile)) {
        const PlanesAhead ahead(tile, tile.count[0] * J * width);
        if (ahead.any()) {
          return each_plane(tile, [&](Tile& plane, std::int64_t left) {
            plane.next_src = ahead.from(left);
            whole_lanes<J>(plane);
          });
        }
      }
      each_plane(tile, streams ? whole_lines<J> : rows<J, false>);
    });
  }

  // Whether columns are lanes, and go on in dst from plane to plane: then the next ones
  // fill their lines while the write-combining buffers keep them.
  static bool goes_on_by_lanes(const Tile& tile) {
    const std::int64_t column = tile.count[0] * width;
    return tile.dst_stride[2] == column && column % 16 == 0 &&
           tile.dst_stride[1] % 16 == 0 && planes_aligned(tile, 16);
  }
  template <int J>
  static void whole_lanes(const Tile& tile) {
    if (inside<J>(tile) < tile.count[0]) return rows<J, false>(tile);
    constexpr std::int64_t step = 16 / width;
    constexpr std::int64_t some = Wide::lanes * Wide::lane_bytes / width;
    std::int64_t i = 0;
    const std::byte* const next = tile.src + tile.next_src;
    if constexpr (some > step) {
      for (; tile.count[0] - i >= some; i += some) {
        ask_for<some * J * width>(next + i * J * width);
        block<Wide, J, true>(tile, i);
      }
    }
    for (; i < tile.count[0]; i += step) {
      ask_for<step * J * width>(next + i * J * width);
      block<Vector128, J, true>(tile, i);
    }
  }

  // Columns that share most of their lines are put together by the caches.
  template <int J>
  static void whole_lines(const Tile& tile) {
    constexpr std::int64_t step = line / width;
    const bool together = tile.dst_stride[1] % line == 0;
    const std::int64_t head = to_next_line(tile.dst);
    if ((!together || head > 0) && tile.count[0] < few * step) {
      return rows<J, false>(tile);
    }
    if (!together || head % width != 0) {
      // Of few long columns the write-combining buffers keep lines until they are
      // full.
      const bool by_lanes = head % 16 == 0 && tile.dst_stride[1] % 16 == 0 &&
                            tile.count[0] >= 8 * few * step;
      return by_lanes ? rows<J, true>(tile) : apart<J>(tile);
    }
    const std::int64_t lead = head / width;
    rows<J, false>(rows_of<J>(tile, 0, lead));
    const std::int64_t whole = lines<J>(tile, lead);
    rows<J, false>(rows_of<J>(tile, whole, tile.count[0] - whole));
  }

  // Columns of which each begins elsewhere in a line.
  template <int J>
  static void apart(const Tile& tile) {
    constexpr std::int64_t step = line / width;
    using Lines = ColumnLines<Wide, J, few>;
    Tile part = rows_of<J>(tile, 0, step);
    part.count[1] = J;
    part.dst_stride[1] = Lines::stage_pitch;
    const std::int64_t end = inside<J>(tile) / step;
    const auto make = [&](std::byte* to) {
      part.dst = to;
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < step;
           r += Long::lanes * Long::lane_bytes / width) {
        block<Long, J, false>(part, r);
      }
      ask_in_order(part.src, J * line);
      part.src += J * line;
    };
    Lines::write(tile.dst, tile.dst_stride[1], tile.count[1], end, make);
    rows<J, false>(rows_of<J>(tile, end * step, tile.count[0] - end * step));
  }

  template <int J>
  static Tile rows_of(const Tile& tile, std::int64_t from, std::int64_t count) {
    Tile part = tile;
    part.count[0] = count;
    part.src += from * J * width;
    part.dst += from * width;
    return part;
  }

  // Rows that may be read as whole groups: with the lanes that are not taken,
  // which at the very end may lie outside src.
  template <int J>
  static std::int64_t inside(const Tile& tile) {
    return std::min<std::int64_t>(tile.count[0],
                                  (tile.src_end - tile.src) / (J * width));
  }

  // Rows from i on by a line of each column at once: of lines written in turns,
  // the write-combining buffers would lose some before they are full. Returns the
  // row after them.
  template <int J>
  static std::int64_t lines(const Tile& tile, std::int64_t i) {
    constexpr std::int64_t step = line / width;
    constexpr std::int64_t vector_bytes = Wide::lane_bytes * Wide::lanes;
    alignas(line) std::byte stage[J * line];
    Tile part = rows_of<J>(tile, i, step);
    part.dst = stage;
    part.dst_stride[1] = line;
    part.count[1] = J;
    for (const std::int64_t end = inside<J>(tile); end - i >= step; i += step) {
#pragma GCC unroll 4
      for (std::int64_t at = 0; at < line; at += vector_bytes) {
        block<Wide, J, false>(part, at / width);
      }
      ask_in_order(part.src, J * line);
      part.src += J * line;
#pragma GCC unroll 8
      for (int j = 0; j < J; ++j) {
        if (j >= tile.count[1]) continue;
        stream_line<Wide>(tile.dst + i * width + j * tile.dst_stride[1],
                          stage + j * line);
      }
    }
    return i;
  }

  template <int J, bool streams>
  [[gnu::noinline]] static void rows(const Tile& tile) {
    using Vector = std::conditional_t<streams, Wide, Long>;
    constexpr std::int64_t step = Vector::lanes * Vector::lane_bytes / width;
    const std::int64_t count = inside<J>(tile);
    std::int64_t i = 0;
    if constexpr (step > 16 / width) {
      for (; count - i >= step; i += step) block<Vector, J, streams>(tile, i);
    }
    if (i < tile.count[0]) last_rows<J>(tile, i, count);
  }

  // From row i on; the first `inside` rows may be read by whole groups.
  template <int J>
  [[gnu::noinline]] static void last_rows(const Tile& tile, std::int64_t i,
                                          std::int64_t inside) {
    constexpr std::int64_t step = 16 / width;
    if (tile.count[0] < step) return few_rows<J>(tile);
    if (inside >= step) {
      for (; i < inside; i += step) {
        block<Vector128, J, false>(tile, std::min(i, inside - step));
      }
      i = inside;
    }
    for (; i < tile.count[0]; ++i) {
      for (std::int64_t j = 0; j < tile.count[1]; ++j) {
        std::memcpy(tile.dst + j * tile.dst_stride[1] + i * width,
                    tile.src + (i * J + j) * width, width);
      }
    }
  }

  // Fewer rows than 16 bytes of a column are, by way of whole vectors: a copy of
  // rows where those would reach beyond src.
  template <int J>
  static void few_rows(const Tile& tile) {
    std::array<std::byte, 16 * J> rows;
    std::array<std::byte, 16 * J> columns;
    Tile part = tile;
    if (tile.src_end - tile.src < 16 * J) {
      const std::int64_t bytes = std::min<std::int64_t>(
          tile.count[0] * J * width, tile.src_end - tile.src);
      rows = {};
      std::memcpy(rows.data(), tile.src, static_cast<std::size_t>(bytes));
      part.src = rows.data();
    }
    part.dst = columns.data();
    part.dst_stride[1] = 16;
    block<Vector128, J, false>(part, 0);
    for (std::int64_t j = 0; j < tile.count[1]; ++j) {
      copy_short(tile.dst + j * tile.dst_stride[1], columns.data() + 16 * j,
                 tile.count[0] * width);
    }
  }

  template <class Vector, int J, bool streams>
  [[gnu::always_inline]] static void block(const Tile& tile, std::int64_t i) {
    constexpr std::int64_t lane_bytes = Vector::lane_bytes;
    const std::byte* const src = tile.src + i * J * width;
    std::byte* const dst = tile.dst + i * width;
    typename Vector::type in[J];
    typename Vector::type out[J];
#pragma GCC unroll 16
    for (int k = 0; k < J; ++k) {
      in[k] = Vector::gather(
          [&](int lane) { return src + (lane * J + k) * lane_bytes; });
    }
    if (streams) ask_in_order(src, J * lane_bytes * Vector::lanes);
    Lanes<Vector, width, J, true>::permute(in, out);
#pragma GCC unroll 16
    for (int j = 0; j < J; ++j) {
      if (j >= tile.count[1]) continue;
      std::byte* const to = dst + j * tile.dst_stride[1];
      if constexpr (streams) {
        ask_page_after(to, lane_bytes * Vector::lanes);
        Vector::scatter_stream(
            [&](std::int64_t lane) { return to + lane_bytes * lane; }, out[j]);
      } else {
        Vector::store(to, out[j]);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
