// Transposes whose elements are 16 bytes and more: nothing changes in a register, so
// blocks of elements that fill the registers are read as they lie in src and written
// as they lie in dst.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "reorder/kernels/out_of_order.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// Of strips that hold a line of each column.
template <class Vector, int width>
class ChunkBlocks {
  using S = Squares<Vector, width, 64>;
  using Rows = typename S::ByPitch;
  using V = typename Vector::type;
  static constexpr std::int64_t rows = S::rows;
  static constexpr std::int64_t bytes = line;
  static constexpr std::int64_t vector_bytes = S::vector_bytes;
  static constexpr std::int64_t parts = S::parts;

 public:
  // All strips of a tile, by blocks that fit the registers: some of the shorter side
  // all along the longer one. `far`: src is beyond the caches next to a core.
  [[gnu::noinline]] static void run(const std::byte* src, std::int64_t pitch,
                                    std::byte* dst, std::int64_t stride,
                                    std::int64_t count, std::int64_t strips,
                                    bool far) {
    const bool tall = strips >= count;
    const std::int64_t shorter = tall ? count : strips;
    for (std::int64_t k = 0; k < shorter;) {
      const std::int64_t left = shorter - k;
      const std::int64_t groups = (left + most_across - 1) / most_across;
      const std::int64_t some = (left + groups - 1) / groups;
      // Few streams that leave nothing between them are best read as they come.
      const bool in_order = far || (some == shorter && some <= 4);
      if (tall) {
        rank<true>(some, src + k * width, pitch, dst + k * stride, stride,
                   strips, in_order);
      } else {
        rank<false>(some, src + k * rows * pitch, pitch, dst + k * bytes,
                    stride, count, in_order);
      }
      k += some;
    }
  }

 private:
  // Lines of a block of so many across, which registers hold.
  static constexpr int block_lines(int across) {
    return Vector::lanes < 4 || across <= 4 || width == 16 ? 4 * Vector::lanes
                                                           : 24;
  }
  static constexpr int most_across = std::min<int>(4 * Vector::lanes, 8);
  // So many along those across fit the registers, as a power of two.
  static constexpr int along_of(int across) {
    return static_cast<int>(std::bit_floor(
        static_cast<unsigned>(std::max(block_lines(across) / across, 1))));
  }

  template <bool tall, int across = 1>
  static void rank(std::int64_t some, const std::byte* src, std::int64_t pitch,
                   std::byte* dst, std::int64_t stride, std::int64_t count,
                   bool in_order) {
    if constexpr (across < most_across) {
      if (some > across) {
        return rank<tall, across + 1>(some, src, pitch, dst, stride, count,
                                      in_order);
      }
    }
    // Parts of lines stay together.
    const bool splits = !tall && along_of(across) * width < line / 2;
    in_order || splits
        ? blocks<tall, across, true>(src, pitch, dst, stride, count)
        : blocks<tall, across, false>(src, pitch, dst, stride, count);
  }

  template <bool tall, int across, bool in_order>
  [[gnu::noinline]] static void blocks(const std::byte* src, std::int64_t pitch,
                                       std::byte* dst, std::int64_t stride,
                                       std::int64_t count) {
    constexpr int along = along_of(across);
    const std::int64_t src_step = tall ? rows * pitch : width;
    const std::int64_t dst_step = tall ? bytes : stride;
    const std::int64_t whole = count / along;
    for (std::int64_t b = 0; b < whole; ++b) {
      const std::int64_t i = (in_order ? b : out_of_order(b, whole)) * along;
      block<tall ? along : across, tall ? across : along>(
          src + i * src_step, pitch, dst + i * dst_step, stride);
    }
    for (std::int64_t i = whole * along; i < count; ++i) {
      block<tall ? 1 : across, tall ? across : 1>(src + i * src_step, pitch,
                                                  dst + i * dst_step, stride);
    }
  }

  // Reads all of a block, as it lies in src, before it writes any, as it lies in
  // dst: in the L2 cache nearly twice as fast as by turns.
  template <int strips, int count>
  [[gnu::always_inline]] static void block(const std::byte* src,
                                           std::int64_t pitch, std::byte* dst,
                                           std::int64_t stride) {
    V v[strips][count][parts];
#pragma GCC unroll 16
    for (std::int64_t s = 0; s < strips; ++s) {
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < count; ++j) {
#pragma GCC unroll 4
        for (std::int64_t part = 0; part < parts; ++part) {
          S::load(Rows{src + j * width, pitch}, part * vector_bytes,
                  &v[s][j][part]);
          keep_order();
        }
      }
      src += rows * pitch;
    }
#pragma GCC unroll 16
    for (std::int64_t j = 0; j < count; ++j) {
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < strips; ++s) {
#pragma GCC unroll 4
        for (std::int64_t part = 0; part < parts; ++part) {
          Vector::store(dst + s * bytes + part * vector_bytes, v[s][j][part]);
          keep_order();
        }
      }
      dst += stride;
    }
  }
};

}  // namespace
}  // namespace stridewise
