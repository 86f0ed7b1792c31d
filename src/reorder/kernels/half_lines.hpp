// Strips of half a line of rows by whole lines of those. Included as transpose.hpp is.
//
// Vectors are lines of rows, of which two times as many as a lane holds elements make
// half a line of a column. Zips within lanes make each lane a piece of a column; two of
// those, of the upper and the lower rows, follow each other there:
//
//   rows 0..n-1    a0 b0 c0 d0 | e0 ..        a0 a1 a2 a3 | e0 ..       a0 a1 .. a7 | ..
//   rows n..2n-1   a4 b4 c4 d4 | e4 ..   ->   a4 a5 a6 a7 | e4 ..   ->
//
// Each line of src is read once and whole: of eight rows or more that lie a power of two
// apart, the L1 cache could not keep them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/out_of_order.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class HalfLines {
  using S = Squares<Vector, width, line>;
  using V = typename Vector::type;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t half = line / 2;

 public:
  // Of shorter elements registers hold too few.
  static constexpr bool exists =
      Vector::lanes == 4 && (width == 4 || width == 8);
  static constexpr std::int64_t rows = 2 * n;
  static constexpr std::int64_t block = line / width;  // columns

  static bool suits(const Tile& tile) {
    return tile.count[0] == rows && tile.zeros == 0 &&
           tile.row_offset == nullptr && tile.column_offset == nullptr &&
           tile.count[1] >= block;
  }

  static void run(const Tile& tile) {
    columns(tile.src, tile.src_stride[0], tile.dst, tile.dst_stride[1],
            tile.count[1]);
  }

  // At least a block of columns.
  static void columns(const std::byte* src, std::int64_t pitch, std::byte* dst,
                      std::int64_t stride, std::int64_t count) {
    stride == half ? blocks<half>(src, pitch, dst, half, count)
                   : blocks<0>(src, pitch, dst, stride, count);
  }

 private:
  // `known`: the stride, if it is a constant.
  template <std::int64_t known>
  [[gnu::noinline]] static void blocks(const std::byte* src, std::int64_t pitch,
                                       std::byte* dst, std::int64_t stride,
                                       std::int64_t count) {
    const std::int64_t step = known > 0 ? known : stride;
    const std::int64_t whole = count / block;
    for (std::int64_t k = 0; k < whole; ++k) {
      const std::int64_t j = out_of_order(k, whole) * block;
      square(src + j * width, pitch, dst + j * step, step);
    }
    if (whole * block < count) {
      using Rest = Squares<typename Vector::Half, width, half>;
      const std::int64_t j = std::min(whole * block, count - n);
      Rest::template squares<Put::cached, false>(
          src + j * width, pitch, dst, typename Rest::ByStride{j * step, step},
          count - j);
    }
  }

  [[gnu::always_inline]] static void square(const std::byte* src,
                                            std::int64_t pitch, std::byte* dst,
                                            std::int64_t stride) {
    V upper[n];
    V lower[n];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i) {
      upper[i] = Vector::load(src + i * pitch);
    }
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i) {
      lower[i] = Vector::load(src + (n + i) * pitch);
    }
    S::transpose_lanes(upper);
    S::transpose_lanes(lower);
    // Vector k holds of every n columns the k-th.
#pragma GCC unroll 16
    for (std::int64_t k = 0; k < n; ++k) {
      V pairs[2];
      Vector::zip_lanes(upper[k], lower[k], pairs);
#pragma GCC unroll 4
      for (std::int64_t l = 0; l < 4; ++l) {
        Vector::template store_some<2>(dst + (l * n + k) * stride,
                                       pairs[l / 2], static_cast<int>(l % 2));
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
