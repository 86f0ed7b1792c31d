// Copies and fills of runs. Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>

#include "engine/kernels/squares.hpp"
#include "engine/kernels/walk.hpp"

namespace stridewise::engine {
namespace {

[[gnu::always_inline]] inline std::int64_t to_next_line(const std::byte* at) {
  return -reinterpret_cast<std::intptr_t>(at) & (line_bytes - 1);
}

// Where the vectors of runs come from: memory, or nothing.
struct FromMemory {
  const std::byte* src;

  template <class Vector>
  [[gnu::always_inline]] typename Vector::type at(std::int64_t byte) const {
    return Vector::load(src + byte);
  }
  [[nodiscard]] const std::byte* few(std::int64_t byte) const {
    return src + byte;
  }
};
struct FromNothing {
  template <class Vector>
  [[gnu::always_inline]] typename Vector::type at(std::int64_t /*byte*/) const {
    return Vector::zero();
  }
  [[nodiscard]] static const std::byte* few(std::int64_t /*byte*/) {
    return zero_bytes;
  }
};

// Bytes [at, end) of a run, less than a line, and none beside them: a store to a line that
// streams would have to wait for it.
template <class From>
inline void write_part(From from, std::byte* dst, std::int64_t at,
                       std::int64_t end) {
  if (at == end) return;
  if (end - at < 16) return copy_short(dst + at, from.few(at), end - at);
  for (; at + 16 <= end; at += 16) {
    Vector128::store(dst + at, from.template at<Vector128>(at));
  }
  Vector128::store(dst + end - 16, from.template at<Vector128>(end - 16));
}

// one(src, dst) for every run of a tile and its planes.
template <class One>
[[gnu::always_inline]] inline void each_run(const Tile& tile, One one) {
  const std::int64_t runs = tile.rows;
  const std::int64_t src_pitch = tile.row_pitch, dst_pitch = tile.column_pitch;
  each_plane(
      tile, [=](const std::byte* src, std::byte* dst)
                __attribute__((always_inline)) {
                  for (std::int64_t k = 0; k < runs; ++k) {
                    one(src, dst);
                    src += src_pitch;
                    dst += dst_pitch;
                  }
                });
}

// How many bytes of src runs of a tile reach over, if each is read `bytes` far.
inline std::int64_t reach_of(const Tile& tile, std::int64_t bytes) {
  std::int64_t reach =
      bytes + std::max<std::int64_t>(tile.row_pitch, 0) * (tile.rows - 1);
  for (const Loop& loop : tile.planes) {
    reach += std::max<std::int64_t>(loop.src, 0) * (loop.count - 1);
  }
  return reach;
}

// Whether each run begins a multiple of so many bytes of dst.
inline bool runs_aligned(const Tile& tile, std::int64_t bytes) {
  std::int64_t all = reinterpret_cast<std::intptr_t>(tile.dst);
  if (tile.rows > 1) all |= tile.column_pitch;
  for (const Loop& loop : tile.planes) all |= loop.count > 1 ? loop.dst : 0;
  return all % bytes == 0;
}

// At least one vector of bytes; the last one overlaps what is already there.
template <class Vector, class From>
[[gnu::always_inline]] inline void write_run(From from, std::byte* dst,
                                             std::int64_t bytes) {
  constexpr std::int64_t unit = 16 * Vector::lanes;
  std::int64_t at = 0;
  for (; at + 4 * unit <= bytes; at += 4 * unit) {
    typename Vector::type v[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) v[k] = from.template at<Vector>(at + k * unit);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) Vector::store(dst + at + k * unit, v[k]);
  }
  for (; at + unit <= bytes; at += unit) {
    Vector::store(dst + at, from.template at<Vector>(at));
  }
  if (at < bytes) {
    Vector::store(dst + bytes - unit, from.template at<Vector>(bytes - unit));
  }
}

// At least a line of bytes: whole lines of dst stream.
template <class Vector, class From>
[[gnu::always_inline]] inline void stream_run(From from, std::byte* dst,
                                              std::int64_t bytes) {
  constexpr std::int64_t unit = 16 * Vector::lanes;
  std::int64_t at = std::min(to_next_line(dst), bytes);
  write_part(from, dst, 0, at);
  for (; bytes - at >= line_bytes; at += line_bytes) {
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < line_bytes; k += unit) {
      Vector::stream(dst + at + k, from.template at<Vector>(at + k));
    }
  }
  write_part(from, dst, at, bytes);
}

// A run of any length, by what serves it.
template <class Vector, bool streams, class From>
[[gnu::always_inline]] inline void any_run(From from, std::byte* dst,
                                           std::int64_t bytes) {
  constexpr std::int64_t most_vectors_bytes =
      2048;  // memcpy serves longer ones
  if (streams && bytes >= 2 * line_bytes) {
    stream_run<Vector>(from, dst, bytes);
  } else if (std::same_as<From, FromMemory> && bytes > most_vectors_bytes) {
    std::memcpy(dst, from.few(0), static_cast<std::size_t>(bytes));
  } else if (bytes >= 16 * Vector::lanes) {
    write_run<Vector>(from, dst, bytes);
  } else if (bytes >= 16) {
    write_run<Vector128>(from, dst, bytes);
  } else if (bytes > 0) {
    copy_short(dst, from.few(0), bytes);
  }
}

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
