// The last rows of a transpose, fewer than a line: as many as a lane holds, or a part of
// one, by vectors whose lanes are columns. Included as transpose.hpp is.
//
// Vectors of a row each are zipped within lanes, so that each lane ends as a piece of
// one column, or of some columns, which are stored alone: a strip of short columns would
// zip as many vectors, each of which held one lane or two.
//
//   a0 a1 a2 a3  a4 a5 a6 a7          a0 b0 c0 d0  a4 b4 c4 d4
//   b0 b1 b2 b3  b4 b5 b6 b7    ->    a1 b1 c1 d1  a5 b5 c5 d5
//   c0 c1 c2 c3  c4 c5 c6 c7          ...
//   d0 d1 d2 d3  d4 d5 d6 d7
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// `bytes`: of a column.
template <class Vector, int width, int bytes = 16>
class LaneColumns {
  using S = Squares<Vector, width, line>;
  using V = typename S::V;

 public:
  // Rows of `bytes`, and columns of a vector.
  static constexpr std::int64_t rows = bytes / width;
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
    S::template transpose_lanes<rows>(v);
#pragma GCC unroll 16
    for (std::int64_t k = 0; k < rows; ++k) {
      const auto column = [=](std::int64_t lane, std::int64_t part) {
        return dst + to.at(lane * S::n + k * of_lane + part);
      };
      if constexpr (of_lane == 1) {
        Vector::scatter([=](std::int64_t lane) { return column(lane, 0); },
                        v[k]);
      } else {
        Part parts[Vector::lanes][of_lane];
        static_assert(sizeof parts == sizeof(V));
        std::memcpy(parts, &v[k], sizeof parts);
#pragma GCC unroll 4
        for (std::int64_t lane = 0; lane < Vector::lanes; ++lane) {
#pragma GCC unroll 4
          for (std::int64_t part = 0; part < of_lane; ++part) {
            std::memcpy(column(lane, part), &parts[lane][part], bytes);
          }
        }
      }
    }
  }

  // What a lane holds of columns.
  static constexpr std::int64_t of_lane = 16 / bytes;
  using Part = std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>;
};

}  // namespace
}  // namespace stridewise
