// Rows of up to a line by permutations of bytes across whole vectors: what
// permuted_columns.hpp does, backwards. Included as transpose.hpp is.
//
// The lines that hold a group of rows, a half or a quarter of 16 bytes of each
// column, are permuted so that lanes hold that of two or four columns; zips of lanes
// of all groups then make 16 bytes of a column, and four of those a line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/kernels/byte_permutation.hpp"
#include "reorder/kernels/short_rows.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Of columns as Quads has rows.
template <class Vector, int width, class Quads>
class PermutedRows {
  using V = typename Vector::type;
  static constexpr int vectors = Quads::vectors;
  static constexpr int groups = Quads::groups;
  static constexpr int of_group = Quads::of_group;
  static constexpr int lines = Quads::lines;
  static constexpr int share = 16 / groups;  // bytes of a column in a group

 public:
  static constexpr std::int64_t columns = Quads::most_rows;
  static constexpr std::int64_t beyond = line;

  explicit PermutedRows(std::int64_t count)
      : count_(count), permutation_(&permutations[Quads::place(count)]) {}

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
    for (int q = 0; q < Quads::quads; ++q) {
      Vector::transpose_lanes(v[q]);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        if (q == Quads::quads - 1 && k > 0 && 4 * q + k >= count_) break;
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
  static constexpr auto permutations = Quads::each(permutation_of);

  std::int64_t count_;
  const Permutation* permutation_;
};

template <class Vector, int width>
class ShortRowsByPermutation {
 public:
  static constexpr std::int64_t most_short = 64;

  static void run(const Tile& tile) { rows<false>(tile); }
  static void stream(const Tile& tile) { rows<true>(tile); }

 private:
  template <bool streams>
  static void rows(const Tile& tile) {
    with_quads<width>(tile.count[1], [&]<class Quads>(Quads) {
      using Rows = PermutedRows<Vector, width, Quads>;
      ShortRows<Vector, width, Rows, streams>::run(tile);
    });
  }
};

}  // namespace
}  // namespace stridewise
