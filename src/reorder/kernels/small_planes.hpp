// Many planes of a transpose that have few rows and columns, but no fewer than a
// square. Included as transpose.hpp is.
//
// What a plane costs before its first square is most of what it would take by strips
// that look for lines and pages; here all planes are alike. The last squares of rows
// and columns overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// By squares of so many bytes of a column; those of less than a line for columns that
// have none.
template <class Vector, int width, int square_bytes = line>
class SmallPlanes {
  using S = Squares<Vector, width, square_bytes>;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t most_columns = 2 * line / width;
  static constexpr std::int64_t most_rows =
      square_bytes < line ? 2 * S::rows - 1 : 4 * S::rows;

 public:
  static bool suits(const Tile& tile) {
    return tile.count[2] > 1 && tile.count[1] >= n &&
           tile.count[1] <= most_columns && tile.count[0] >= S::rows &&
           tile.count[0] <= most_rows && tile.zeros == 0 &&
           tile.row_offset == nullptr && tile.crowded_src == 0;
  }

  // No rows stream twice.
  static bool suits_streams(const Tile& tile) {
    return suits(tile) && tile.count[0] % S::rows == 0;
  }

  template <Put put>
  [[gnu::noinline]] static void run(const Tile& tile) {
    // Copies, so that nothing is read again because of what is stored.
    std::int64_t to[most_columns];
    const std::int64_t columns = tile.count[1];
    for (std::int64_t k = 0; k < columns; ++k) to[k] = tile.column_at(k);
    const std::int64_t last_row = tile.count[0] - S::rows;
    each_plane(tile, [&](const Tile& plane) {
      for (std::int64_t i = 0; i < tile.count[0]; i += S::rows) {
        const std::int64_t row = std::min(i, last_row);
        const typename S::ByPitch from{plane.src + row * tile.src_stride[0],
                                       tile.src_stride[0]};
        std::byte* const dst = plane.dst + row * width;
        for (std::int64_t j = 0; j < columns; j += n) {
          const std::int64_t first = std::min(j, columns - n);
          if constexpr (put != Put::cached) {
            for (std::int64_t k = first; k < first + n; ++k) {
              ask_page_after(dst + to[k], line);
            }
          }
          S::template square<put>(from.at(first * width), S::parts, dst,
                                  typename S::ByTable{to + first});
        }
      }
    });
  }
};

}  // namespace
}  // namespace stridewise
