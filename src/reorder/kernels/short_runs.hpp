// Copies of many runs of less than a line, each of constant moves. Included as
// transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// The same `one` for every run of a tile.
template <class One>
[[gnu::always_inline]] inline void each_run(const Tile& tile, One one) {
  const std::byte* src = tile.src;
  std::byte* dst = tile.dst;
  const std::int64_t src_stride = tile.src_stride[0];
  const std::int64_t dst_stride = tile.dst_stride[0];
  const std::int64_t count = tile.count[0];
  for (std::int64_t k = 0; k < count; ++k) {
    one(src, dst);
    src += src_stride;
    dst += dst_stride;
  }
}

template <class Vector, bool streams>
class ShortRuns {
  // Half a line at most.
  using Half = typename Vector::Half;

 public:
  // Runs that `run` copies, of `bytes` and then `zeros`: whole parts of a line by
  // vectors, those without zeros by two moves that may overlap.
  static std::int64_t run(const Tile& tile) {
    const std::int64_t bytes = tile.count[1];
    const std::int64_t all = bytes + tile.zeros;
    if (tile.zeros > 0) {
      if (all == 64) return whole<Vector, 64>(tile);
      if (all == 32) return whole<Half, 32>(tile);
      if (all == 16) return whole<Vector128, 16>(tile);
      if (tile.src_stride[0] == bytes && tile.dst_stride[0] == all) {
        return expanded(tile);
      }
      return 0;
    }
    switch (bytes) {
      case 3:
        return moved<3>(tile);
      case 4:
        return moved<4>(tile);
      case 8:
        return moved<8>(tile);
      case 12:
        return moved<12>(tile);
      case 16:
        return whole<Vector128, 16>(tile);
      case 32:
        return whole<Half, 32>(tile);
      case 64:
        return whole<Vector, 64>(tile);
      default:
        break;
    }
    if (bytes >= 64) return 0;
    if (bytes > 32) return overlapping<Half, 32>(tile);
    if (bytes > 16) return overlapping<Vector128, 16>(tile);
    each_run(tile, [bytes](const std::byte* src, std::byte* dst) {
      copy_short(dst, src, bytes);
    });
    return tile.count[0];
  }

 private:
  template <std::size_t bytes>
  static std::int64_t moved(const Tile& tile) {
    each_run(tile, [](const std::byte* src, std::byte* dst) {
      std::memcpy(dst, src, bytes);
    });
    return tile.count[0];
  }

  template <class V, std::int64_t half>
  static std::int64_t overlapping(const Tile& tile) {
    constexpr std::int64_t unit = 16 * V::lanes;
    static_assert(half % unit == 0);
    const std::int64_t last = tile.count[1] - half;
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
    return tile.count[0];
  }

  // Runs that with their zeros are `all` bytes, by vectors that read as many.
  template <class V, std::int64_t all>
  static std::int64_t whole(const Tile& tile) {
    Tile part = tile;
    part.count[0] = runs_inside(tile, all);
    const bool aligned =
        (reinterpret_cast<std::uintptr_t>(tile.dst) | tile.dst_stride[0]) %
            (16 * V::lanes) ==
        0;
    aligned ? whole_runs<V, all, streams>(part)
            : whole_runs<V, all, false>(part);
    return part.count[0];
  }
  template <class V, std::int64_t all, bool streamed>
  [[gnu::noinline]] static void whole_runs(const Tile& tile) {
    constexpr std::int64_t unit = 16 * V::lanes;
    static_assert(all % unit == 0);
    typename V::type mask[all / unit];
    std::byte keep[all] = {};
    std::memset(keep, 255, static_cast<std::size_t>(tile.count[1]));
    for (std::int64_t k = 0; k < all / unit; ++k) {
      mask[k] = V::load(keep + k * unit);
    }
    // By value: what is stored might be what a reference leads to.
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < all / unit; ++k) {
        put<V, streamed>(dst + k * unit,
                         V::both(V::load(src + k * unit), mask[k]));
      }
    });
  }
  template <class V, bool streamed>
  [[gnu::always_inline]] static void put(std::byte* dst, typename V::type v) {
    if constexpr (streamed) {
      ask_page_after(dst, 16 * V::lanes);
      V::stream(dst, v);
    } else {
      V::store(dst, v);
    }
  }

  // Dense runs that become dense ones of 4 or 8 bytes each.
  static std::int64_t expanded(const Tile& tile) {
    switch (16 * (tile.count[1] + tile.zeros) + tile.count[1]) {
      case 16 * 4 + 1:
        return expanded<1, 4>(tile);
      case 16 * 4 + 2:
        return expanded<2, 4>(tile);
      case 16 * 4 + 3:
        return expanded<3, 4>(tile);
      case 16 * 8 + 2:
        return expanded<2, 8>(tile);
      case 16 * 8 + 4:
        return expanded<4, 8>(tile);
      case 16 * 8 + 6:
        return expanded<6, 8>(tile);
      default:
        return 0;
    }
  }
  template <int bytes, int all>
  static constexpr LaneMask<> expansion = [] {
    LaneMask<> mask{};
    for (int k = 0; k < 16; ++k) {
      mask[static_cast<std::size_t>(k)] =
          k % all < bytes ? static_cast<std::uint8_t>(k / all * bytes + k % all)
                          : zero_byte;
    }
    return mask;
  }();
  template <int bytes, int all>
  static std::int64_t expanded(const Tile& tile) {
    constexpr std::int64_t unit = 16 * Vector::lanes, at_once = unit / all;
    const std::int64_t count = runs_inside(tile, 16) / at_once * at_once;
    const bool aligned = reinterpret_cast<std::uintptr_t>(tile.dst) % unit == 0;
    aligned ? expanded_runs<bytes, all, streams>(tile, count)
            : expanded_runs<bytes, all, false>(tile, count);
    return count;
  }
  template <int bytes, int all, bool streamed>
  [[gnu::noinline]] static void expanded_runs(const Tile& tile,
                                              std::int64_t count) {
    constexpr std::int64_t per_lane = 16 / all;
    const std::byte* src = tile.src;
    std::byte* dst = tile.dst;
    for (std::int64_t k = 0; k < count; k += per_lane * Vector::lanes) {
      put<Vector, streamed>(dst,
                            Vector::template permute<expansion<bytes, all>>(
                                Vector::gather([=](std::int64_t lane) {
                                  return src + lane * per_lane * bytes;
                                })));
      src += per_lane * Vector::lanes * bytes;
      dst += 16 * Vector::lanes;
    }
  }

  // How many of the first runs can be read `bytes` far.
  static std::int64_t runs_inside(const Tile& tile, std::int64_t bytes) {
    if (bytes <= tile.count[1]) return tile.count[0];
    const std::int64_t stride = tile.src_stride[0];
    const std::int64_t room = tile.src_end - tile.src - bytes;
    if (room < 0 || stride < 0) return 0;
    if (stride == 0) return tile.count[0];
    return std::min(tile.count[0], room / stride + 1);
  }
};

}  // namespace
}  // namespace stridewise
