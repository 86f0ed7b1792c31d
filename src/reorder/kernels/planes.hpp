// The loops around a tile that a kernel walks itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reorder/kernels/kernel.hpp"

namespace stridewise {
namespace {

// Whether every plane of the tile begins a multiple of so many bytes of memory.
inline bool planes_aligned(const Tile& tile, std::int64_t bytes) {
  return (reinterpret_cast<std::intptr_t>(tile.dst) | tile.dst_stride[2] |
          tile.dst_stride[3] | tile.outer[0].dst_stride |
          tile.outer[1].dst_stride) %
             bytes ==
         0;
}

// One of its planes, where the tile begins.
inline Tile plane_of(Tile tile) {
  tile.count[2] = tile.count[3] = 1;
  tile.outer = {};
  return tile;
}

inline std::int64_t planes_of(const Tile& tile) {
  return tile.count[2] * tile.count[3] * tile.outer[0].count *
         tile.outer[1].count;
}

// Where the loop [2] of a tile begins, as often as the loops around it say, once at
// least. Counts and strides are copies, so that nothing is read again because of what is
// stored.
class LoopsAround {
 public:
  explicit LoopsAround(const Tile& tile)
      : src_(tile.src),
        dst_(tile.dst),
        loops_{{{tile.count[3], tile.src_stride[3], tile.dst_stride[3]},
                tile.outer[0],
                tile.outer[1]}} {}

  [[nodiscard]] bool more() const { return at_[2] < loops_[2].count; }
  void next() {
    if (step<0>() && step<1>()) step<2>();
  }
  [[nodiscard]] const std::byte* src() const { return src_; }
  [[nodiscard]] std::byte* dst() const { return dst_; }
  // Of the innermost one, the iterations that are left, this one included.
  [[nodiscard]] std::int64_t left() const { return loops_[0].count - at_[0]; }

 private:
  // Whether the loop ended, and begins anew; the outermost one only ends.
  template <std::size_t k>
  bool step() {
    src_ += loops_[k].src_stride;
    dst_ += loops_[k].dst_stride;
    if (++at_[k] < loops_[k].count || k == 2) return false;
    src_ -= loops_[k].count * loops_[k].src_stride;
    dst_ -= loops_[k].count * loops_[k].dst_stride;
    at_[k] = 0;
    return true;
  }

  const std::byte* src_;
  std::byte* dst_;
  std::array<Tile::Loop, 3> loops_;
  std::array<std::int64_t, 3> at_ = {};
};

// Where short planes from memory are read that come later. The processor reads little
// ahead before they end: planes some KiB further on are asked for, at the end of the loop
// those that come next, of this call if there are any.
class PlanesAhead {
 public:
  // `bytes` of src make a plane; none are asked for of longer ones, or from caches.
  PlanesAhead(const Tile& tile, std::int64_t bytes) {
    constexpr std::int64_t far = 4096;
    if (!tile.from_memory || bytes >= far || bytes == 0) return;
    planes_ = std::min((far + bytes - 1) / bytes, tile.count[2]);
    const std::int64_t next =
        tile.count[3] > 1 ? tile.src_stride[3] : tile.next_src;
    near_ = planes_ * tile.src_stride[2];
    far_ = near_ + next - tile.count[2] * tile.src_stride[2];
  }
  // Whether any are asked for.
  [[nodiscard]] bool any() const { return planes_ > 0; }
  // From a plane of which so many are left, itself included; 0: none.
  [[nodiscard]] std::int64_t from(std::int64_t left) const {
    return left > planes_ ? near_ : far_;
  }

 private:
  std::int64_t planes_ = 0, near_ = 0, far_ = 0;
};

// `one` does rows and columns of a plane, and may ask how many of its inner loop
// are left, this one included.
template <class One>
[[gnu::always_inline]] inline void each_plane(const Tile& tile, One one) {
  Tile plane = tile;
  if (tile.count[2] > 1) plane.next_src = tile.src_stride[2];
  for (LoopsAround around(tile); around.more(); around.next()) {
    plane.src = around.src();
    plane.dst = around.dst();
    for (std::int64_t left = tile.count[2]; left > 0; --left) {
      if constexpr (std::is_invocable_v<One, Tile&, std::int64_t>) {
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
