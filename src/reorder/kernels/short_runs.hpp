// Copies of many runs of less than a line, with zeros perhaps two: some at once by
// permutations of bytes, or each by constant moves. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// The same `one` for every run of a tile and its planes.
template <class One>
[[gnu::always_inline]] inline void each_run(const Tile& tile, One one) {
  // Copies, so that nothing is read again because of what is stored.
  const auto count = tile.count, src_stride = tile.src_stride,
             dst_stride = tile.dst_stride;
  for (LoopsAround around(tile); around.more(); around.next()) {
    for (std::int64_t j = 0; j < count[2]; ++j) {
      const std::byte* src = around.src() + j * src_stride[2];
      std::byte* dst = around.dst() + j * dst_stride[2];
      for (std::int64_t k = 0; k < count[0]; ++k) {
        one(src, dst);
        src += src_stride[0];
        dst += dst_stride[0];
      }
    }
  }
}

// The runs after the first ones.
inline Tile runs_from(const Tile& tile, std::int64_t first) {
  Tile rest = tile;
  rest.count[0] -= first;
  rest.src += first * tile.src_stride[0];
  rest.dst += first * tile.dst_stride[0];
  return rest;
}

template <class V>
concept ShufflesBytes = requires(typename V::type v) {
  V::shuffle_bytes(v, v);
};

template <class Vector, bool streams>
class ShortRuns {
  // Half a line at most.
  using Half = typename Vector::Half;

 public:
  // Copies the runs of all planes, and their zeros, if constant moves do that and read
  // nothing outside src: what those hang on is found once. False where it does nothing.
  static bool planes(const Tile& tile) {
    const std::int64_t all = tile.count[1] + tile.zeros;
    if (all > (tile.zeros > 0 ? 2 * line : line)) return false;
    // More than a few are better permuted.
    constexpr std::int64_t few = 16;
    if (tile.count[0] > few &&
        (permutes<Vector>(tile) || permutes<Vector128>(tile))) {
      return false;
    }
    std::int64_t reach = all;
    for (const std::size_t d : {0, 2, 3}) {
      reach +=
          std::max<std::int64_t>(tile.src_stride[d], 0) * (tile.count[d] - 1);
    }
    for (const Tile::Loop& loop : tile.outer) {
      reach += std::max<std::int64_t>(loop.src_stride, 0) * (loop.count - 1);
    }
    return tile.src_end - tile.src >= reach && by_moves(tile) > 0;
  }

  // Copies the first runs of a tile without planes, of at least a byte, and their zeros;
  // returns how many.
  static std::int64_t run(const Tile& tile) {
    std::int64_t done = permuted<Vector>(tile);
    if constexpr (!std::is_same_v<Vector, Vector128>) {
      if (done == 0) done = permuted<Vector128>(tile);
    }
    return done == 0 ? by_moves(tile) : done + run(runs_from(tile, done));
  }

