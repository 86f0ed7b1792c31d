// Copies and fills of runs for every instruction set. Included as transpose.hpp
// is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/short_runs.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// What is asked for of runs that stream: as far ahead as of what is read in order, in
// the same run or those after it.
class RunsAhead {
 public:
  RunsAhead() = default;
  explicit RunsAhead(const Tile& tile) {
    if (!tile.prefetch || in_order_ahead == 0 || tile.count[1] == 0) return;
    const std::int64_t bytes = tile.count[1], stride = tile.src_stride[0];
    last_ = std::max<std::int64_t>(bytes - in_order_ahead, 0);
    to_next_ = last_ > 0 ? stride - last_ : in_order_ahead / bytes * stride;
  }
  // For what so many bytes of a run, from `at` on, will be asked for.
  [[gnu::always_inline]] void ask(const std::byte* run, std::int64_t at,
                                  std::int64_t bytes) const {
    if (to_next_ == 0) return;
    ask_for(run + at + (at < last_ ? in_order_ahead : to_next_), bytes);
  }

 private:
  std::int64_t last_ = 0;  // of a run's bytes: the first that asks for the next
  std::int64_t to_next_ = 0;  // bytes from there on; 0: nothing is asked for
};

// Where the vectors of runs come from: memory, or nothing.
struct FromMemory {
  const std::byte* src;
  RunsAhead ahead = {};

  // Asks for what follows byte `at` and the next ones, if anything is.
  [[gnu::always_inline]] void ask(std::int64_t at, std::int64_t bytes) const {
    ahead.ask(src, at, bytes);
  }
  template <class Vector>
  [[gnu::always_inline]] typename Vector::type at(std::int64_t byte) const {
    return Vector::load(src + byte);
  }
  [[nodiscard]] const std::byte* few(std::int64_t byte) const {
    return src + byte;
  }
};
struct FromNothing {
  static void ask(std::int64_t /*at*/, std::int64_t /*bytes*/) {}
  template <class Vector>
  [[gnu::always_inline]] typename Vector::type at(std::int64_t /*byte*/) const {
    return Vector::zero();
  }
  [[nodiscard]] static const std::byte* few(std::int64_t /*byte*/) {
    return zero_bytes;
  }
};

// Four vectors of a run, `at` and on.
template <class Vector, bool streams, class From>
[[gnu::always_inline]] inline void move_four(From from, std::byte* dst,
                                             std::int64_t at) {
  constexpr std::int64_t unit = 16 * Vector::lanes;
  typename Vector::type v[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) v[k] = from.template at<Vector>(at + k * unit);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    store_or_stream<Vector, streams>(dst + at + k * unit, v[k]);
  }
}

// At least one vector of bytes; the last one overlaps what is already there.
template <class Vector, class From>
[[gnu::always_inline]] inline void write_run(From from, std::byte* dst,
                                             std::int64_t bytes) {
  constexpr std::int64_t unit = 16 * Vector::lanes;
  std::int64_t at = 0;
  if (bytes >= 4 * unit) {
    // No store should cross a line.
    const std::int64_t head = to_next_line(dst);
    for (; at < head; at += unit) {
      Vector::store(dst + at, from.template at<Vector>(at));
    }
    at = head;
    for (; at + 4 * unit <= bytes; at += 4 * unit) {
      move_four<Vector, false>(from, dst, at);
    }
  }
  for (; at + unit <= bytes; at += unit) {
    Vector::store(dst + at, from.template at<Vector>(at));
  }
  if (at < bytes) {
    Vector::store(dst + bytes - unit, from.template at<Vector>(bytes - unit));
  }
}

// Bytes [at, end) of a run, less than a line, and none beside them: a store to a
// line that streams would have to wait for it.
template <class From>
void write_part(From from, std::byte* dst, std::int64_t at, std::int64_t end) {
  if (at == end) return;
  if (end - at < 16) return copy_short(dst + at, from.few(at), end - at);
  for (; at + 16 <= end; at += 16) {
    Vector128::store(dst + at, from.template at<Vector128>(at));
  }
  Vector128::store(dst + end - 16, from.template at<Vector128>(end - 16));
}

