// The loops around a tile that a kernel walks itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/kernels/kernel.hpp"

namespace stridewise {
namespace {

// `one` does rows and columns.
template <class One>
[[gnu::always_inline]] inline void each_plane(const Tile& tile, One one) {
  Tile plane = tile;
  if (tile.count[2] > 1) plane.next_src = tile.src_stride[2];
  for (std::int64_t i = 0; i < tile.count[3]; ++i) {
    plane.src = tile.src + i * tile.src_stride[3];
    plane.dst = tile.dst + i * tile.dst_stride[3];
    for (std::int64_t j = 0; j < tile.count[2]; ++j) {
      one(plane);
      plane.src += tile.src_stride[2];
      plane.dst += tile.dst_stride[2];
    }
  }
}

}  // namespace
}  // namespace stridewise
