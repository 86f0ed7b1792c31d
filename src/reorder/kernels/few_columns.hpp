// Strips of a transpose whose rows are shorter than a square, or, of elements of 8 bytes,
// just one square; one plane after the other. Included as transpose.hpp is.
//
// Rows are read by whole lanes as far as those lie inside src; what they hold after
// the last column is dropped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class FewColumns {
  using S = Squares<Vector, width, line>;
  using V = typename S::V;
  static constexpr std::int64_t n = S::n;

 public:
  static bool suits(const Tile& tile) {
    constexpr std::int64_t most = n == 2 ? n : n - 1;
    return tile.count[1] <= most && tile.count[0] >= S::rows &&
           tile.zeros == 0 && tile.src_stride[0] >= 0;
  }

  // All planes; rest(plane, row) does the rows of one from `row` on.
  template <Put put, class Rest>
  [[gnu::noinline]] static void run(const Tile& tile, Rest rest) {
    // Copies, so that nothing is read again because of what is stored.
    std::int64_t to[n];
    for (std::int64_t k = 0; k < tile.count[1]; ++k) to[k] = tile.column_at(k);
    std::int64_t offset[S::rows];
    const bool by_table = tile.row_offset != nullptr;
    const bool one_strip = by_table && tile.count[0] < 2 * S::rows;
    if (one_strip) std::copy_n(tile.row_offset, S::rows, offset);
    const PlanesAhead ahead(tile, tile.count[0] * tile.count[1] * width);
    const auto some = [&](auto rows, std::byte* dst, std::int64_t left) {
      const std::int64_t next = ahead.from(left);
      if (next != 0) ask_for_rows(rows.at(next), S::rows);
      strip<put>(rows, dst, to, tile.count[1]);
    };
    each_plane(tile, [&](const Tile& plane, std::int64_t left) {
      const std::int64_t rows_inside = inside(plane);
      const std::int64_t strips = rows_inside / S::rows;
      if (one_strip && strips > 0) {
        some(typename S::ByOffset{plane.src, offset}, plane.dst, left);
      } else if (by_table) {
        for (std::int64_t s = 0; s < strips; ++s) {
          some(typename S::ByOffset{plane.src, tile.row_offset + s * S::rows},
               plane.dst + s * line, left);
        }
      } else {
        const typename S::ByPitch rows{plane.src, tile.src_stride[0]};
        for (std::int64_t s = 0; s < strips; ++s) {
          some(rows.from(s * S::rows), plane.dst + s * line, left);
        }
      }
      const std::int64_t done = strips * S::rows;
      if (done == tile.count[0]) return;
      // What is stored once more is what stays.
      if (put == Put::cached && rows_inside == tile.count[0]) {
        const std::int64_t row = tile.count[0] - S::rows;
        const auto last = [&](auto rows) {
          strip<put>(rows, plane.dst + row * width, to, tile.count[1]);
        };
        by_table
            ? last(typename S::ByOffset{plane.src, tile.row_offset + row})
            : last(typename S::ByPitch{plane.src + row * tile.src_stride[0],
                                       tile.src_stride[0]});
      } else {
        rest(plane, done);
      }
    });
  }

 private:
  // The first rows of which whole lanes are inside src; of a table all or none.
  static std::int64_t inside(const Tile& plane) {
    const std::int64_t room = plane.src_end - plane.src - 16;
    if (plane.row_offset != nullptr) {
      return plane.row_reach <= room ? plane.count[0] : 0;
    }
    if (room < 0) return 0;
    const std::int64_t stride = std::max<std::int64_t>(plane.src_stride[0], 1);
    return std::min(plane.count[0], room / stride + 1);
  }

  template <Put put, class Rows>
  [[gnu::always_inline]] static void strip(Rows from, std::byte* dst,
                                           const std::int64_t* to,
                                           std::int64_t count) {
    constexpr bool staged = put != Put::cached && S::parts > 1;
    alignas(64) std::byte stage[staged ? n * line : 1];
    S::each_piece(from, S::parts, [&](std::int64_t k, std::int64_t at, V v) {
      if constexpr (staged) {
        Vector::store(stage + k * line + at, v);
      } else if (k < count) {
        if (put != Put::cached && at == 0) ask_page_after(dst + to[k], line);
        S::template put_vector<put>(dst + to[k] + at, v);
      }
    });
    if constexpr (staged) {
      for (std::int64_t k = 0; k < count; ++k) {
        ask_page_after(dst + to[k], line);
        S::template put_column<put>(dst + to[k], stage + k * line);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
