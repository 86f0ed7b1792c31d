// SPDX-License-Identifier: Apache-2.0
#include "inspect/value.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace stridewise::inspect {
namespace {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const double fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1f) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double floating(int bits, const std::byte* at) {
  switch (bits) {
    case 16:
      return from_half(load<std::uint16_t>(at));
    case 32:
      return load<float>(at);
    case 64:
      return load<double>(at);
    default:
      return static_cast<double>(load<long double>(at));
  }
}

double integer(const ElementType& type, const std::byte* at) {
  const bool is_signed = type.kind == ElementKind::signed_integer;
  switch (type.bits) {
    case 8:
      return is_signed ? load<std::int8_t>(at) : load<std::uint8_t>(at);
    case 16:
      return is_signed ? load<std::int16_t>(at) : load<std::uint16_t>(at);
    case 32:
      return is_signed ? static_cast<double>(load<std::int32_t>(at))
                       : static_cast<double>(load<std::uint32_t>(at));
    default:
      return is_signed ? static_cast<double>(load<std::int64_t>(at))
                       : static_cast<double>(load<std::uint64_t>(at));
  }
}

// Bits of a float as a number that counts up with it.
template <class Bits>
std::int64_t ordered(Bits bits) {
  constexpr int top = 8 * static_cast<int>(sizeof(Bits)) - 1;
  const auto magnitude = static_cast<std::int64_t>(bits & ~(Bits{1} << top));
  return (bits >> top) != 0 ? -magnitude : magnitude;
}

template <class Bits>
std::int64_t distance(const std::byte* a, const std::byte* b) {
  const std::int64_t x = ordered(load<Bits>(a));
  const std::int64_t y = ordered(load<Bits>(b));
  std::int64_t apart = 0;
  if (__builtin_sub_overflow(x, y, &apart) ||
      apart == std::numeric_limits<std::int64_t>::min()) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return apart < 0 ? -apart : apart;
}

}  // namespace

bool Value::nan() const { return std::isnan(real) || std::isnan(imaginary); }
bool Value::finite() const {
  return std::isfinite(real) && std::isfinite(imaginary);
}

bool has_nan(const ElementType& type) {
  return type.kind == ElementKind::floating ||
         type.kind == ElementKind::brain_floating ||
         type.kind == ElementKind::complex_floating;
}

Value value_at(const ElementType& type, const std::byte* at) {
  switch (type.kind) {
    case ElementKind::floating:
      return {floating(type.bits, at), 0};
    case ElementKind::brain_floating:
      return {std::bit_cast<float>(
                  static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16),
              0};
    case ElementKind::complex_floating:
      return {floating(type.bits / 2, at),
              floating(type.bits / 2, at + type.bytes() / 2)};
    case ElementKind::boolean:
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer:
      break;
  }
  return {integer(type, at), 0};
}

std::int64_t ulp_distance(const ElementType& type, const std::byte* a,
                          const std::byte* b) {
  if (type.kind != ElementKind::floating &&
      type.kind != ElementKind::brain_floating) {
    return 0;
  }
  switch (type.bits) {
    case 16:
      return distance<std::uint16_t>(a, b);
    case 32:
      return distance<std::uint32_t>(a, b);
    case 64:
      return distance<std::uint64_t>(a, b);
    default:
      return 0;
  }
}

}  // namespace stridewise::inspect
