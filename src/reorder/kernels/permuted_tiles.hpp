// Small tiles, of at most four vectors, by permutations of their bytes: each vector of
// dst takes its bytes from all of src, or is zero there. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// The number of no byte of some vectors: zero.
constexpr std::uint16_t no_byte = 256;

// Of lanes of 128 bits, what permuted tiles ask of a vector.
struct LaneBytes : Vector128 {
  // Bytes by which a vector is taken from so many others: byte k is byte from[k],
  // counted through all of those, or with `zeros` perhaps no_byte.
  template <bool zeros = false>
  static void tabulate(const std::uint16_t* from, int vectors,
                       std::vector<std::byte>& table) {
    for (int i = 0; i < vectors; ++i) {
      for (int k = 0; k < 16; ++k) {
        table.push_back(std::byte{from[k] / 16 == i
                                      ? static_cast<std::uint8_t>(from[k] % 16)
                                      : zero_byte});
      }
    }
  }

  template <int vectors, bool zeros = false>
  class Table {
   public:
    static constexpr std::int64_t size = 16 * vectors;

    explicit Table(const std::byte* table) {
      for (int i = 0; i < vectors; ++i) from_[i] = load(table + 16 * i);
    }
    [[gnu::always_inline]] type take(const type* v) const {
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

// Tiles that are permuted together, whatever the width of their elements.
template <class Vector>
class PermutedGroups {
  using V = typename Vector::type;

 public:
  static constexpr std::int64_t unit = sizeof(V);
  static constexpr int most_vectors = 4;

  // The bytes of src and dst from the first to the last element.
  struct Reach {
    std::int64_t src;
    std::int64_t dst;
  };
  // Tiles that are permuted together.
  struct Group {
    Reach one;
    std::int64_t tiles;
    Reach all;

    [[nodiscard]] Reach reach(const Tile& tile, std::int64_t some) const {
      return {one.src + (some - 1) * tile.src_stride[2], some * one.dst};
    }
  };

  static std::int64_t vectors_of(std::int64_t bytes) {
    return (bytes + unit - 1) / unit;
  }

  // As many as the vectors of one hold, of those that follow each other in dst; or
  // three in two vectors.
  static Group group_of(const Tile& tile, std::int64_t width) {
    const std::int64_t rows = tile.row_offset != nullptr
                                  ? tile.row_reach
                                  : tile.row_at(tile.count[0] - 1);
    Group group{{rows + (tile.count[1] - 1) * tile.src_stride[1] + width,
                 (tile.count[0] + tile.zeros) * tile.count[1] * width},
                1,
                {}};
    const Reach one = group.one;
    assert(std::max(one.src, one.dst) <= most_vectors * unit);
    const std::int64_t step = tile.src_stride[2];
    const auto held = [&](std::int64_t vectors) {
      return std::min((vectors * unit - one.src) / step + 1,
                      vectors * unit / one.dst);
    };
    if (tile.dst_stride[2] == one.dst && step > 0) {
      const std::int64_t vectors = vectors_of(std::max(one.src, one.dst));
      group.tiles = held(vectors);
      if (group.tiles == 1 && vectors == 1 && held(2) == 3) group.tiles = 3;
    }
    group.all = group.reach(tile, group.tiles);
    return group;
  }

  // What the table permutes, of all planes.
  static void run(const Tile& tile, const Group& group) {
    with_vectors(group.all.src, [&]<int ins>() {
      with_vectors(group.all.dst,
                   [&]<int outs>() { planes<ins, outs>(tile, group); });
    });
  }

 private:
  // Calls f with the number of vectors that hold so many bytes.
  template <int vectors = 1, class F>
  static void with_vectors(std::int64_t bytes, F f) {
    if constexpr (vectors < most_vectors) {
      if (bytes > vectors * unit) return with_vectors<vectors + 1>(bytes, f);
    }
    f.template operator()<vectors>();
  }

  template <int ins, int outs>
  static void planes(const Tile& tile, const Group& group) {
    using Table = typename Vector::template Table<ins, true>;
    const auto tables = [&]<std::size_t... k>(
        std::index_sequence<k...> /*outs*/) {
      return std::array{Table(tile.table + k * Table::size)...};
    }
    (std::make_index_sequence<outs>{});
    const std::int64_t some = group.tiles;
    const std::int64_t src_step = some * tile.src_stride[2];
    const std::int64_t dst_step = some * tile.dst_stride[2];
    // Whether groups are whole vectors; or else, what those write beyond their tiles, the
    // ones after them write again.
    const bool fills = group.all.dst == outs * unit;
    const bool run = tile.dst_stride[2] == group.one.dst;
    const bool one_run =
        run && tile.dst_stride[3] == tile.count[2] * group.one.dst;
    for (LoopsAround around(tile); around.more(); around.next()) {
      const std::byte* src = around.src();
      std::byte* dst = around.dst();
      std::int64_t left = tile.count[2];
      const std::int64_t runs = one_run ? around.left() : 1;
      const std::int64_t src_room = tile.src_end - src - ins * unit;
      const std::int64_t dst_room = runs * left * group.one.dst - outs * unit;
      if (src_room >= 0 && (fills || (run && dst_room >= 0))) {
        std::int64_t whole =
            fills ? left / some
                  : std::min((left + some - 1) / some, dst_room / dst_step + 1);
        if (src_step > 0) whole = std::min(whole, src_room / src_step + 1);
        left -= whole * some;
        for (; whole > 0; --whole) {
          V v[ins];
#pragma GCC unroll 4
          for (int k = 0; k < ins; ++k) v[k] = Vector::load(src + k * unit);
#pragma GCC unroll 4
          for (int k = 0; k < outs; ++k) {
            Vector::store(dst + k * unit, tables[k].take(v));
          }
          src += src_step;
          dst += dst_step;
        }
      }
      for (; left > 0; left -= some) {
        const Reach reach = group.reach(tile, std::min(some, left));
        V v[ins];
#pragma GCC unroll 4
        for (int k = 0; k < ins; ++k) {
          v[k] = Vector::load_first(src + k * unit, reach.src - k * unit);
        }
#pragma GCC unroll 4
        for (int k = 0; k < outs; ++k) {
          Vector::store_first(dst + k * unit, tables[k].take(v),
                              reach.dst - k * unit);
        }
        src += src_step;
        dst += dst_step;
      }
    }
  }
};

template <class Vector, int width>
class PermutedTiles {
  using Groups = PermutedGroups<Vector>;
  static constexpr std::int64_t unit = Groups::unit;

 public:
  static constexpr std::int64_t most_short = Groups::most_vectors * unit;

  // Where bytes of dst come from, for run() of all tiles with such counts of rows,
  // columns and zeros and such strides.
  static std::vector<std::byte> table_of(const Tile& tile) {
    const typename Groups::Group group = Groups::group_of(tile, width);
    std::array<std::uint16_t, most_short> from;  // NOLINT: filled
    from.fill(no_byte);
    std::uint16_t* at = from.data();
    for (std::int64_t k = 0; k < group.tiles; ++k) {
      for (std::int64_t j = 0; j < tile.count[1]; ++j) {
        for (std::int64_t i = 0; i < tile.count[0]; ++i) {
          if (tile.row_at(i) == no_row) {
            at += width;
            continue;
          }
          const std::int64_t element =
              k * tile.src_stride[2] + j * tile.src_stride[1] + tile.row_at(i);
          for (int q = 0; q < width; ++q) {
            *at++ = static_cast<std::uint16_t>(element + q);
          }
        }
        at += tile.zeros * width;
      }
    }
    std::vector<std::byte> table;
    const auto ins = static_cast<int>(Groups::vectors_of(group.all.src));
    for (std::int64_t k = 0; k < group.all.dst; k += unit) {
      Vector::template tabulate<true>(&from[static_cast<std::size_t>(k)], ins,
                                      table);
    }
    return table;
  }

  static void run(const Tile& tile) {
    Groups::run(tile, Groups::group_of(tile, width));
  }
};

}  // namespace
}  // namespace stridewise
