// Vectors that take their bytes from any place of up to three others. Included as
// transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// `outs` vectors of `ins` ones.
template <class Vector, int outs, int ins>
class BytePermutation {
  static_assert(ins >= 1 && ins <= 3);
  using V = typename Vector::type;

 public:
  // Byte `at` of the result is byte `from` of what it is taken from, both counted
  // through all vectors. What is never set is any byte.
  constexpr void set(int at, int from) {
    const auto out = static_cast<std::size_t>(at / 64);
    const auto byte = static_cast<std::size_t>(at % 64);
    if (from < 128) {
      from_[out][byte] = static_cast<std::uint8_t>(from);
    } else {
      from_third_[out][byte] = static_cast<std::uint8_t>(from - 128);
      third_[out] |= std::uint64_t{1} << byte;
    }
  }

  [[gnu::always_inline]] V apply(const V* in, int out) const {
    if constexpr (ins == 1) {
      return Vector::permute_bytes(from_[out], in[0]);
    } else {
      V v = Vector::permute_bytes(from_[out], in[0], in[1]);
      if constexpr (ins == 3) {
        v = Vector::insert_bytes(v, third_[out], from_third_[out], in[2]);
      }
      return v;
    }
  }

 private:
  alignas(64) std::array<LaneMask<64>, outs> from_{};
  alignas(64) std::array<LaneMask<64>, outs> from_third_{};
  std::array<std::uint64_t, outs> third_{};
};

// How 4 * quads - 3 to 4 * quads rows lie in vectors of four of them, 16 bytes of
// each: one round of zips or two within lanes leaves so many groups of vectors, of
// which each holds all rows of a half or a quarter of the columns.
template <int quads_>
struct Quads {
  static constexpr int quads = quads_;
  static constexpr int vectors = (quads + 1) / 2 * 2;
  static constexpr int rounds = vectors == 8 ? 2 : 1;
  static constexpr int groups = 1 << rounds;
  static constexpr int of_group = vectors / groups;  // vectors, one to three
  static constexpr int lines = (64 * quads / groups + 63) / 64;  // of a group
  static constexpr int most_rows = 4 * quads;
  static constexpr int least_rows = most_rows - 3;

  // What `of` makes of each number of rows, found by place(rows).
  template <class Of>
  static constexpr auto each(Of of) {
    return std::array{of(least_rows), of(least_rows + 1), of(least_rows + 2),
                      of(least_rows + 3)};
  }
  static constexpr std::size_t place(std::int64_t rows) {
    return static_cast<std::size_t>(rows - least_rows);
  }
};

// Calls f with the Quads of so many rows, from 5 on and of a line at most.
template <int width, int quads = 2, class F>
void with_quads(std::int64_t rows, F f) {
  if constexpr (quads < 8 && 4 * quads * width < 64) {
    if (rows > 4 * quads) return with_quads<width, quads + 1>(rows, f);
  }
  f(Quads<quads>());
}

}  // namespace
}  // namespace stridewise
