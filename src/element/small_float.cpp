// SPDX-License-Identifier: Apache-2.0
#include "element/small_float.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stridewise {
namespace {

using enum SmallFloat::Specials;

struct Named {
  std::string_view name;
  SmallFloat format;
};

constexpr auto formats = std::to_array<Named>({
    {"f8_e4m3fn", {4, 3, 7, nan_only}},
    {"f8_e5m2", {5, 2, 15, ieee}},
    {"f8_e4m3", {4, 3, 7, ieee}},
    {"f8_e3m4", {3, 4, 3, ieee}},
    {"f8_e4m3fnuz", {4, 3, 8, negative_zero}},
    {"f8_e5m2fnuz", {5, 2, 16, negative_zero}},
    {"f8_e4m3b11fnuz", {4, 3, 11, negative_zero}},
    // A power of two: no sign, no zero.
    {"e8", {8, 0, 127, nan_only, false}},
    {"f6_e2m3", {2, 3, 1, none}},
    {"f6_e3m2", {3, 2, 3, none}},
    {"f4", {2, 1, 1, none}},
});

}  // namespace

const SmallFloat& small_float_of(const ElementType& type) {
  return std::ranges::find(formats, type.name, &Named::name)->format;
}

float decode_small_float(const SmallFloat& format, std::uint32_t code) {
  const std::uint32_t mantissa_mask = (1U << format.mantissa_bits) - 1;
  const std::uint32_t top = (1U << format.exponent_bits) - 1;
  const std::uint32_t mantissa = code & mantissa_mask;
  const std::uint32_t exponent = code >> format.mantissa_bits & top;
  const bool negative =
      format.is_signed &&
      (code >> (format.mantissa_bits + format.exponent_bits) & 1U) != 0;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  switch (format.specials) {
    case ieee:
      if (exponent != top) break;
      if (mantissa != 0) return nan;
      return negative ? -std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::infinity();
    case nan_only:
      if (exponent == top && mantissa == mantissa_mask) return nan;
      break;
    case negative_zero:
      if (negative && exponent == 0 && mantissa == 0) return nan;
      break;
    case none:
      break;
  }
  const bool denormal = exponent == 0 && format.is_signed;
  const std::uint32_t whole =
      denormal ? mantissa : mantissa + (1U << format.mantissa_bits);
  const int power = static_cast<int>(denormal ? 1 : exponent) - format.bias -
                    format.mantissa_bits;
  const float value = std::ldexp(static_cast<float>(whole), power);
  return negative ? -value : value;
}

namespace {

// Units in the last place of the code's exponent, ties to even.
std::uint32_t rounded(const SmallFloat& format, float magnitude) {
  const int lowest = 1 - format.bias;
  const int exponent =
      magnitude == 0 ? lowest : std::max(std::ilogb(magnitude), lowest);
  const auto units = static_cast<std::uint32_t>(
      std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent)));
  // What rounds up to a power of two carries into the exponent, as it should.
  return (static_cast<std::uint32_t>(exponent - lowest)
          << format.mantissa_bits) +
         units;
}

std::uint32_t power_code(float value) {
  constexpr std::uint32_t nan = 0xff;
  if (!(value > 0) || std::isinf(value)) return nan;
  // Below the normal floats 2^-127 is not rounded to, as ml_dtypes has it.
  if (value < 0x1p-126F) return value > 0x1p-127F ? 1 : 0;
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  const int power = exponent - 1 + (fraction >= 0.75F ? 1 : 0);
  return static_cast<std::uint32_t>(std::clamp(power + 127, 0, 255));
}

}  // namespace

std::uint32_t encode_small_float(const SmallFloat& format, float value) {
  if (!format.is_signed) return power_code(value);
  const std::uint32_t sign_bit =
      1U << (format.exponent_bits + format.mantissa_bits);
  const std::uint32_t sign = std::signbit(value) ? sign_bit : 0;
  const std::uint32_t top = (1U << format.exponent_bits) - 1;
  const std::uint32_t all_ones = sign_bit - 1;
  const std::uint32_t infinity = top << format.mantissa_bits;
  // The largest finite code is the one below what these stand for.
  const bool nan = std::isnan(value);
  const std::uint32_t code =
      nan ? 0
      : std::isinf(value)
          ? sign_bit
          : std::min(rounded(format, std::abs(value)), sign_bit);
  switch (format.specials) {
    case ieee:
      if (nan) return sign | infinity | 1U << (format.mantissa_bits - 1);
      return sign | std::min(code, infinity);
    case nan_only:
      return sign | (nan ? all_ones : std::min(code, all_ones));
    case negative_zero:
      if (nan || code > all_ones) return sign_bit;
      return code == 0 ? 0 : sign | code;
    case none:
      return nan ? sign ^ sign_bit : sign | std::min(code, all_ones);
  }
  return 0;
}

}  // namespace stridewise
