// The transpose of every instruction set, over what a set provides (see
// Vector below). Included by one file a set only, which instantiates it with
// types of its own: nothing here may be compiled twice under one name.
//
// A strip is a full vector of rows in dst: `lanes` blocks of n rows, where n is
// how many elements 16 bytes hold. Each vector gathers 16 bytes of row i of
// every block into its 128-bit lanes; zips within lanes then make each lane the
// transpose of its block, so each vector ends as one column of the whole strip:
//
//   lane 0, rows 0..n-1       lane 1, rows n..2n-1
//   a0 a1 a2 a3               e0 e1 e2 e3                a0 b0 c0 d0 e0 f0 g0 h0
//   b0 b1 b2 b3               f0 f1 f2 f3        ->      a1 b1 c1 d1 e1 f1 g1 h1
//   c0 c1 c2 c3               g0 g1 g2 g3                ...
//   d0 d1 d2 d3               h0 h1 h2 h3
//
// Loading by lanes costs no shuffle: it is an insert from memory. Edges are not
// special: the last strip and the last columns begin early enough to be whole,
// and write once more what is already there.
//
//   Vector: lanes, type, gather(const std::byte* const*), zip_low<width>,
//   zip_high<width>, store, stream; and where loads_partially, gather_first of
//   so many bytes a lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/kernel.hpp"

namespace stridewise {
namespace {

alignas(64) constexpr std::byte zero_bytes[64] = {};

template <class Vector, int width>
class Transpose {
  using V = typename Vector::type;
  static constexpr std::int64_t n = 16 / width;
  static constexpr std::int64_t strip = n * Vector::lanes;
  static constexpr std::int64_t vector_bytes = 16 * Vector::lanes;
  // Columns of a block: what the strips of a block read again comes from L1.
  static constexpr std::int64_t block = 256 / width;

 public:
  // `Narrow` does what has fewer rows than a strip of this vector.
  template <void (*narrow)(const Tile&)>
  static void run(const Tile& tile) {
    run_with<narrow, false>(tile);
  }
  template <void (*narrow)(const Tile&)>
  static void stream(const Tile& tile) {
    run_with<narrow, true>(tile);
  }

 private:
  template <void (*narrow)(const Tile&), bool streams>
  static void run_with(const Tile& tile) {
    const std::int64_t rows = tile.count[0] + tile.zeros;
    if (rows < strip) return narrow(tile);
    if (tile.count[1] < n) {
      if constexpr (Vector::loads_partially) {
        return run_few_columns(tile);
      } else {
        return narrow(tile);
      }
    }
    // Streaming wants strips on whole lines: the first one may be cut short by
    // the second, which begins where the lines do.
    const std::int64_t misaligned =
        streams ? reinterpret_cast<std::intptr_t>(tile.dst) % vector_bytes : 0;
    const std::int64_t first_step = misaligned != 0 && misaligned % width == 0
                                        ? (vector_bytes - misaligned) / width
                                        : strip;
    constexpr std::int64_t strips = 4;  // that share a block of columns
    for (std::int64_t row = 0; row < rows;) {
      std::int64_t end = row;
      for (std::int64_t j = 0; j < tile.count[1]; j += block) {
        end = row;
        for (std::int64_t k = 0; k < strips && end < rows; ++k) {
          run_strip<streams>(tile, std::min(end, rows - strip), j,
                             std::min(j + block, tile.count[1]));
          end += end == 0 ? first_step : strip;
        }
      }
      row = end;
    }
  }

  // Fewer columns than a square has: rows are loaded as far as they go.
  static void run_few_columns(const Tile& tile) {
    const std::int64_t rows = tile.count[0] + tile.zeros;
    const std::int64_t columns = tile.count[1];
    for (std::int64_t i = 0; i < rows; i += strip) {
      const std::int64_t row = std::min(i, rows - strip);
      V v[n];
      load_rows<false>(tile, row, 0, v, [&](const std::byte* const* from) {
        return Vector::gather_first(from, columns * width);
      });
      transpose_lanes(v);
      std::byte* const dst = tile.dst + row * width;
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < n; ++j) {
        if (j < columns) Vector::store(dst + j * tile.dst_stride[1], v[j]);
      }
    }
  }

  template <bool streams>
  static void run_strip(const Tile& tile, std::int64_t row, std::int64_t begin,
                        std::int64_t end) {
    const auto address =
        reinterpret_cast<std::uintptr_t>(tile.dst + row * width);
    const bool aligned = streams && tile.dst_stride[1] % vector_bytes == 0 &&
                         address % vector_bytes == 0;
    const bool whole = row + strip <= tile.count[0];
    for (std::int64_t j = begin; j < end; j += n) {
      const std::int64_t column = std::min(j, tile.count[1] - n);
      if (whole && aligned) {
        square<true, streams>(tile, row, column);
      } else if (whole) {
        square<true, false>(tile, row, column);
      } else if (aligned) {
        square<false, streams>(tile, row, column);
      } else {
        square<false, false>(tile, row, column);
      }
    }
  }

  // v[i] = row i of each lane's block, from `column` on; zeros after the rows.
  template <bool whole, class Gather>
  [[gnu::always_inline]] static void load_rows(const Tile& tile,
                                               std::int64_t row,
                                               std::int64_t column, V* v,
                                               Gather gather) {
    const std::byte* const src = tile.src + column * width;
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i) {
      const std::byte* from[Vector::lanes];
#pragma GCC unroll 4
      for (std::int64_t lane = 0; lane < Vector::lanes; ++lane) {
        const std::int64_t r = row + i + lane * n;
        from[lane] =
            whole || r < tile.count[0] ? src + tile.row_at(r) : zero_bytes;
      }
      v[i] = gather(from);
    }
  }

  [[gnu::always_inline]] static void transpose_lanes(V* v) {
    V z[n];
#pragma GCC unroll 4
    for (std::int64_t stage = 1; stage < n; stage *= 2) {
#pragma GCC unroll 8
      for (std::int64_t i = 0; i < n / 2; ++i) {
        z[2 * i] = Vector::template zip_low<width>(v[i], v[i + n / 2]);
        z[2 * i + 1] = Vector::template zip_high<width>(v[i], v[i + n / 2]);
      }
#pragma GCC unroll 16
      for (std::int64_t i = 0; i < n; ++i) v[i] = z[i];
    }
  }

  template <bool whole, bool streams>
  [[gnu::always_inline]] static void square(const Tile& tile, std::int64_t row,
                                            std::int64_t column) {
    V v[n];
    load_rows<whole>(tile, row, column, v, &Vector::gather);
    transpose_lanes(v);
    std::byte* const dst = tile.dst + row * width + column * tile.dst_stride[1];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (streams) {
        Vector::stream(dst + i * tile.dst_stride[1], v[i]);
      } else {
        Vector::store(dst + i * tile.dst_stride[1], v[i]);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
