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
  // Some lines of each row; of chunks, some columns.
  static constexpr std::int64_t most_columns =
      S::chunks ? 16 : 2 * line / width;
  static constexpr std::int64_t most_rows =
      square_bytes < line ? 2 * S::rows - 1 : 4 * S::rows;

 public:
  static bool suits(const Tile& tile) {
    return tile.count[2] > 1 && tile.count[1] >= n &&
           tile.count[1] <= most_columns && tile.count[0] >= S::rows &&
           tile.count[0] <= most_rows && tile.zeros == 0 &&
           tile.crowded_src == 0;
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
    if (tile.row_offset != nullptr) {
      std::int64_t offset[most_rows];
      std::copy_n(tile.row_offset, tile.count[0], offset);
      planes<put>(tile, to, typename S::ByOffset{nullptr, offset});
    } else {
      planes<put>(tile, to, typename S::ByPitch{nullptr, tile.src_stride[0]});
    }
  }

 private:
  // Rows as they lie from where a plane begins.
  template <Put put, class Rows>
  [[gnu::always_inline]] static void planes(const Tile& tile,
                                            const std::int64_t* to, Rows rows) {
    const std::int64_t columns = tile.count[1];
    const std::int64_t last_row = tile.count[0] - S::rows;
    each_plane(tile, [&](const Tile& plane) {
      rows.src = plane.src;
      for (std::int64_t i = 0; i < tile.count[0]; i += S::rows) {
        const std::int64_t row = std::min(i, last_row);
        const Rows from = rows.from(row);
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