 private:
  // Whole parts of a line, or two lines, by vectors, all else of less than that by two
  // moves that may overlap.
  static std::int64_t by_moves(const Tile& tile) {
    const std::int64_t bytes = tile.count[1];
    const std::int64_t all = bytes + tile.zeros;
    if (tile.zeros > 0) {
      if (all == 128) {
        return bytes <= 64 ? whole<Vector, 128, 64>(tile)
                           : whole<Vector, 128>(tile);
      }
      if (all == 64) return whole<Vector, 64>(tile);
      if (all == 32) return whole<Half, 32>(tile);
      if (all == 16) return whole<Vector128, 16>(tile);
      if (all > 128) return 0;
      if (all > 64) return padded<Of<Vector>, 64>(tile);
      if (all > 32) return padded<Of<Half>, 32>(tile);
      if (all > 16) return padded<Of<Vector128>, 16>(tile);
      if (all > 8) return padded<Of<std::uint64_t>, 8>(tile);
      if (all > 4) return padded<Of<std::uint32_t>, 4>(tile);
      return all > 2 ? padded<Of<std::uint16_t>, 2>(tile)
                     : padded<Of<std::uint8_t>, 1>(tile);
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

  // What moves at once: vectors, or words.
  template <class V>
  struct Of : V {};
  template <std::unsigned_integral Word>
  struct Of<Word> {
    using type = Word;
    static Word load(const std::byte* from) {
      Word word;
      std::memcpy(&word, from, sizeof word);
      return word;
    }
    static void store(std::byte* to, Word word) {
      std::memcpy(to, &word, sizeof word);
    }
    static Word both(Word a, Word b) { return static_cast<Word>(a & b); }
  };

  // Runs that with their zeros are more than `half` bytes and at most twice as many: the
  // first half and the last, as far as both are inside src.
  template <class V, std::int64_t half>
  static std::int64_t padded(const Tile& tile) {
    using T = typename V::type;
    constexpr std::int64_t unit = sizeof(T), moves = half / unit;
    const std::int64_t all = tile.count[1] + tile.zeros;
    const std::int64_t last = all - half;
    std::byte keep[2 * half] = {};
    std::memset(keep, 255, static_cast<std::size_t>(tile.count[1]));
    T mask[2 * moves];
    for (std::int64_t k = 0; k < moves; ++k) {
      mask[k] = V::load(keep + k * unit);
      mask[moves + k] = V::load(keep + last + k * unit);
    }
    Tile part = tile;
    part.count[0] = runs_inside(tile, all);
    // By value: what is stored might be what a reference leads to.
    each_run(part, [=](const std::byte* src, std::byte* dst) {
      T v[2 * moves];
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < moves; ++k) {
        v[k] = V::both(V::load(src + k * unit), mask[k]);
        v[moves + k] = V::both(V::load(src + last + k * unit), mask[moves + k]);
      }
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < moves; ++k) {
        V::store(dst + k * unit, v[k]);
        V::store(dst + last + k * unit, v[moves + k]);
      }
    });
    return part.count[0];
  }

