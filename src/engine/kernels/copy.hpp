// Copies and fills of runs. Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>

#include "engine/kernels/short_runs.hpp"

namespace stridewise::engine {
namespace {

template <class Vector>
class Copy {
 public:
  static void run(const Tile& tile, const Hints& hints) {
    runs<false>(tile, hints);
  }
  static void stream(const Tile& tile, const Hints& hints) {
    runs<true>(tile, hints);
  }

 private:
  template <bool streams>
  static void runs(const Tile& tile, const Hints& hints) {
    const std::int64_t bytes = tile.columns, zeros = tile.zeros;
    const bool joined =
        streams && (hints.goes_on_before || hints.goes_on_after);
    if (joined) return joined_runs(tile, hints);
    if (zeros == 0 && bytes <= line_bytes && bytes > 0) {
      return ShortRuns<Vector, streams>::run(tile);
    }
    if (zeros > 0 && PaddedRuns<Vector, streams>::run(tile)) return;
    if (zeros == 0 && bytes <= 8 * 16 * Vector::lanes &&
        (!streams ||
         (bytes % line_bytes == 0 && runs_aligned(tile, line_bytes)))) {
      return some_vectors<streams, 1>(tile);
    }
    each_run(tile, [&](const std::byte* src, std::byte* dst) {
      any_run<Vector, streams>(FromMemory{src}, dst, bytes);
      if (zeros > 0) {
        any_run<Vector, streams>(FromNothing{}, dst + bytes, zeros);
      }
    });
  }

  // Runs that other blocks go on with: whole lines alone.
  static void joined_runs(const Tile& tile, const Hints& hints) {
    each_run(tile, [&](const std::byte* src, std::byte* dst) {
      const std::int64_t begin = hints.goes_on_before ? to_next_line(dst) : 0;
      const std::int64_t end =
          tile.columns +
          (hints.goes_on_after ? to_next_line(dst + tile.columns) : 0);
      stream_run<Vector>(FromMemory{src + begin}, dst + begin, end - begin);
    });
  }

  // Runs of some lines by so many vectors, of which the last two may overlap: what else a
  // run costs is more than moving it.
  template <bool streams, int vectors>
  static void some_vectors(const Tile& tile) {
    constexpr std::int64_t unit = 16 * Vector::lanes;
    if constexpr (vectors < 8) {
      if (tile.columns > vectors * unit) {
        return some_vectors<streams, vectors + 1>(tile);
      }
    }
    const std::int64_t last = tile.columns - unit;
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
      typename Vector::type v[vectors];
      const auto at = [=](int k) { return k + 1 < vectors ? k * unit : last; };
#pragma GCC unroll 8
      for (int k = 0; k < vectors; ++k) v[k] = Vector::load(src + at(k));
#pragma GCC unroll 8
      for (int k = 0; k < vectors; ++k) put<Vector, streams>(dst + at(k), v[k]);
    });
  }
};

template <class Vector>
class FillZero {
 public:
  static void run(const Tile& tile, const Hints& /*hints*/) {
    runs<false>(tile);
  }
  static void stream(const Tile& tile, const Hints& /*hints*/) {
    runs<true>(tile);
  }

 private:
  template <bool streams>
  static void runs(const Tile& tile) {
    const std::int64_t bytes = tile.columns;
    each_run(tile, [&](const std::byte* /*src*/, std::byte* dst) {
      any_run<Vector, streams>(FromNothing{}, dst, bytes);
    });
  }
};

}  // namespace
}  // namespace stridewise::engine
