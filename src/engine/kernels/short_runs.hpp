// Runs of a line or two by constant moves. Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/runs.hpp"
#include "engine/kernels/squares.hpp"

namespace stridewise::engine {
namespace {

// Runs of a line at most, each by constant moves that may overlap.
template <class Vector, bool streams>
class ShortRuns {
  using Half = typename Vector::Half;

 public:
  static void run(const Tile& tile) {
    const std::int64_t bytes = tile.columns;
    if (bytes == 16) return whole<Vector128, 16>(tile);
    if (bytes == 32) return whole<Half, 32>(tile);
    if (bytes == 64) return whole<Vector, 64>(tile);
    if (bytes > 32) return ends<Half, 32>(tile);
    if (bytes > 16) return ends<Vector128, 16>(tile);
    if (bytes == 8) return words<std::uint64_t>(tile);
    if (bytes == 4) return words<std::uint32_t>(tile);
    if (bytes == 2) return words<std::uint16_t>(tile);
    if (bytes == 1) return words<std::uint8_t>(tile);
    if (bytes > 8) return both_ends<std::uint64_t>(tile);
    if (bytes > 4) return both_ends<std::uint32_t>(tile);
    both_ends<std::uint16_t>(tile);
  }

 private:
  template <class V, std::int64_t bytes>
  [[gnu::noinline]] static void whole(const Tile& tile) {
    if constexpr (streams) {
      if (runs_aligned(tile, bytes)) {
        return each_run(tile, [](const std::byte* src, std::byte* dst) {
          for (std::int64_t k = 0; k < bytes; k += 16 * V::lanes) {
            V::stream(dst + k, V::load(src + k));
          }
        });
      }
    }
    each_run(tile, [](const std::byte* src, std::byte* dst) {
      typename V::type v[bytes / (16 * V::lanes)];
      for (std::int64_t k = 0; k < bytes; k += 16 * V::lanes) {
        v[k / (16 * V::lanes)] = V::load(src + k);
      }
      for (std::int64_t k = 0; k < bytes; k += 16 * V::lanes) {
        V::store(dst + k, v[k / (16 * V::lanes)]);
      }
    });
  }
  // The first `half` bytes and the last.
  template <class V, std::int64_t half>
  [[gnu::noinline]] static void ends(const Tile& tile) {
    constexpr std::int64_t unit = 16 * V::lanes;
    const std::int64_t last = tile.columns - half;
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
      typename V::type v[2 * half / unit];
      for (std::int64_t k = 0; k < half / unit; ++k) {
        v[2 * k] = V::load(src + k * unit);
        v[2 * k + 1] = V::load(src + last + k * unit);
      }
      for (std::int64_t k = 0; k < half / unit; ++k) {
        V::store(dst + k * unit, v[2 * k]);
        V::store(dst + last + k * unit, v[2 * k + 1]);
      }
    });
  }
  template <std::unsigned_integral Word>
  [[gnu::noinline]] static void words(const Tile& tile) {
    each_run(tile, [](const std::byte* src, std::byte* dst) {
      std::memcpy(dst, src, sizeof(Word));
    });
  }
  template <std::unsigned_integral Word>
  [[gnu::noinline]] static void both_ends(const Tile& tile) {
    const std::int64_t last =
        tile.columns - static_cast<std::int64_t>(sizeof(Word));
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
      Word a, b;
      std::memcpy(&a, src, sizeof a);
      std::memcpy(&b, src + last, sizeof b);
      std::memcpy(dst, &a, sizeof a);
      std::memcpy(dst + last, &b, sizeof b);
    });
  }
};

// Runs that with their zeros are two lines at most, by vectors under a mask: reads are as
// long as what is written, and so must stay inside src.
template <class Vector, bool streams>
class PaddedRuns {
 public:
  // False where it does nothing.
  static bool run(const Tile& tile) {
    const std::int64_t all = tile.columns + tile.zeros;
    if (all > 2 * line_bytes || tile.src_end - tile.src < reach_of(tile, all)) {
      return false;
    }
    if (streams && all % line_bytes == 0 && runs_aligned(tile, line_bytes)) {
      all == line_bytes ? lines<1>(tile) : lines<2>(tile);
    } else if (all > 64) {
      halves<Vector, 64>(tile);
    } else if (all > 32) {
      halves<typename Vector::Half, 32>(tile);
    } else if (all > 16) {
      halves<Vector128, 16>(tile);
    } else if (all == 16) {
      halves<Vector128, 8>(tile);
    } else {
      return false;
    }
    return true;
  }

 private:
  template <int count>
  [[gnu::noinline]] static void lines(const Tile& tile) {
    constexpr std::int64_t unit = 16 * Vector::lanes;
    constexpr int moves = static_cast<int>(count * line_bytes / unit);
    alignas(64) std::byte keep[count * line_bytes] = {};
    std::memset(keep, 255, static_cast<std::size_t>(tile.columns));
    typename Vector::type mask[moves];
    for (int k = 0; k < moves; ++k) mask[k] = Vector::load(keep + k * unit);
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
#pragma GCC unroll 8
      for (int k = 0; k < moves; ++k) {
        Vector::stream(dst + k * unit,
                       Vector::both(Vector::load(src + k * unit), mask[k]));
      }
    });
  }

  // The first `half` bytes or a vector, and as much that ends with the run's zeros.
  template <class V, std::int64_t half>
  [[gnu::noinline]] static void halves(const Tile& tile) {
    constexpr std::int64_t unit = 16 * V::lanes;
    constexpr int moves = half <= unit ? 1 : static_cast<int>(half / unit);
    constexpr std::int64_t bytes = moves * unit;
    const std::int64_t all = tile.columns + tile.zeros;
    const std::int64_t last = all - bytes;
    std::byte keep[2 * bytes] = {};
    std::memset(keep, 255, static_cast<std::size_t>(tile.columns));
    typename V::type mask[2 * moves];
    for (int k = 0; k < moves; ++k) {
      mask[k] = V::load(keep + k * unit);
      mask[moves + k] = V::load(keep + last + k * unit);
    }
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
      typename V::type v[2 * moves];
      for (int k = 0; k < moves; ++k) {
        v[k] = V::both(V::load(src + k * unit), mask[k]);
        v[moves + k] = V::both(V::load(src + last + k * unit), mask[moves + k]);
      }
      for (int k = 0; k < moves; ++k) {
        V::store(dst + k * unit, v[k]);
        V::store(dst + last + k * unit, v[moves + k]);
      }
    });
  }
};

}  // namespace
}  // namespace stridewise::engine
