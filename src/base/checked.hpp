// 64-bit arithmetic whose overflow is an answer (nullopt), never a wrap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace stridewise {

using Checked = std::optional<std::int64_t>;

// What extents with their bias, periods and sizes of layouts stay within. The sum of
// two of them may be one too large: saturated() takes it.
inline constexpr std::int64_t largest = std::int64_t{1} << 62;

inline Checked add(Checked a, Checked b) {
  std::int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

inline Checked mul(Checked a, Checked b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) {
    return std::nullopt;
  }
  return product;
}

// The value, or the largest that 64 bits hold: for what is compared or printed as a
// size. Pre: what overflowed was not negative.
inline std::int64_t saturated(Checked value) {
  return value.value_or(std::numeric_limits<std::int64_t>::max());
}

// Pre: a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// The least multiple of `unit` (> 0) that is not under `a` (>= 0).
inline Checked round_up(Checked a, std::int64_t unit) {
  if (!a) return std::nullopt;
  return mul(ceil_div(*a, unit), unit);
}

// Pre: a, b > 0.
inline Checked lcm(std::int64_t a, std::int64_t b) {
  return mul(a / std::gcd(a, b), b);
}

// Floor division and its remainder for any sign of a; b > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

}  // namespace stridewise