  // Runs that with their zeros are `all` bytes, by vectors that read so many.
  template <class V, std::int64_t all, std::int64_t read = all>
  static std::int64_t whole(const Tile& tile) {
    Tile part = tile;
    part.count[0] = runs_inside(tile, read);
    constexpr std::int64_t unit = 16 * V::lanes;
    const bool aligned =
        tile.dst_stride[0] % unit == 0 && planes_aligned(tile, unit);
    aligned ? whole_runs<V, all, read, streams>(part)
            : whole_runs<V, all, read, false>(part);
    return part.count[0];
  }
  template <class V, std::int64_t all, std::int64_t read, bool streamed>
  [[gnu::noinline]] static void whole_runs(const Tile& tile) {
    constexpr std::int64_t unit = 16 * V::lanes;
    static_assert(all % unit == 0 && read % unit == 0);
    typename V::type mask[read / unit];
    std::byte keep[read] = {};
    std::memset(keep, 255, static_cast<std::size_t>(tile.count[1]));
    for (std::int64_t k = 0; k < read / unit; ++k) {
      mask[k] = V::load(keep + k * unit);
    }
    // By value: what is stored might be what a reference leads to.
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
#pragma GCC unroll 8
      for (std::int64_t k = 0; k < all / unit; ++k) {
        put_in_order<V, streamed>(
            dst + k * unit, k < read / unit
                                ? V::both(V::load(src + k * unit), mask[k])
                                : V::zero());
      }
    });
  }
  template <class V, bool streamed>
  [[gnu::always_inline]] static void put_in_order(std::byte* dst,
                                                  typename V::type v) {
    if (streamed) ask_page_after(dst, 16 * V::lanes);
    store_or_stream<V, streamed>(dst, v);
  }

  // Runs that one permutation makes of what a vector, or each of its lanes, holds of src.
  template <ShufflesBytes V>
  struct OfLane {
    static constexpr std::int64_t span = V::shuffled_bytes;
    static constexpr std::int64_t lanes = 16 * V::lanes / span;
    std::int64_t all;  // bytes of a run and its zeros
    std::int64_t
        runs;  // that follow each other in dst; 0 where that does not pay
    [[nodiscard]] bool whole() const { return runs * all == span; }

    explicit OfLane(const Tile& tile)
        : all(tile.count[1] + tile.zeros), runs(0) {
      const std::int64_t bytes = tile.count[1], stride = tile.src_stride[0];
      if (tile.dst_stride[0] != all || all > span || bytes > stride ||
          tile.count[0] * all < least_permuted<V> * 16 * V::lanes) {
        return;
      }
      runs = std::min((span - bytes) / stride + 1, span / all);
      // One run a store is worth it where that saves another.
      const bool moves = tile.zeros == 0 ? bytes % 4 == 0 : lanes == 1;
      if ((lanes > 1 && !whole()) || (runs == 1 && moves)) runs = 0;
    }
  };
  // What pays for finding the permutation.
  template <ShufflesBytes V>
  static constexpr std::int64_t least_permuted = V::shuffled_bytes / 4;

  template <class V>
  static bool permutes(const Tile& tile) {
    if constexpr (ShufflesBytes<V>) return OfLane<V>(tile).runs > 0;
    return false;
  }

  // Copies runs so: whole vectors of dst, or as much as is there and what is the next
  // runs', which are written later. Returns how many of the first runs are done.
  template <class V>
  static std::int64_t permuted(const Tile& tile) {
    if constexpr (ShufflesBytes<V>) {
      const OfLane<V> of_lane(tile);
      return of_lane.runs == 0 ? 0 : permuted(tile, of_lane);
    }
    return 0;
  }
  template <ShufflesBytes V>
  static std::int64_t permuted(const Tile& tile, const OfLane<V>& of_lane) {
    constexpr std::int64_t span = V::shuffled_bytes;
    constexpr std::int64_t lanes = OfLane<V>::lanes;
    const std::int64_t bytes = tile.count[1], stride = tile.src_stride[0];
    const std::int64_t all = of_lane.all, runs = of_lane.runs;
    const bool whole = of_lane.whole();
    const std::int64_t at_once = runs * lanes;
    const std::int64_t beyond =
        whole ? 0 : (span + all - 1) / all - runs;  // runs written
    const std::int64_t count =
        std::min(runs_inside(tile, span), tile.count[0] - beyond) / at_once;
    if (count < least_permuted<V>) return 0;

    std::byte from[16 * V::lanes];
    std::memset(from, zero_byte, sizeof from);
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      for (std::int64_t run = 0; run < runs; ++run) {
        std::byte* const of_run = from + lane * span + run * all;
        for (std::int64_t q = 0; q < bytes; ++q) {
          of_run[q] = static_cast<std::byte>(run * stride + q);
        }
      }
    }
    const auto permutation = V::load(from);
    const auto each = [&](auto store) {
      const std::byte* src = tile.src;
      std::byte* dst = tile.dst;
      for (std::int64_t k = 0; k < count; ++k) {
        store(dst,
              V::shuffle_bytes(permutation, held_by<V>(src, runs * stride)));
        src += at_once * stride;
        dst += at_once * all;
      }
    };
    using T = typename V::type;
    constexpr bool some = V::lanes > lanes;
    if (whole && reinterpret_cast<std::uintptr_t>(tile.dst) % sizeof(T) == 0) {
      each([](std::byte* to, T v) { put_in_order<V, streams>(to, v); });
    } else if (some && runs * all <= 16) {
      each([](std::byte* to, T v) { V::template store_some<1>(to, v, 0); });
    } else if (some && runs * all <= 32) {
      each([](std::byte* to, T v) { V::template store_some<2>(to, v, 0); });
    } else {
      each([](std::byte* to, T v) { V::store(to, v); });
    }
    return count * at_once;
  }
  // What permutations take bytes of: of each lane `step` bytes on.
  template <class V>
  [[gnu::always_inline]] static typename V::type held_by(const std::byte* src,
                                                         std::int64_t step) {
    if constexpr (V::shuffled_bytes == 16 * V::lanes) {
      return V::load(src);
    } else {
      return V::gather([=](std::int64_t lane) { return src + lane * step; });
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
