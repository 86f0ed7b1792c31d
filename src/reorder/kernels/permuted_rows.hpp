// Rows of up to a line by permutations of bytes across whole vectors: what
// permuted_columns.hpp does, backwards. Included as transpose.hpp is.
//
// The lines that hold a group of rows, a half or a quarter of 16 bytes of each
// column, are permuted so that lanes hold that of two or four columns; zips of lanes
// of all groups then make 16 bytes of a column, and four of those a line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "reorder/kernels/byte_permutation.hpp"
#include "reorder/kernels/short_rows.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Of 4 * quads - 3 to 4 * quads columns.
template <class Vector, int width, int quads>
class PermutedRows {
  using V = typename Vector::type;
  static constexpr int vectors = (quads + 1) / 2 * 2;
  static constexpr int rounds = vectors == 8 ? 2 : 1;
  static constexpr int groups = 1 << rounds;
  static constexpr int of_group = vectors / groups;  // one to three
  static constexpr int share = 16 / groups;  // bytes of a column in a group
  static constexpr int least_columns = 4 * quads - 3;
  static constexpr int lines = (64 * quads / groups + 63) / 64;  // of a group

 public:
  static constexpr std::int64_t columns = 4 * quads;
  static constexpr std::int64_t beyond = line;

  explicit PermutedRows(std::int64_t count)
      : count_(count),
        permutation_(
            &permutations[static_cast<std::size_t>(count - least_columns)]) {}

  template <class Take>
  [[gnu::always_inline]] void each(const std::byte* src, Take take) const {
    V v[vectors][4];
#pragma GCC unroll 4
    for (int b = 0; b < 4; ++b) {
      V of[groups][of_group];
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) {
        V in[lines];
#pragma GCC unroll 4
        for (int l = 0; l < lines; ++l) in[l] = Vector::load(src + l * line);
#pragma GCC unroll 4
        for (int i = 0; i < of_group; ++i) {
          of[g][i] = permutation_->apply(in, i);
        }
        src += share * count_;
      }
#pragma GCC unroll 4
      for (int i = 0; i < of_group; ++i) {
        if constexpr (groups == 2) {
          v[i][b] = Vector::template zip_low<8>(of[0][i], of[1][i]);
          v[of_group + i][b] = Vector::template zip_high<8>(of[0][i], of[1][i]);
        } else {
          const V low01 = Vector::template zip_low<4>(of[0][i], of[1][i]);
          const V low23 = Vector::template zip_low<4>(of[2][i], of[3][i]);
          const V high01 = Vector::template zip_high<4>(of[0][i], of[1][i]);
          const V high23 = Vector::template zip_high<4>(of[2][i], of[3][i]);
          v[i][b] = Vector::template zip_low<8>(low01, low23);
          v[of_group + i][b] = Vector::template zip_high<8>(low01, low23);
          v[2 * of_group + i][b] = Vector::template zip_low<8>(high01, high23);
          v[3 * of_group + i][b] = Vector::template zip_high<8>(high01, high23);
        }
      }
    }
#pragma GCC unroll 8
    for (int q = 0; q < quads; ++q) {
      Vector::transpose_lanes(v[q]);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        if (q == quads - 1 && k > 0 && 4 * q + k >= count_) break;
        take(4 * q + k, v[q][k]);
      }
    }
  }

 private:
  // The vectors of a group.
  using Permutation = BytePermutation<Vector, of_group, lines>;

  static constexpr Permutation permutation_of(int count) {
    Permutation permutation;
    for (int at = 0; at < 64 * of_group; ++at) {
      const int vector = at / 64 + of_group * (at % 16 / share);
      const int column = 4 * vector + at % 64 / 16;
      if (column >= count) continue;
      const int row = at % share / width;
      permutation.set(at, (row * count + column) * width + at % width);
    }
    return permutation;
  }
  static constexpr std::array<Permutation, 4> permutations = {
      permutation_of(least_columns), permutation_of(least_columns + 1),
      permutation_of(least_columns + 2), permutation_of(least_columns + 3)};

  std::int64_t count_;
  const Permutation* permutation_;
};

template <class Vector, int width>
class ShortRowsByPermutation {
 public:
  static constexpr std::int64_t most_short = 64;

  static void run(const Tile& tile) { dispatch<false>(tile); }
  static void stream(const Tile& tile) { dispatch<true>(tile); }

 private:
  template <bool streams, int quads = 2>
  static void dispatch(const Tile& tile) {
    if constexpr (quads < 8 && 4 * quads * width < most_short) {
      if (tile.count[1] > 4 * quads) return dispatch<streams, quads + 1>(tile);
    }
    ShortRows<Vector, width, PermutedRows<Vector, width, quads>, streams>::run(
        tile);
  }
};

}  // namespace
}  // namespace stridewise
