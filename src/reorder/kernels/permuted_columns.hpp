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
#include <array>

#include "reorder/kernels/short_columns.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Of 4 * quads - 3 to 4 * quads rows.
template <class Vector, int width, int quads>
class PermutedColumns {
  using V = typename Vector::type;
  static constexpr int n = 16 / width;
  static constexpr int vectors = (quads + 1) / 2 * 2;
  static constexpr int rounds = vectors == 8 ? 2 : 1;
  static constexpr int groups = 1 << rounds;
  static constexpr int of_group = vectors / groups;  // vectors, one to three
  static constexpr int least_rows = 4 * quads - 3;
  static constexpr int lines = (64 * quads / groups + 63) / 64;  // of a group

 public:
  static constexpr std::int64_t rows = 4 * quads;
  static constexpr std::int64_t step = n;
  static constexpr std::int64_t beyond = line;
  static constexpr std::int64_t most_bytes =
      std::min<std::int64_t>(rows * width, line);

  explicit PermutedColumns(std::int64_t count)
      : permutation_(
            &permutations[static_cast<std::size_t>(count - least_rows)]) {}

  [[gnu::always_inline]] void put(const std::byte* src, const std::int64_t* row,
                                  std::byte* dst, std::int64_t bytes) const {
    V v[vectors];
#pragma GCC unroll 8
    for (int i = 0; i < vectors; ++i) {
      v[i] = i < quads ? Vector::gather([=](std::int64_t lane) {
        return src + row[4 * i + lane];
      })
                       : Vector::zero();
    }
    zip<width, vectors>(v);
    if constexpr (rounds == 2) {
      zip<2 * width, vectors / 2>(v);
      zip<2 * width, vectors / 2>(v + vectors / 2);
    }
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) {
#pragma GCC unroll 4
      for (int l = 0; l < lines; ++l) {
        Vector::store(dst + l * line, permuted(v + g * of_group, l));
      }
      dst += n / groups * bytes;
    }
  }

 private:
  // Which byte of the first two vectors of a group each byte of its lines is, or,
  // where `third` says so, of the third one.
  struct Permutation {
    alignas(64) std::array<LaneMask<64>, lines> from{};
    alignas(64) std::array<LaneMask<64>, lines> from_third{};
    std::array<std::uint64_t, lines> third{};
  };

  static constexpr Permutation permutation_of(int row_count) {
    Permutation permutation;
    for (int at = 0; at < 16 * row_count / groups; ++at) {
      const int row = at / width % row_count;
      const int column = at / width / row_count;
      const int vector = row / 4 % of_group;
      // Rounds of zips reverse the bits of what they put together.
      const int half = row / 4 / of_group;
      const int place = rounds == 2 ? half % 2 * 2 + half / 2 : half;
      const auto byte = static_cast<std::uint8_t>(
          row % 4 * 16 + (column * groups + place) * width + at % width);
      const auto l = static_cast<std::size_t>(at / 64);
      const auto q = static_cast<std::size_t>(at % 64);
      if (vector == 2) {
        permutation.from_third[l][q] = byte;
        permutation.third[l] |= std::uint64_t{1} << q;
      } else {
        permutation.from[l][q] = static_cast<std::uint8_t>(vector * 64 + byte);
      }
    }
    return permutation;
  }
  static constexpr std::array<Permutation, 4> permutations = {
      permutation_of(least_rows), permutation_of(least_rows + 1),
      permutation_of(least_rows + 2), permutation_of(least_rows + 3)};

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

  [[gnu::always_inline]] V permuted(const V* v, int l) const {
    if constexpr (of_group == 1) {
      return Vector::permute_bytes(permutation_->from[l], v[0]);
    } else {
      V of = Vector::permute_bytes(permutation_->from[l], v[0], v[1]);
      if constexpr (of_group == 3) {
        of = Vector::insert_bytes(of, permutation_->third[l],
                                  permutation_->from_third[l], v[2]);
      }
      return of;
    }
  }

  const Permutation* permutation_;
};

template <class Vector, int width>
class ShortColumnsByPermutation {
 public:
  static constexpr std::int64_t most_short = 64;

  static void run(const Tile& tile) { dispatch<false>(tile); }
  static void stream(const Tile& tile) { dispatch<true>(tile); }

 private:
  template <bool streams, int quads = 2>
  static void dispatch(const Tile& tile) {
    if constexpr (quads < 8 && 4 * quads * width < most_short) {
      if (tile.count[0] > 4 * quads) return dispatch<streams, quads + 1>(tile);
    }
    ShortColumns<Vector, width, PermutedColumns<Vector, width, quads>,
                 streams>::run(tile);
  }
};

}  // namespace
}  // namespace stridewise
