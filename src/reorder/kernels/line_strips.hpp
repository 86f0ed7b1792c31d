// Strips of a line of rows, or half of one, by whole lines of those. Included as
// transpose.hpp is.
//
// Vectors are lines of rows. Zips within lanes make each lane a piece of a column, of as
// many rows as it holds elements; four such pieces, or two, follow each other there:
//
//   rows 0..n-1    a0 b0 c0 d0 | e0 ..        a0 a1 a2 a3 | e0 ..       a0 a1 .. a7 | ..
//   rows n..2n-1   a4 b4 c4 d4 | e4 ..   ->   a4 a5 a6 a7 | e4 ..   ->
//
// Each line of src is read once and whole, which takes the fewest instructions: near a
// core those, and not the caches, are what transposes wait for. Of 8 bytes a line of rows
// is read by lanes (squares.hpp), since loads by lanes cost less than zips of them do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/line_squares.hpp"
#include "reorder/kernels/out_of_order.hpp"
#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// `pieces` of 16 bytes of a column: 4 or 2.
template <class Vector, int width, int pieces>
class LineStrips {
  using S = Squares<Vector, width, line>;
  using V = typename Vector::type;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t column = 16 * pieces;  // bytes

 public:
  // Of shorter elements registers hold too few.
  static constexpr bool exists =
      Vector::lanes == 4 && (width == 4 || width == 8);
  static constexpr std::int64_t rows = pieces * n;
  static constexpr std::int64_t block = line / width;  // columns

  // Whether there are such rows, and lines enough of them.
  static bool suits(const Tile& tile) {
    return tile.zeros == 0 && tile.row_offset == nullptr &&
           tile.column_offset == nullptr && tile.count[1] >= block &&
           tile.count[0] >= rows;
  }
  // Whether those lines are lines of memory, if they are read whole.
  static bool aligned(const Tile& tile) {
    return by_lanes ||
           (reinterpret_cast<std::intptr_t>(tile.src) | tile.src_stride[0]) %
                   line ==
               0;
  }

  // The rows from `row` on, of columns [begin, end), at least a block of them.
  static void run(const Tile& tile, std::int64_t row, std::int64_t begin,
                  std::int64_t end) {
    const std::int64_t pitch = tile.src_stride[0];
    const std::int64_t stride = tile.dst_stride[1];
    const std::byte* const src = tile.src + row * pitch + begin * width;
    std::byte* const dst = tile.dst + row * width + begin * stride;
    stride == column ? blocks<column>(src, pitch, dst, stride, end - begin)
                     : blocks<0>(src, pitch, dst, stride, end - begin);
  }

 private:
  static constexpr bool by_lanes = width == 8 && pieces == 4;

  // `known`: the stride, if it is a constant.
  template <std::int64_t known>
  [[gnu::noinline]] static void blocks(const std::byte* src, std::int64_t pitch,
                                       std::byte* dst, std::int64_t stride,
                                       std::int64_t count) {
    const std::int64_t step = known > 0 ? known : stride;
    const std::int64_t whole = count / block;
    for (std::int64_t k = 0; k < whole; ++k) {
      const std::int64_t j = (by_lanes ? k : out_of_order(k, whole)) * block;
      square(src + j * width, pitch, dst + j * step, step);
    }
    if (whole * block < count) {
      using Rest = Squares<typename Vector::Half, width, column>;
      const std::int64_t j = std::min(whole * block, count - n);
      Rest::template squares<Put::cached, false>(
          src + j * width, pitch, dst, typename Rest::ByStride{j * step, step},
          count - j);
    }
  }

  [[gnu::always_inline]] static void square(const std::byte* src,
                                            std::int64_t pitch, std::byte* dst,
                                            std::int64_t stride) {
    if constexpr (by_lanes) {
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < block; k += n) {
        S::template square<Put::cached>(
            typename S::ByPitch{src + k * width, pitch}, S::parts, dst,
            typename S::ByStride{k * stride, stride});
      }
    } else if constexpr (pieces == 4) {
      LineSquares<Vector, width>::whole_lines(typename S::ByPitch{src, pitch},
                                              dst,
                                              typename S::ByStride{0, stride});
    } else {
      halves(src, pitch, dst, stride);
    }
  }

  [[gnu::always_inline]] static void halves(const std::byte* src,
                                            std::int64_t pitch, std::byte* dst,
                                            std::int64_t stride) {
    V upper[n];
    V lower[n];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < n; ++i) {
      upper[i] = Vector::load(src + i * pitch);
    }
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < n; ++i) {
      lower[i] = Vector::load(src + (n + i) * pitch);
    }
    S::transpose_lanes(upper);
    S::transpose_lanes(lower);
    // Vectors k hold of every n columns the k-th.
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < n; ++k) {
      V pairs[2];
      Vector::zip_lanes(upper[k], lower[k], pairs);
#pragma GCC unroll 4
      for (std::int64_t l = 0; l < 4; ++l) {
        Vector::template store_some<2>(dst + (l * n + k) * stride, pairs[l / 2],
                                       static_cast<int>(l % 2));
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