// At least a line of bytes: whole lines stream.
template <class Vector, class From>
[[gnu::always_inline]] inline void stream_run(From from, std::byte* dst,
                                              std::int64_t bytes) {
  constexpr std::int64_t unit = 16 * Vector::lanes;
  std::int64_t at = to_next_line(dst);
  write_part(from, dst, 0, at);
  for (; bytes - at >= 4 * unit; at += 4 * unit) {
    ask_page_after(dst + at, 4 * unit);
    from.ask(at, 4 * unit);
    move_four<Vector, true>(from, dst, at);
  }
  for (; bytes - at >= line; at += line) {
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < line; k += unit) {
      Vector::stream(dst + at + k, from.template at<Vector>(at + k));
    }
  }
  write_part(from, dst, at, bytes);
}

// Runs of more bytes are memcpy's, which in the caches does not read dst first.
constexpr std::int64_t short_run = 2048;

// A run of any length, by what serves it.
template <class Vector, bool streams, class From>
[[gnu::always_inline]] inline void any_run(From from, std::byte* dst,
                                           std::int64_t bytes) {
  if (streams && bytes >= line) {
    stream_run<Vector>(from, dst, bytes);
  } else if (std::is_same_v<From, FromMemory> && bytes > short_run) {
    std::memcpy(dst, from.few(0), static_cast<std::size_t>(bytes));
  } else if (bytes >= 16 * Vector::lanes) {
    write_run<Vector>(from, dst, bytes);
  } else if (bytes >= 16) {
    write_run<Vector128>(from, dst, bytes);
  } else if (bytes > 0) {
    copy_short(dst, from.few(0), bytes);
  }
}

template <class Vector, bool streams>
void zero_run(std::byte* dst, std::int64_t bytes) {
  any_run<Vector, streams>(FromNothing{}, dst, bytes);
}

// Runs of some lines by so many vectors each, of which the last two may overlap, or
// which stream where all runs are whole lines: what a run costs besides is more than
// moving it.
template <class Vector, bool streams>
class SomeLines {
  static constexpr std::int64_t unit = 16 * Vector::lanes;
  static constexpr int most = 8;  // vectors
  static constexpr int step = streams ? line / unit : 1;

 public:
  static bool suits(const Tile& tile) {
    return tile.zeros == 0 && tile.count[1] >= line &&
           tile.count[1] <= most * unit &&
           (!streams || ((tile.count[1] | tile.dst_stride[0]) % line == 0 &&
                         planes_aligned(tile, line)));
  }
  static void run(const Tile& tile) { with_vectors<line / unit>(tile); }

 private:
  template <int vectors>
  static void with_vectors(const Tile& tile) {
    if constexpr (vectors < most) {
      if (tile.count[1] > vectors * unit)
        return with_vectors<vectors + step>(tile);
    }
    runs<vectors>(tile);
  }
  template <int vectors>
  static void runs(const Tile& tile) {
    const std::int64_t last = tile.count[1] - unit;
    const RunsAhead ahead(tile);
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
      typename Vector::type v[vectors];
      const auto at = [=](int k) { return k + 1 < vectors ? k * unit : last; };
#pragma GCC unroll 8
      for (int k = 0; k < vectors; ++k) v[k] = Vector::load(src + at(k));
      if (streams) {
        ask_page_after(dst, vectors * unit);
        ahead.ask(src, 0, vectors * unit);
      }
#pragma GCC unroll 8
      for (int k = 0; k < vectors; ++k) {
        store_or_stream<Vector, streams>(dst + at(k), v[k]);
      }
    });
  }
};

template <class Vector>
class Copy {
 public:
  static void run(const Tile& tile) {
    // Of half a line, since more of those that are misaligned cross none.
    using Some = SomeLines<typename Vector::Half, false>;
    if (Some::suits(tile)) return Some::run(tile);
    if (tile.count[1] >= 2 * line && tile.count[1] <= short_run) {
      return tile.zeros > 0 ? lines<true>(tile) : lines<false>(tile);
    }
    planes<false>(tile);
  }
  static void stream(const Tile& tile) {
    using Some = SomeLines<Vector, true>;
    if (Some::suits(tile)) return Some::run(tile);
    planes<true>(tile);
  }

