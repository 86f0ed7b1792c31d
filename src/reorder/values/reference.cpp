// The meaning of a conversion of values. Everything faster must equal this.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/expects.hpp"
#include "element/decode.hpp"
#include "element/small_float.hpp"
#include "reorder/values/converter.hpp"
#include "stridewise/values.hpp"

namespace stridewise {
namespace {

// The code nearest to x in 16 bits with so many of fraction.
std::uint32_t narrowed(float x, int fraction_bits) {
  const int lowest = fraction_bits == 10 ? -14 : -126;  // f16, bf16
  const std::uint32_t infinity = 0x8000 - (1U << fraction_bits);
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  if (std::isinf(x)) return sign | infinity;
  if (std::isnan(x)) {
    const std::uint32_t payload = (bits & 0x7fffff) >> (23 - fraction_bits);
    return sign | infinity | 1U << (fraction_bits - 1) | payload;
  }
  // Count units in the last place; below `lowest` they no longer shrink. What
  // rounds up to a power of two carries into the exponent, as it should.
  const int exponent = x == 0 ? lowest : std::max(std::ilogb(x), lowest);
  const auto units = static_cast<std::uint32_t>(
      std::nearbyint(std::ldexp(std::abs(x), fraction_bits - exponent)));
  const auto steps = static_cast<std::uint32_t>(exponent - lowest);
  return sign | std::min((steps << fraction_bits) + units, infinity);
}

std::int32_t quantised(float x, const ElementType& type,
                       const Quantisation& by) {
  if (std::isnan(x)) return by.zero_point;
  const std::int32_t count = 1 << own_bits(type);
  const std::int32_t lowest =
      type.kind == ElementKind::signed_integer ? -count / 2 : 0;
  const auto least = static_cast<float>(lowest - by.zero_point);
  const auto most = static_cast<float>(lowest + count - 1 - by.zero_point);
  return by.zero_point + static_cast<std::int32_t>(std::clamp(
                             std::nearbyint(x / by.scale), least, most));
}

// The code of an element that has a byte: of narrower types the low bits of it.
std::uint32_t code_of(const ElementType& type, const std::byte* at) {
  return load<std::uint8_t>(at) & ((1U << own_bits(type)) - 1);
}

std::int32_t integer_of(const ElementType& type, const std::byte* at) {
  const std::int32_t count = 1 << own_bits(type);
  const auto code = static_cast<std::int32_t>(code_of(type, at));
  const bool negative =
      type.kind == ElementKind::signed_integer && code >= count / 2;
  return negative ? code - count : code;
}

// One value as the bits of an f32, or what converts to one.
std::uint32_t read(const Values& values, const std::byte* src) {
  const auto [scale, zero_point] = values.quantisation;
  if (values.src.name == "f32") return load<std::uint32_t>(src);
  if (values.src.name == "f16") return f32_of_f16(load<std::uint16_t>(src));
  if (values.src.name == "bf16") return f32_of_bf16(load<std::uint16_t>(src));
  if (values.src.kind == ElementKind::small_floating) {
    return std::bit_cast<std::uint32_t>(decode_small_float(
        small_float_of(values.src), code_of(values.src, src)));
  }
  const std::int32_t q = integer_of(values.src, src);
  return std::bit_cast<std::uint32_t>(static_cast<float>(q - zero_point) *
                                      scale);
}

void write(const Values& values, std::uint32_t bits, std::byte* dst) {
  const auto x = std::bit_cast<float>(bits);
  if (values.dst.name == "f32") {
    std::memcpy(dst, &bits, 4);
  } else if (values.dst.bits == 16) {
    const auto code = static_cast<std::uint16_t>(
        narrowed(x, values.dst.name == "f16" ? 10 : 7));
    std::memcpy(dst, &code, 2);
  } else if (values.dst.kind == ElementKind::small_floating) {
    *dst = static_cast<std::byte>(
        encode_small_float(small_float_of(values.dst), x));
  } else {
    *dst =
        static_cast<std::byte>(quantised(x, values.dst, values.quantisation));
  }
}

// The number that a code of so many bits is.
std::int64_t number_of(std::uint64_t code, std::int32_t bits, bool is_signed) {
  const int unused = 64 - bits;
  return is_signed ? static_cast<std::int64_t>(code << unused) >> unused
                   : static_cast<std::int64_t>(code);
}

// Integers are numbers of their bytes, and saturate where they become narrower; of floats
// the code is kept.
void change_width(const Values& values, const std::byte* src, std::byte* dst) {
  std::uint64_t code = 0;
  std::memcpy(&code, src, static_cast<std::size_t>(values.src.bytes()));
  const std::int32_t bits = own_bits(values.dst);
  if (values.src.kind == ElementKind::signed_integer) {
    const std::int64_t least =
        -(std::int64_t{1} << (std::min(bits, values.src.bits) - 1));
    code = static_cast<std::uint64_t>(std::clamp(
        number_of(code, values.src.bits, true), least, -(least + 1)));
  } else if (values.src.kind == ElementKind::unsigned_integer && bits < 64) {
    code = std::min(code, (std::uint64_t{1} << bits) - 1);
  }
  std::memcpy(dst, &code, static_cast<std::size_t>(values.dst.bytes()));
}

// ------------------------------------------------------- by way of 64 bits ---

// Of two neighbours around a number, the one whose last bit is 1; the number itself where
// it is one.
float odd_float(double number) {
  const auto nearest = static_cast<float>(number);
  if (std::isnan(nearest) || nearest == number) return nearest;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float other =
      std::nextafter(nearest, nearest < number ? infinity : -infinity);
  return (std::bit_cast<std::uint32_t>(nearest) & 1) != 0 ? nearest : other;
}

double odd_double(std::uint64_t number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto nearest = static_cast<double>(number);
  const bool beyond = nearest >= 0x1p64;
  const std::uint64_t back = beyond ? 0 : static_cast<std::uint64_t>(nearest);
  if (!beyond && back == number) return nearest;
  const double other =
      std::nextafter(nearest, !beyond && back < number ? infinity : 0);
  return (std::bit_cast<std::uint64_t>(nearest) & 1) != 0 ? nearest : other;
}

// An integer of any width, of 64 bits as its bits.
std::int64_t wide_integer_of(const ElementType& type, const std::byte* at) {
  std::uint64_t code = 0;
  std::memcpy(&code, at, static_cast<std::size_t>(type.bytes()));
  return number_of(code & (~std::uint64_t{0} >> (64 - own_bits(type))),
                   own_bits(type), type.kind == ElementKind::signed_integer);
}

double read_wide(const Values& values, const std::byte* src) {
  const auto& [type, dst, by] = values;
  if (type.name == "f64") return load<double>(src);
  if (!type.is_integer()) return std::bit_cast<float>(read(values, src));
  const std::int64_t q = wide_integer_of(type, src);
  const bool is_unsigned = type.kind == ElementKind::unsigned_integer;
  const auto code = static_cast<std::uint64_t>(q);
  double number =
      is_unsigned ? static_cast<double>(code) : static_cast<double>(q);
  if (dst.name != "f64") {
    number = is_unsigned || q >= 0 ? odd_double(code) : -odd_double(0 - code);
  }
  return (number - by.zero_point) * static_cast<double>(by.scale);
}

void write_wide(const Values& values, double x, std::byte* dst) {
  const auto& [src, type, by] = values;
  if (type.name == "f64") {
    std::memcpy(dst, &x, 8);
  } else if (type.name == "f32") {
    const auto nearest = static_cast<float>(x);
    std::memcpy(dst, &nearest, 4);
  } else if (!type.is_integer()) {
    write(values, std::bit_cast<std::uint32_t>(odd_float(x)), dst);
  } else {
    const double quotient =
        std::isnan(x) ? 0 : x / static_cast<double>(by.scale);
    const double number = std::nearbyint(quotient) + by.zero_point;
    const int bits = own_bits(type);
    const bool is_signed = type.kind == ElementKind::signed_integer;
    const double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
    const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);
    std::uint64_t code = 0;
    if (number >= end) {
      code = (~std::uint64_t{0} >> (64 - bits)) >> (is_signed ? 1 : 0);
    } else if (number < 0) {
      code = static_cast<std::uint64_t>(
          static_cast<std::int64_t>(std::max(number, least)));
    } else {
      code = static_cast<std::uint64_t>(number);
    }
    std::memcpy(dst, &code, static_cast<std::size_t>(type.bytes()));
  }
}

// Integers of other signs are the same number, as near as the type has it.
void change_sign(const Values& values, const std::byte* src, std::byte* dst) {
  const std::int64_t q = wide_integer_of(values.src, src);
  const int bits = own_bits(values.dst);
  std::uint64_t code = 0;
  if (values.dst.kind == ElementKind::unsigned_integer) {
    code = std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(q, 0)),
                    ~std::uint64_t{0} >> (64 - bits));
  } else {
    code = std::min(static_cast<std::uint64_t>(q),
                    ~std::uint64_t{0} >> (65 - bits));
  }
  std::memcpy(dst, &code, static_cast<std::size_t>(values.dst.bytes()));
}

}  // namespace

void convert_values(const Values& values, const std::byte* src, std::byte* dst,
                    std::int64_t count) {
  STRIDEWISE_EXPECTS(check(values) && count >= 0,
                     "convert_values: values that check() lets pass, and no "
                     "negative count");
  const std::int64_t src_bytes = values.src.bytes();
  const std::int64_t dst_bytes = values.dst.bytes();
  for (std::int64_t k = 0; k < count; ++k, src += src_bytes, dst += dst_bytes) {
    if (values.src == values.dst) {
      std::memcpy(dst, src, static_cast<std::size_t>(src_bytes));
    } else if (changes_width(values)) {
      change_width(values, src, dst);
    } else if (values.src.is_integer() && values.dst.is_integer()) {
      change_sign(values, src, dst);
    } else if (needs_double(values.src) || needs_double(values.dst)) {
      write_wide(values, read_wide(values, src), dst);
    } else {
      write(values, read(values, src), dst);
    }
  }
}

}  // namespace stridewise
