// One pair of elements of each type: are they equal enough, and if not, how far
// apart? Without a branch where loops over them are to be vectorised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "inspect/value.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {
namespace {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

// What one pair amounts to.
struct Verdict {
  bool passes;
  bool nan_a;
  bool nan_b;
  double abs;   // infinite where one is no finite number
  double size;  // of b
};

// ---------------------------------------------------------------- floats ---

// Bits of a float as a number that counts up with it.
template <class Bits>
std::int64_t ordered(Bits bits) {
  constexpr int top = 8 * static_cast<int>(sizeof(Bits)) - 1;
  const auto magnitude = static_cast<std::int64_t>(bits & ~(Bits{1} << top));
  return (bits >> top) != 0 ? -magnitude : magnitude;
}

// 64 bits without a sign hold every distance.
template <class Bits>
std::uint64_t ulp_between(Bits a, Bits b) {
  const std::int64_t x = ordered(a);
  const std::int64_t y = ordered(b);
  const std::uint64_t up =
      static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
  return x > y ? up : -up;
}

struct Half {
  using Stored = std::uint16_t;
  static constexpr Stored infinity = 0x7c00;
  static float single(Stored bits) { return from_half(bits); }
  static double value(Stored bits) { return single(bits); }
};
struct Brain {
  using Stored = std::uint16_t;
  static constexpr Stored infinity = 0x7f80;
  static float single(Stored bits) { return from_brain(bits); }
  static double value(Stored bits) { return single(bits); }
};
struct Single {
  using Stored = std::uint32_t;
  static constexpr Stored infinity = 0x7f800000;
  static float single(Stored bits) { return std::bit_cast<float>(bits); }
  static double value(Stored bits) { return single(bits); }
};
struct Double {
  using Stored = std::uint64_t;
  static double value(Stored bits) { return std::bit_cast<double>(bits); }
};
struct Extended {
  using Stored = long double;
  static long double value(Stored value) { return value; }
};

template <class Format>
struct Real {
  using Stored = typename Format::Stored;
  using Steps = Format;
  static constexpr bool has_ulp = std::is_integral_v<Stored>;

  static Verdict judge(const Tolerance& t, Stored a_bits, Stored b_bits) {
    const auto a = Format::value(a_bits);
    const auto b = Format::value(b_bits);
    const auto away = std::fabs(a - b);
    const auto size = std::fabs(b);
    const bool nan_a = a != a;
    const bool nan_b = b != b;
    const bool passes = (a == b) | (nan_a & nan_b) |
                        ((away <= t.atol + t.rtol * size) & (away < infinite));
    return {passes, nan_a, nan_b,
            away < infinite ? static_cast<double>(away) : infinite,
            static_cast<double>(size)};
  }
  static std::uint64_t ulp(Stored a, Stored b) { return ulp_between(a, b); }
  // The same as a double, which is exact for up to 32 bits.
  static double ulp_number(Stored a, Stored b) {
    if constexpr (sizeof(Stored) > 4) {
      return static_cast<double>(ulp_between(a, b));
    } else {
      const auto number = [](Stored bits) {
        constexpr int top = 8 * static_cast<int>(sizeof(Stored)) - 1;
        constexpr std::uint32_t mask = (1U << top) - 1;
        const auto magnitude = static_cast<std::int32_t>(bits & mask);
        return static_cast<double>(bits > mask ? -magnitude : magnitude);
      };
      return std::fabs(number(a) - number(b));
    }
  }
};

template <class Format>
struct Complex {
  static constexpr bool has_ulp = false;
  struct Stored {
    typename Format::Stored real, imaginary;
  };

  static Verdict judge(const Tolerance& t, const Stored& a_bits,
                       const Stored& b_bits) {
    const double a = Format::value(a_bits.real);
    const double b = Format::value(b_bits.real);
    const double ai = Format::value(a_bits.imaginary);
    const double bi = Format::value(b_bits.imaginary);
    const bool is_nan_a = std::isnan(a) || std::isnan(ai);
    const bool is_nan_b = std::isnan(b) || std::isnan(bi);
    const bool finite = std::isfinite(a) && std::isfinite(ai) &&
                        std::isfinite(b) && std::isfinite(bi);
    const double away = finite ? std::hypot(a - b, ai - bi) : infinite;
    const double size = std::hypot(b, bi);
    return {(a == b && ai == bi) || (is_nan_a && is_nan_b) ||
                (away < infinite && away <= t.atol + t.rtol * size),
            is_nan_a, is_nan_b, away, size};
  }
};

// -------------------------------------------------------------- integers ---

template <class T>
struct Integer {
  using Stored = T;
  static constexpr bool has_ulp = false;

  static Verdict judge(const Tolerance& t, T a, T b) {
    const std::uint64_t away = apart(a, b);
    const auto abs = static_cast<double>(away);
    const auto size = std::fabs(static_cast<double>(b));
    const double room = t.atol + t.rtol * size;
    bool passes = a == b;
    if constexpr (sizeof(T) < 8) {
      passes |= abs <= room;
    } else {
      // A double cannot tell the largest ones apart.
      passes |= room >= 0x1p64 || away <= static_cast<std::uint64_t>(room);
    }
    return {passes, false, false, abs, size};
  }
};

}  // namespace
}  // namespace stridewise::inspect