 private:
  // Runs of some more lines: choosing what serves each takes as long as moving half a
  // KiB.
  template <bool padded>
  static void lines(const Tile& tile) {
    const std::int64_t bytes = tile.count[1];
    const std::int64_t zeros = tile.zeros;
    each_run(tile, [=](const std::byte* src, std::byte* dst) {
      write_run<Vector>(FromMemory{src}, dst, bytes);
      if constexpr (padded) zero_run<Vector, false>(dst + bytes, zeros);
    });
  }

  // Few runs a plane are taken together, but for the last plane's where those end with
  // src.
  template <bool streams>
  static void planes(const Tile& tile) {
    constexpr std::int64_t few = 64;
    if (planes_of(tile) == 1) return runs<streams>(tile);
    if (tile.count[0] > few) return each_plane<streams>(tile);
    if (!ShortRuns<Vector, streams>::planes(tile)) some_planes<streams>(tile);
  }
  template <bool streams>
  static void some_planes(Tile tile) {
    const auto all_but_last = [&](std::int64_t& count, std::int64_t src_stride,
                                  std::int64_t dst_stride) {
      if (count == 1) return;
      --count;
      if (!ShortRuns<Vector, streams>::planes(tile)) each_plane<streams>(tile);
      tile.src += count * src_stride;
      tile.dst += count * dst_stride;
      count = 1;
    };
    for (const std::size_t d : {1, 0}) {
      Tile::Loop& loop = tile.outer[d];
      all_but_last(loop.count, loop.src_stride, loop.dst_stride);
    }
    for (const std::size_t d : {3, 2}) {
      all_but_last(tile.count[d], tile.src_stride[d], tile.dst_stride[d]);
    }
    each_plane<streams>(tile);
  }

  template <bool streams>
  static void each_plane(const Tile& tile) {
    Tile plane = plane_of(tile);
    stridewise::each_plane(tile, [&](const Tile& of_tile) {
      plane.src = of_tile.src;
      plane.dst = of_tile.dst;
      runs<streams>(plane);
    });
  }

  template <bool streams>
  static void runs(const Tile& tile) {
    const std::int64_t bytes = tile.count[1];
    const std::int64_t zeros = tile.zeros;
    const RunsAhead ahead(tile);
    const std::int64_t done = ShortRuns<Vector, streams>::run(tile);
    each_run(runs_from(tile, done), [=](const std::byte* src, std::byte* dst) {
      any_run<Vector, streams>(FromMemory{src, ahead}, dst, bytes);
      zero_run<Vector, streams>(dst + bytes, zeros);
    });
  }
};

template <class Vector>
class FillZero {
 public:
  static void run(const Tile& tile) { each_plane(tile, runs<false>); }
  static void stream(const Tile& tile) { each_plane(tile, runs<true>); }

 private:
  template <bool streams>
  static void runs(const Tile& tile) {
    const std::int64_t bytes = tile.count[1];
    if (bytes > 0 && bytes < 16) return short_runs(tile);
    std::byte* dst = tile.dst;
    for (std::int64_t k = 0; k < tile.count[0]; ++k) {
      zero_run<Vector, streams>(dst, bytes);
      dst += tile.dst_stride[0];
    }
  }

  static void short_runs(const Tile& tile) {
    if (tile.count[1] >= 8) return ends<std::uint64_t>(tile);
    if (tile.count[1] >= 4) return ends<std::uint32_t>(tile);
    tile.count[1] >= 2 ? ends<std::uint16_t>(tile) : ends<std::uint8_t>(tile);
  }
  // Both ends of each run, which may overlap.
  template <class Word>
  static void ends(const Tile& tile) {
    constexpr Word zero = 0;
    const std::int64_t stride = tile.dst_stride[0];
    const std::int64_t last = tile.count[1] - std::int64_t{sizeof zero};
    const std::int64_t count = tile.count[0];
    std::byte* dst = tile.dst;
    for (std::int64_t k = 0; k < count; ++k) {
      std::memcpy(dst, &zero, sizeof zero);
      std::memcpy(dst + last, &zero, sizeof zero);
      dst += stride;
    }
  }
};

}  // namespace
}  // namespace stridewise
