// Runs of bytes, of any length: from memory or from nothing, through the caches or past them.
// Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>

#include "engine/kernels/vector128.hpp"
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
  std::int64_t bits = dst_bits(tile);
  if (tile.rows > 1) bits |= tile.column_pitch;
  return bits % bytes == 0;
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

}  // namespace
}  // namespace stridewise::engine
