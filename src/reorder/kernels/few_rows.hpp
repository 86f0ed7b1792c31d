// Transposes of a few rows, zeros included, to columns of less than 16 bytes that
// lie apart in dst. Included as transpose.hpp is.
//
// Rows are interleaved in the nearest cache; columns are moved from there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/interleave.hpp"

namespace stridewise {
namespace {

template <class Wide, int width>
class FewRows {
 public:
  static bool suits(const Tile& tile) {
    const std::int64_t rows = tile.count[0] + tile.zeros;
    const std::int64_t most = tile.zeros > 0 ? 16 : 15;  // bytes of a column
    return tile.count[0] >= 2 && rows <= 8 && rows * width <= most &&
           tile.row_offset == nullptr;
  }

  // Rows and columns.
  static void run(const Tile& tile) {
    const std::int64_t bytes = (tile.count[0] + tile.zeros) * width;
    alignas(16) std::byte stage[some * 16];
    Tile part = tile;
    part.count[2] = part.count[3] = 1;
    part.dst = stage;
    part.dst_stride[1] = bytes;
    part.column_offset = nullptr;
    for (std::int64_t j = 0; j < tile.count[1]; j += some) {
      part.count[1] = std::min(some, tile.count[1] - j);
      Interleave<Wide, width>::run(part);
      part.src += some * width;
      switch (bytes) {
        case 4:
          move<4>(tile, j, part.count[1], stage);
          break;
        case 8:
          move<8>(tile, j, part.count[1], stage);
          break;
        case 16:
          move<16>(tile, j, part.count[1], stage);
          break;
        default:
          for (std::int64_t k = 0; k < part.count[1]; ++k) {
            copy_short(tile.dst + tile.column_at(j + k), stage + k * bytes,
                       bytes);
          }
      }
    }
  }

 private:
  static constexpr std::int64_t some = 64;  // columns

  template <std::size_t bytes>
  static void move(const Tile& tile, std::int64_t first, std::int64_t count,
                   const std::byte* from) {
    for (std::int64_t k = 0; k < count; ++k) {
      std::memcpy(tile.dst + tile.column_at(first + k), from, bytes);
      from += bytes;
    }
  }
};

}  // namespace
}  // namespace stridewise
