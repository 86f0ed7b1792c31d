// Transposes of rows of which some are zeros that src does not hold: tails of blocks
// inside of others, as three input channels in groups of four of sixteen outputs.
// Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/irregular_strip.hpp"
#include "reorder/kernels/planes.hpp"

namespace stridewise {
namespace {

template <class Wide, class Half, int width>
class PaddedRows {
 public:
  static void run(const Tile& tile) {
    each_plane(tile, [](const Tile& plane) {
      for (std::int64_t row = 0; row < plane.count[0];) {
        const std::int64_t left = (plane.count[0] - row) * width;
        row = left >= 64   ? strip<Wide, 64>(plane, row)
              : left >= 32 ? strip<Half, 32>(plane, row)
                           : strip<Vector128, 16>(plane, row);
      }
    });
  }

 private:
  // Returns the row after it. The last strip may begin early enough to be whole.
  template <class Vector, int bytes>
  static std::int64_t strip(const Tile& tile, std::int64_t row) {
    constexpr std::int64_t rows = bytes / width;
    const std::int64_t first =
        std::max<std::int64_t>(std::min(row, tile.count[0] - rows), 0);
    const std::int64_t count = std::min(tile.count[0] - first, rows);
    IrregularStrip<Vector, width, bytes>(tile, first, tile.dst + first * width,
                                         count, count * width)
        .template run<true>(Put::cached);
    return first + rows;
  }
};

}  // namespace
}  // namespace stridewise
