// One element as a number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "element/decode.hpp"
#include "stridewise/element.hpp"

namespace stridewise::inspect {

struct Value {
  double real = 0;
  double imaginary = 0;

  [[nodiscard]] bool nan() const;
  [[nodiscard]] bool finite() const;
};

[[nodiscard]] Value value_at(const ElementType& type, const std::byte* at);

// The value itself in digits: "1.5", "1-2j".
[[nodiscard]] std::string print_value(const ElementType& type,
                                      const std::byte* at);

// |a - b| of integers.
template <class T>
[[gnu::always_inline]] inline std::uint64_t apart(T a, T b) {
  const auto up = static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
  return a > b ? up : -up;
}

// Without a branch, for loops over many.
[[gnu::always_inline]] inline float from_half(std::uint16_t bits) {
  const auto sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const auto magnitude = static_cast<std::uint32_t>(bits & 0x7fffU) << 13;
  // The exponent counts from 15 there and from 127 here.
  const auto finite =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t other = magnitude | 0x7f800000U;
  return std::bit_cast<float>(sign |
                              ((bits & 0x7c00U) == 0x7c00U ? other : finite));
}
[[gnu::always_inline]] inline float from_brain(std::uint16_t bits) {
  return std::bit_cast<float>(f32_of_bf16(bits));
}

[[nodiscard]] bool has_nan(const ElementType& type);

}  // namespace stridewise::inspect
