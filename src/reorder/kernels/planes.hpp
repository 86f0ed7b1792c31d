// The loops around a tile that a kernel walks itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "reorder/kernels/kernel.hpp"

namespace stridewise {
namespace {

// Whether every plane of the tile begins a multiple of so many bytes of memory.
inline bool planes_aligned(const Tile& tile, std::int64_t bytes) {
  return (reinterpret_cast<std::intptr_t>(tile.dst) | tile.dst_stride[2] |
          tile.dst_stride[3]) %
             bytes ==
         0;
}

// `one` does rows and columns of a plane, and may ask how many of its inner loop
// are left, this one included.
template <class One>
[[gnu::always_inline]] inline void each_plane(const Tile& tile, One one) {
  Tile plane = tile;
  if (tile.count[2] > 1) plane.next_src = tile.src_stride[2];
  for (std::int64_t i = 0; i < tile.count[3]; ++i) {
    plane.src = tile.src + i * tile.src_stride[3];
    plane.dst = tile.dst + i * tile.dst_stride[3];
    for (std::int64_t left = tile.count[2]; left > 0; --left) {
      if constexpr (std::is_invocable_v<One, const Tile&, std::int64_t>) {
        one(plane, left);
      } else {
        one(plane);
      }
      plane.src += tile.src_stride[2];
      plane.dst += tile.dst_stride[2];
    }
  }
}

}  // namespace
}  // namespace stridewise
