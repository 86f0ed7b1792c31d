// Columns of up to a line by permutations of bytes across whole vectors. Included
// as transpose.hpp is.
//
// 16 bytes of each row, four rows a vector, are zipped within lanes once or twice,
// so that each vector holds a half or a quarter of the columns, of so many times
// four rows. The lines of a group of columns are permutations of the few vectors
// that hold them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/byte_permutation.hpp"
#include "reorder/kernels/short_columns.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

template <class Vector, int width, class Quads>
class PermutedColumns {
  using V = typename Vector::type;
  static constexpr int n = 16 / width;
  static constexpr int vectors = Quads::vectors;
  static constexpr int groups = Quads::groups;
  static constexpr int of_group = Quads::of_group;

 public:
  static constexpr std::int64_t rows = Quads::most_rows;
  static constexpr std::int64_t step = n;
  static constexpr std::int64_t beyond = line;
  static constexpr std::int64_t most_bytes =
      std::min<std::int64_t>(rows * width, line);

  explicit PermutedColumns(std::int64_t row_count)
      : permutation_(&permutations[Quads::place(row_count)]) {}

  [[gnu::always_inline]] void put(const std::byte* src, const std::int64_t* row,
                                  std::byte* dst, std::int64_t bytes) const {
    V v[vectors];
#pragma GCC unroll 8
    for (int i = 0; i < vectors; ++i) {
      v[i] = i < Quads::quads ? Vector::gather([=](std::int64_t lane) {
        return src + row[4 * i + lane];
      })
                              : Vector::zero();
    }
    zip<width, vectors>(v);
    if constexpr (Quads::rounds == 2) {
      zip<2 * width, vectors / 2>(v);
      zip<2 * width, vectors / 2>(v + vectors / 2);
    }
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) {
#pragma GCC unroll 4
      for (int l = 0; l < Quads::lines; ++l) {
        Vector::store(dst + l * line, permutation_->apply(v + g * of_group, l));
      }
      dst += n / groups * bytes;
    }
  }

 private:
  // The lines of a group.
  using Permutation = BytePermutation<Vector, Quads::lines, of_group>;

  static constexpr Permutation permutation_of(int row_count) {
    Permutation permutation;
    for (int at = 0; at < 16 * row_count / groups; ++at) {
      const int row = at / width % row_count;
      const int column = at / width / row_count;
      // Rounds of zips reverse the bits of what they put together.
      const int half = row / 4 / of_group;
      const int place = Quads::rounds == 2 ? half % 2 * 2 + half / 2 : half;
      permutation.set(at, row / 4 % of_group * 64 + row % 4 * 16 +
                              (column * groups + place) * width + at % width);
    }
    return permutation;
  }
  static constexpr auto permutations = Quads::each(permutation_of);

  template <int zipped, int count>
  [[gnu::always_inline]] static void zip(V* v) {
    V z[count];
#pragma GCC unroll 4
    for (int i = 0; i < count / 2; ++i) {
      z[i] = Vector::template zip_low<zipped>(v[i], v[i + count / 2]);
      z[i + count / 2] =
          Vector::template zip_high<zipped>(v[i], v[i + count / 2]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) v[i] = z[i];
  }

  const Permutation* permutation_;
};

template <class Vector, int width>
class ShortColumnsByPermutation {
 public:
  static constexpr std::int64_t most_short = 64;

  static void run(const Tile& tile) { columns<false>(tile); }
  static void stream(const Tile& tile) { columns<true>(tile); }

 private:
  template <bool streams>
  static void columns(const Tile& tile) {
    with_quads<width>(tile.count[0], [&]<class Quads>(Quads) {
      const PermutedColumns<Vector, width, Quads> of_rows(tile.count[0]);
      ShortColumns<Vector, streams>::run(tile, maker_of<width>(of_rows));
    });
  }
};

}  // namespace
}  // namespace stridewise
