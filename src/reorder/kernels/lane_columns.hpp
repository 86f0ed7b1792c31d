// The last rows of a transpose, fewer than a line: as many as a lane holds, by
// vectors whose lanes are columns. Included as transpose.hpp is.
//
// Vectors of a row each are zipped within lanes, so that each lane ends as a piece of
// one column, which is stored alone: a strip of short columns would zip as many
// vectors, each of which held one lane or two.
//
//   a0 a1 a2 a3  a4 a5 a6 a7          a0 b0 c0 d0  a4 b4 c4 d4
//   b0 b1 b2 b3  b4 b5 b6 b7    ->    a1 b1 c1 d1  a5 b5 c5 d5
//   c0 c1 c2 c3  c4 c5 c6 c7          ...
//   d0 d1 d2 d3  d4 d5 d6 d7
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class LaneColumns {
  using S = Squares<Vector, width, line>;
  using V = typename S::V;

 public:
  // Rows of a lane, and columns of a vector.
  static constexpr std::int64_t rows = S::n;
  static constexpr std::int64_t some = S::vector_bytes / width;

  static bool suits(const Tile& tile) {
    return Vector::lanes > 1 && tile.count[1] >= some &&
           tile.row_offset == nullptr && tile.zeros == 0;
  }

  // `rows` rows from `row` on, of all columns.
  static void run(const Tile& tile, std::int64_t row) {
    if (tile.column_offset != nullptr) {
      run(tile, row, typename S::ByTable{tile.column_offset});
    } else {
      run(tile, row, typename S::ByStride{0, tile.dst_stride[1]});
    }
  }

  // The same of `count` columns, at least `some`.
  template <class Rows, class Columns>
  [[gnu::always_inline]] static void columns(Rows from, std::byte* dst,
                                             Columns to, std::int64_t count) {
    for (std::int64_t j = 0; j < count; j += some) {
      const std::int64_t at = std::min(j, count - some);
      vectors(from.at(at * width), dst, to.from(at));
    }
  }

 private:
  template <class Columns>
  [[gnu::noinline]] static void run(const Tile& tile, std::int64_t row,
                                    Columns to) {
    const typename S::ByPitch from{tile.src, tile.src_stride[0]};
    columns(from.from(row), tile.dst + row * width, to, tile.count[1]);
  }

  template <class Rows, class Columns>
  [[gnu::always_inline]] static void vectors(Rows from, std::byte* dst,
                                             Columns to) {
    V v[rows];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < rows; ++i) v[i] = Vector::load(from.row(i));
    S::transpose_lanes(v);
#pragma GCC unroll 16
    for (std::int64_t k = 0; k < rows; ++k) {
      Vector::scatter(
          [=](std::int64_t lane) { return dst + to.at(lane * rows + k); },
          v[k]);
    }
  }
};

}  // namespace
}  // namespace stridewise
