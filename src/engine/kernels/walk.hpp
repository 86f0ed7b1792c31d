// The loops around a tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/tile.hpp"

namespace stridewise::engine {
namespace {

// The bits set in dst where any plane begins: their remainder by a power of two is 0 if all
// planes are aligned to it.
inline std::int64_t dst_bits(const Tile& tile) {
  std::int64_t bits = reinterpret_cast<std::intptr_t>(tile.dst);
  for (const Loop& loop : tile.planes) bits |= loop.count > 1 ? loop.dst : 0;
  return bits;
}

// one(src, dst) where each plane of a tile begins.
template <class One>
[[gnu::always_inline]] inline void each_plane(const Tile& tile, One one) {
  // A copy, so that nothing is read again because of what is stored.
  const std::array<Loop, 4> loops = tile.planes;
  const std::byte* src3 = tile.src;
  std::byte* dst3 = tile.dst;
  for (std::int64_t l = 0; l < loops[3].count; ++l) {
    const std::byte* src2 = src3;
    std::byte* dst2 = dst3;
    for (std::int64_t k = 0; k < loops[2].count; ++k) {
      const std::byte* src1 = src2;
      std::byte* dst1 = dst2;
      for (std::int64_t j = 0; j < loops[1].count; ++j) {
        const std::byte* src = src1;
        std::byte* dst = dst1;
        for (std::int64_t i = 0; i < loops[0].count; ++i) {
          one(src, dst);
          src += loops[0].src;
          dst += loops[0].dst;
        }
        src1 += loops[1].src;
        dst1 += loops[1].dst;
      }
      src2 += loops[2].src;
      dst2 += loops[2].dst;
    }
    src3 += loops[3].src;
    dst3 += loops[3].dst;
  }
}

}  // namespace
}  // namespace stridewise::engine
