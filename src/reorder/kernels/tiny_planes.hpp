// Many planes of a transpose that have so few elements that to move each by itself
// takes less than any vector. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "reorder/kernels/kernel.hpp"

namespace stridewise {
namespace {

template <int width>
class TinyPlanes {
 public:
  static bool suits(const Tile& tile) {
    return tile.count[2] > 1 && is_tiny(tile.count[0], tile.count[1], width);
  }

  [[gnu::noinline]] static void run(const Tile& tile) {
    // Copies, so that nothing is read again because of what is stored.
    std::int64_t from[most_tiny], to[most_tiny];
    const auto count = tile.count;
    const auto src_stride = tile.src_stride;
    const auto dst_stride = tile.dst_stride;
    const std::int64_t zeros = tile.zeros;
    for (std::int64_t i = 0; i < count[0]; ++i) from[i] = tile.row_at(i);
    for (std::int64_t j = 0; j < count[1]; ++j) to[j] = tile.column_at(j);
    for (std::int64_t l = 0; l < count[3]; ++l) {
      const std::byte* src = tile.src + l * src_stride[3];
      std::byte* dst = tile.dst + l * dst_stride[3];
      for (std::int64_t k = 0; k < count[2]; ++k) {
        for (std::int64_t j = 0; j < count[1]; ++j) {
          std::byte* column = dst + to[j];
          for (std::int64_t i = 0; i < count[0]; ++i, column += width) {
            std::memcpy(column, src + from[i] + j * width, width);
          }
          for (std::int64_t i = 0; i < zeros; ++i, column += width) {
            std::memset(column, 0, width);
          }
        }
        src += src_stride[2];
        dst += dst_stride[2];
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
