// Many planes of a transpose that have so few elements that to move each by itself
// takes less than any vector. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/planes.hpp"

namespace stridewise {
namespace {

template <int width>
class TinyPlanes {
  static constexpr std::int64_t lane = 16;
  static constexpr std::int64_t most = 32;  // elements

 public:
  // What has no square.
  static bool suits(const Tile& tile) {
    return tile.count[2] > 1 && tile.count[0] * tile.count[1] <= most &&
           std::min(tile.count[0], tile.count[1]) * width < lane;
  }

  [[gnu::noinline]] static void run(const Tile& tile) {
    // Copies, so that nothing is read again because of what is stored.
    std::int64_t from[most], to[most];
    const std::int64_t rows = tile.count[0], columns = tile.count[1];
    const auto zeros = static_cast<std::size_t>(tile.zeros * width);
    for (std::int64_t i = 0; i < rows; ++i) from[i] = tile.row_at(i);
    for (std::int64_t j = 0; j < columns; ++j) to[j] = tile.column_at(j);
    each_plane(tile, [&](const Tile& plane) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::byte* const src = plane.src + j * width;
        std::byte* column = plane.dst + to[j];
        for (std::int64_t i = 0; i < rows; ++i, column += width) {
          std::memcpy(column, src + from[i], width);
        }
        if (zeros > 0) std::memset(column, 0, zeros);
      }
    });
  }
};

}  // namespace
}  // namespace stridewise
