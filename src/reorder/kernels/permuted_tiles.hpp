// Small tiles, of at most four vectors, by permutations of their bytes: each vector of
// dst takes its bytes from all of src. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Of lanes of 128 bits, what permuted tiles ask of a vector.
struct LaneBytes : Vector128 {
  // Where a vector takes its bytes from among some others.
  template <int vectors>
  class From {
   public:
    // Byte k is byte from[k], counted through all of those vectors.
    explicit From(const std::byte* from) {
      for (int i = 0; i < vectors; ++i) {
        for (int k = 0; k < 16; ++k) {
          const auto at = static_cast<std::uint8_t>(from[k]);
          from_[i][k] = at / 16 == i ? at % 16 : zero_byte;
        }
      }
    }
    [[gnu::always_inline]] type apply(const type* v) const {
      type all = taken(from_[0], v[0]);
#pragma GCC unroll 4
      for (int i = 1; i < vectors; ++i) all |= taken(from_[i], v[i]);
      return all;
    }

   private:
    [[gnu::always_inline]] static type taken(type from, type v) {
#if defined(__SSSE3__) || defined(__aarch64__)
      return shuffle_bytes(from, v);
#else
      type bytes;
      for (int k = 0; k < 16; ++k) {
        bytes[k] = from[k] == zero_byte ? 0 : v[from[k]];
      }
      return bytes;
#endif
    }

    type from_[vectors];
  };

  // The first so many bytes, if there are any.
  static type load_first(const std::byte* src, std::int64_t bytes) {
    if (bytes >= 16) return load(src);
    type v = zero();
    if (bytes > 0) std::memcpy(&v, src, static_cast<std::size_t>(bytes));
    return v;
  }
  static void store_first(std::byte* dst, type v, std::int64_t bytes) {
    if (bytes >= 16) return store(dst, v);
    if (bytes > 0) std::memcpy(dst, &v, static_cast<std::size_t>(bytes));
  }
};

template <class Vector, int width>
class PermutedTiles {
  using V = typename Vector::type;
  static constexpr std::int64_t unit = sizeof(V);

 public:
  static constexpr int most_vectors = 4;
  static constexpr std::int64_t most_short = most_vectors * unit;

  static void run(const Tile& tile) {
    const Reach one = reach_of(tile);
    assert(std::max(one.src, one.dst) <= most_short);
    // As many as the same vectors hold, of those that follow each other in dst; or
    // three in two vectors.
    const std::int64_t step = tile.src_stride[2];
    const auto held = [&](std::int64_t vectors) {
      return std::min({(vectors * unit - one.src) / step + 1,
                       vectors * unit / one.dst, tile.count[2]});
    };
    std::int64_t some = 1;
    if (tile.dst_stride[2] == one.dst && step > 0) {
      const std::int64_t vectors =
          (std::max(one.src, one.dst) + unit - 1) / unit;
      some = held(vectors);
      if (vectors == 1 && some == 1 && held(2) == 3) some = 3;
    }
    const Reach all = {one.src + (some - 1) * step, some * one.dst};
    with_vectors(all.src, [&]<int ins>() {
      with_vectors(all.dst, [&]<int outs>() {
        planes<ins, outs>(tile, one, all, some);
      });
    });
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

  // Calls f with the number of vectors that hold so many bytes.
  template <int vectors = 1, class F>
  static void with_vectors(std::int64_t bytes, F f) {
    if constexpr (vectors < most_vectors) {
      if (bytes > vectors * unit) return with_vectors<vectors + 1>(bytes, f);
    }
    f.template operator()<vectors>();
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

  template <int ins, int outs>
  static void planes(const Tile& tile, const Reach& one, const Reach& all,
                     std::int64_t some) {
    const auto permutation = permutation_of(tile, some);
    const auto from = [&]<std::size_t... k>(std::index_sequence<k...>) {
      using From = typename Vector::template From<ins>;
      return std::array{From(permutation.data() + k * unit)...};
    }
    (std::make_index_sequence<outs>{});
    // So many bytes, or `whole` vectors.
    const auto put = [&]<bool whole>(const std::byte* src, std::byte* dst,
                                     const Reach& reach) {
      V v[ins];
#pragma GCC unroll 4
      for (int k = 0; k < ins; ++k) {
        v[k] = whole ? Vector::load(src + k * unit)
                     : Vector::load_first(src + k * unit, reach.src - k * unit);
      }
#pragma GCC unroll 4
      for (int k = 0; k < outs; ++k) {
        const V permuted = from[k].apply(v);
        if constexpr (whole) {
          Vector::store(dst + k * unit, permuted);
        } else {
          Vector::store_first(dst + k * unit, permuted, reach.dst - k * unit);
        }
      }
    };
    const std::int64_t src_step = some * tile.src_stride[2];
    const std::int64_t dst_step = some * tile.dst_stride[2];
    for (std::int64_t i = 0; i < tile.count[3]; ++i) {
      const std::byte* src = tile.src + i * tile.src_stride[3];
      std::byte* dst = tile.dst + i * tile.dst_stride[3];
      // What whole vectors write beyond their tiles, those after them write again.
      std::int64_t left = tile.count[2];
      const std::int64_t src_room = tile.src_end - src - ins * unit;
      const std::int64_t dst_room = left * one.dst - outs * unit;
      if (tile.dst_stride[2] == one.dst && src_room >= 0 && dst_room >= 0) {
        std::int64_t whole = dst_room / dst_step + 1;
        if (src_step > 0) whole = std::min(whole, src_room / src_step + 1);
        left -= whole * some;
        for (; whole > 0; --whole) {
          put.template operator()<true>(src, dst, all);
          src += src_step;
          dst += dst_step;
        }
      }
      for (; left >= some; left -= some) {
        put.template operator()<false>(src, dst, all);
        src += src_step;
        dst += dst_step;
      }
      for (; left > 0; --left) {
        put.template operator()<false>(src, dst, one);
        src += tile.src_stride[2];
        dst += tile.dst_stride[2];
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
