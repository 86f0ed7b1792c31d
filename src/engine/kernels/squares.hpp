// Squares of a transpose: n rows by n columns in each 128-bit lane, where n is how many
// elements 16 bytes hold. Included by the file of an instruction set alone.
//
// Each vector gathers 16 bytes of row i of every block of n rows into its lanes. Zips
// within lanes then make each lane the transpose of its block, so that each vector is a
// piece of one column:
//
//   lane 0, rows 0..n-1       lane 1, rows n..2n-1
//   a0 a1 a2 a3               e0 e1 e2 e3                a0 b0 c0 d0 e0 f0 g0 h0
//   b0 b1 b2 b3               f0 f1 f2 f3        ->      a1 b1 c1 d1 e1 f1 g1 h1
//   c0 c1 c2 c3               g0 g1 g2 g3                ...
//   d0 d1 d2 d3               h0 h1 h2 h3
//
// Loading by lanes costs no shuffle: it is an insert from memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "engine/kernels/sides.hpp"
#include "engine/kernels/vector128.hpp"

namespace stridewise::engine {
namespace {

template <class Vector, bool streams>
[[gnu::always_inline]] inline void put(std::byte* dst,
                                       typename Vector::type v) {
  if constexpr (streams) {
    Vector::stream(dst, v);
  } else {
    Vector::store(dst, v);
  }
}

// Squares that hold `bytes` of each column, one vector or several.
template <class Vector, int width, int bytes>
struct Squares {
  using V = typename Vector::type;
  // 1: elements are lanes, or several, and no zips are needed.
  static constexpr int n = width < 16 ? 16 / width : 1;
  static constexpr int of_element = width < 16 ? 1 : width / 16;  // lanes
  static constexpr int lanes = static_cast<int>(Vector::lanes);
  static constexpr int vector_bytes = 16 * lanes;
  static constexpr int parts = bytes / vector_bytes;
  static constexpr std::int64_t rows = bytes / width;
  static constexpr std::int64_t columns = n;  // that a square takes at once
  static constexpr int rounds = std::countr_zero(static_cast<unsigned>(n));
  static_assert(bytes % vector_bytes == 0);

  // n vectors, of which each lane is a square, to the same transposed.
  [[gnu::always_inline]] static void transpose(V* v) {
    if constexpr (n > 1) {
      V z[n];
#pragma GCC unroll 4
      for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i) z[i] = v[i];
#pragma GCC unroll 8
        for (int i = 0; i < n / 2; ++i) {
          v[2 * i] = Vector::template zip_low<width>(z[i], z[i + n / 2]);
          v[2 * i + 1] = Vector::template zip_high<width>(z[i], z[i + n / 2]);
        }
      }
    }
  }

  // take(k, at, v): vector v holds what follows byte `at` of column k.
  template <class Rows, class Take>
  [[gnu::always_inline]] static void each(const Rows& from, Take take) {
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) {
      V v[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) {
        v[i] = Vector::gather([&](std::int64_t lane) {
          const std::int64_t l = part * lanes + lane;
          return from.at(l / of_element * n + i, l % of_element * 16);
        });
      }
      transpose(v);
#pragma GCC unroll 16
      for (int k = 0; k < n; ++k) take(k, part * vector_bytes, v[k]);
    }
  }
};

// Squares of strips of `bytes` that are less than a vector: some lie side by side in its
// lanes, of columns that follow each other.
template <class Vector, int width, int bytes>
struct SquaresBeside {
  using S = Squares<Vector, width, 16 * Vector::lanes>;
  using V = typename Vector::type;
  static constexpr int n = S::n;
  static constexpr int lanes = bytes / 16;  // of a square
  // The same without others beside it.
  using Alone = Squares<Vector128, width, bytes>;
  static constexpr int beside = static_cast<int>(Vector::lanes) / lanes;
  static constexpr std::int64_t rows = bytes / width;
  static constexpr std::int64_t columns =
      n * beside;  // that a square takes at once

  template <class Rows, class Columns>
  [[gnu::always_inline]] static void move(const Rows& from, const Columns& to) {
    V v[n];
    load(from, v);
#pragma GCC unroll 4
    for (int group = 0; group < beside; ++group) {
#pragma GCC unroll 16
      for (int k = 0; k < n; ++k) {
        Vector::template store_some<lanes>(to.at(group * n + k), v[k], group);
      }
    }
  }

  // Columns that follow each other in dst, as whole vectors of them.
  static constexpr bool zips = n == 2 && beside == 4;  // lanes of two vectors
  static constexpr bool makes_vectors = zips || (beside > 1 && n >= beside);
  template <bool streams, class Rows>
  [[gnu::always_inline]] static void move_dense(const Rows& from,
                                                std::byte* dst) {
    V v[n];
    load(from, v);
    if constexpr (zips) {
      V lines[2];
      Vector::zip_lanes(v[0], v[1], lines);
      put<Vector, streams>(dst, lines[0]);
      put<Vector, streams>(dst + 64, lines[1]);
      return;
    }
#pragma GCC unroll 16
    for (int k = 0; k < n; k += beside) {
      V some[beside];
#pragma GCC unroll 4
      for (int i = 0; i < beside; ++i) some[i] = v[k + i];
      if constexpr (lanes == 1) {
        Vector::transpose_lanes(some);
      } else {
        Vector::transpose_halves(some);
      }
#pragma GCC unroll 4
      for (int group = 0; group < beside; ++group) {
        put<Vector, streams>(dst + (group * n + k) * bytes, some[group]);
      }
    }
  }

 private:
  template <class Rows>
  [[gnu::always_inline]] static void load(const Rows& from, V* v) {
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) {
      if constexpr (lanes == 1) {
        v[i] = Vector::load(from.at(i, 0));
      } else {
        v[i] = Vector::gather([&](std::int64_t lane) {
          return from.at(lane % lanes * n + i, lane / lanes * 16);
        });
      }
    }
    S::transpose(v);
  }
};

// Squares of whole lines on both sides, in as many vectors as one has rows: elements of 4
// and 8 bytes, where vectors are lines. Each line of src is read once, so that it does not
// matter whether the L1 cache could keep it.
template <class Vector, int width>
struct LineSquares {
  using S = Squares<Vector, width, line_bytes>;
  using V = typename Vector::type;
  static constexpr bool exists =
      S::vector_bytes == line_bytes && (width == 4 || width == 8);
  static constexpr int n = S::n;
  static constexpr std::int64_t rows = line_bytes / width;
  static constexpr std::int64_t columns = line_bytes / width;

  template <class Rows, class Take>
  [[gnu::always_inline]] static void each(const Rows& from, Take take) {
    constexpr int lanes = 4;
    // Vector [g][k]: of every n columns the k-th, rows from g * n on.
    V v[lanes][n];
#pragma GCC unroll 4
    for (int g = 0; g < lanes; ++g) {
#pragma GCC unroll 4
      for (int i = 0; i < n; ++i) v[g][i] = Vector::load(from.at(g * n + i, 0));
      S::transpose(v[g]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) {
      V lines[lanes] = {v[0][k], v[1][k], v[2][k], v[3][k]};
      Vector::transpose_lanes(lines);
#pragma GCC unroll 4
      for (int g = 0; g < lanes; ++g) take(g * n + k, 0, lines[g]);
    }
  }
};

}  // namespace
}  // namespace stridewise::engine
