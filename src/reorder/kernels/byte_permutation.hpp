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

}  // namespace
}  // namespace stridewise
