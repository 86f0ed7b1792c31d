// Tiles of at most two vectors by one permutation of their bytes. Included as
// transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class PermutedTiles {
  using V = typename Vector::type;
  static constexpr std::int64_t unit = sizeof(V);

 public:
  static constexpr std::int64_t most_short = 2 * unit;

  static void run(const Tile& tile) {
    const Reach one = reach_of(tile);
    assert(std::max(one.src, one.dst) <= most_short);
    // Tiles that follow each other in dst and lie in as many bytes of src.
    const std::int64_t step = tile.src_stride[2];
    std::int64_t some = 1;
    if (tile.dst_stride[2] == one.dst && step > 0) {
      some = std::min({(most_short - one.src) / step + 1, most_short / one.dst,
                       tile.count[2]});
    }
    const Reach all = {one.src + (some - 1) * step, some * one.dst};
    if (all.src > unit) {
      all.dst > unit ? planes<2, 2>(tile, one, all, some)
                     : planes<2, 1>(tile, one, all, some);
    } else {
      all.dst > unit ? planes<1, 2>(tile, one, all, some)
                     : planes<1, 1>(tile, one, all, some);
    }
  }

 private:
  // The bytes of src and dst from the first to the last element.
  struct Reach {
    std::int64_t src;
    std::int64_t dst;
  };
  static Reach reach_of(const Tile& tile) {
    return {(tile.count[0] - 1) * tile.src_stride[0] +
                (tile.count[1] - 1) * tile.src_stride[1] + width,
            tile.count[0] * tile.count[1] * width};
  }

  // Where in src the bytes of so many tiles of dst come from.
  static std::array<std::byte, most_short> permutation_of(const Tile& tile,
                                                          std::int64_t some) {
    std::array<std::byte, most_short> from{};
    std::byte* at = from.data();
    for (std::int64_t k = 0; k < some; ++k) {
      for (std::int64_t j = 0; j < tile.count[1]; ++j) {
        for (std::int64_t i = 0; i < tile.count[0]; ++i) {
          const std::int64_t element = k * tile.src_stride[2] +
                                       j * tile.src_stride[1] +
                                       i * tile.src_stride[0];
          for (int q = 0; q < width; ++q) {
            *at++ = static_cast<std::byte>(element + q);
          }
        }
      }
    }
    return from;
  }

  // The first bytes of so many vectors.
  template <int vectors>
  struct First {
    std::uint64_t of[vectors];

    explicit First(std::int64_t bytes) {
      for (int k = 0; k < vectors; ++k) {
        const std::int64_t left =
            std::clamp<std::int64_t>(bytes - k * unit, 0, unit);
        of[k] = left == 0 ? 0 : ~std::uint64_t{0} >> (unit - left);
      }
    }
  };

  template <int ins, int outs>
  static void planes(const Tile& tile, const Reach& one, const Reach& all,
                     std::int64_t some) {
    const auto permutation = permutation_of(tile, some);
    V from[outs];
    for (int k = 0; k < outs; ++k) {
      from[k] = Vector::load(permutation.data() + k * unit);
    }
    const First<ins> in_all(all.src), in_one(one.src);
    const First<outs> out_all(all.dst), out_one(one.dst);
    const auto put = [&](const std::byte* src, const First<ins>& in,
                         std::byte* dst, const First<outs>& out) {
      const V first = Vector::load_bytes(src, in.of[0]);
      const V second =
          ins == 1 ? first : Vector::load_bytes(src + unit, in.of[ins - 1]);
#pragma GCC unroll 2
      for (int k = 0; k < outs; ++k) {
        Vector::store_bytes(dst + k * unit, out.of[k],
                            Vector::permute_bytes(from[k], first, second));
      }
    };
    for (std::int64_t i = 0; i < tile.count[3]; ++i) {
      const std::byte* src = tile.src + i * tile.src_stride[3];
      std::byte* dst = tile.dst + i * tile.dst_stride[3];
      std::int64_t left = tile.count[2];
      for (; left >= some; left -= some) {
        put(src, in_all, dst, out_all);
        src += some * tile.src_stride[2];
        dst += some * tile.dst_stride[2];
      }
      for (; left > 0; --left) {
        put(src, in_one, dst, out_one);
        src += tile.src_stride[2];
        dst += tile.dst_stride[2];
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
