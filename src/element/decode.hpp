// Values from the bytes of memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stridewise {

// Pre: sizeof(T) bytes lie at `bytes`, aligned or not.
template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The bits of the f32 that has the value of an f16: sign, 5 bits of exponent, 10
// of fraction. A NaN keeps its payload and becomes quiet.
inline std::uint32_t f32_of_f16(std::uint32_t code) {
  const std::uint32_t sign = (code & 0x8000) << 16, fraction = code & 0x3ff;
  const int exponent = static_cast<int>(code >> 10 & 31);
  if (exponent == 31) {
    const std::uint32_t quiet = fraction == 0 ? 0 : 0x400000;
    return sign | 0x7f800000 | quiet | fraction << 13;
  }
  const std::uint32_t units = exponent == 0 ? fraction : fraction + 1024;
  return sign | std::bit_cast<std::uint32_t>(std::ldexp(
                    static_cast<float>(units), std::max(exponent, 1) - 25));
}

// The same of a bf16, which is the upper half of an f32.
inline std::uint32_t f32_of_bf16(std::uint32_t code) { return code << 16; }

}  // namespace stridewise
