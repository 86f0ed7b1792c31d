// What a piece of dst takes from src, for a few tiles at once: whole bytes, or bits of them.
// Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "engine/kernels/program_table.hpp"

namespace stridewise::engine {
namespace {

// What a ByteMap does to each byte of a vector.
template <class Vector>
struct MappedBytes {
  using V = typename Vector::type;
  V flip, low, high, minus;

  explicit MappedBytes(const ByteMap& map)
      : flip(Vector::of_byte(map.flip)),
        low(Vector::of_byte(map.low)),
        high(Vector::of_byte(map.high)),
        minus(Vector::of_byte(map.minus)) {}
  [[gnu::always_inline]] V of(V v) const {
    v = Vector::most(Vector::differing(v, flip), low);
    return Vector::minus(Vector::least(v, high), minus);
  }
};

// one(k) for each k less than `count`, constants: compilers keep arrays in registers then.
template <int count, class One>
[[gnu::always_inline]] inline void repeat(One one) {
  [&]<int... k>(std::integer_sequence<int, k...>)
      __attribute__((always_inline)) {
    (one(std::integral_constant<int, k>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

// The same piece of so many tiles, that begin `step` apart in src: what the table says is
// read once for all of them.
template <class Vector, int tiles>
struct Pieces {
  using V = typename Vector::type;
  static constexpr std::int64_t vector_bytes = Vector::vector_bytes;
  V v[tiles];

  // The bytes that so many sources take; `at` is then behind them.
  [[gnu::always_inline]] static Pieces bytes(std::int64_t count,
                                             const std::byte*& at,
                                             const std::byte* src,
                                             std::int64_t step) {
    Pieces taken;  // NOLINT: set below
    const auto first = Vector::source(at);
    repeat<tiles>([&](auto k) __attribute__((always_inline)) {
      taken.v[k] = Vector::first(first, src + k * step);
    });
    at += source_vectors * vector_bytes;
    for (std::int64_t n = 1; n < count; ++n) {
      const auto source = Vector::source(at);
      repeat<tiles>([&](auto k) __attribute__((always_inline)) {
        taken.v[k] = Vector::more(taken.v[k], source, src + k * step);
      });
      at += source_vectors * vector_bytes;
    }
    return taken;
  }

  // one(vector) becomes of each.
  template <class One>
  [[gnu::always_inline]] void each(One one) {
    repeat<tiles>([&](auto k)
                      __attribute__((always_inline)) { v[k] = one(v[k]); });
  }
};

// Of whole bytes.
template <class Vector>
struct BytePieces {
  template <int tiles>
  [[gnu::always_inline]] auto take(const ProgramTable::Piece& piece,
                                   const std::byte* src,
                                   std::int64_t step) const {
    const std::byte* at = piece.sources;
    return Pieces<Vector, tiles>::bytes(piece.count, at, src, step);
  }
};

// Of bits: the bytes that the sources of a group take are shifted and cut together.
enum class Maps : std::uint8_t { none, before, after };
template <class Vector, Maps maps>
class BitPieces {
  using V = typename Vector::type;
  static constexpr std::int64_t vector_bytes = Vector::vector_bytes;

 public:
  explicit BitPieces(const ProgramTable& program)
      : map_(maps == Maps::before ? program.before() : program.after()) {}

  template <int tiles>
  [[gnu::always_inline]] auto take(const ProgramTable::Piece& piece,
                                   const std::byte* src,
                                   std::int64_t step) const {
    const std::byte* at = piece.sources;
    Pieces<Vector, tiles> all = group<tiles>(at, src, step);
    for (std::int64_t n = 1; n < piece.count; ++n) {
      const Pieces<Vector, tiles> more = group<tiles>(at, src, step);
      repeat<tiles>([&](auto k) __attribute__((always_inline)) {
        all.v[k] = Vector::either(all.v[k], more.v[k]);
      });
    }
    if constexpr (maps == Maps::after) {
      all.each([this](V v) { return map_.of(v); });
    }
    return all;
  }

 private:
  // The group at `at`, which is then behind it.
  template <int tiles>
  [[gnu::always_inline]] auto group(const std::byte*& at, const std::byte* src,
                                    std::int64_t step) const {
    std::int64_t count = 0;
    std::memcpy(&count, at, sizeof(count));
    const std::byte* const shift = at + vector_bytes;
    at += group_vectors * vector_bytes;
    auto all = Pieces<Vector, tiles>::bytes(count, at, src, step);
    if constexpr (maps == Maps::before) {
      all.each([this](V v) { return map_.of(v); });
    }
    const auto by = Vector::shift_by(shift);
    const V mask = Vector::load(shift + vector_bytes);
    all.each([&](V v) { return Vector::both(Vector::shifted(v, by), mask); });
    return all;
  }

  MappedBytes<Vector> map_;
};

}  // namespace
}  // namespace stridewise::engine
