// SPDX-License-Identifier: Apache-2.0
#include "inspect/value.hpp"

#include <fmt/format.h>

#include <cmath>

#include "element/small_float.hpp"

namespace stridewise::inspect {
namespace {

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

}  // namespace

bool Value::nan() const { return std::isnan(real) || std::isnan(imaginary); }
bool Value::finite() const {
  return std::isfinite(real) && std::isfinite(imaginary);
}

bool has_nan(const ElementType& type) {
  return type.kind == ElementKind::floating ||
         type.kind == ElementKind::brain_floating ||
         type.kind == ElementKind::complex_floating ||
         (type.kind == ElementKind::small_floating &&
          small_float_of(type).specials != SmallFloat::Specials::none);
}

Value value_at(const ElementType& type, const std::byte* at) {
  switch (type.kind) {
    case ElementKind::floating:
      return {floating(type.bits, at), 0};
    case ElementKind::brain_floating:
      return {from_brain(load<std::uint16_t>(at)), 0};
    case ElementKind::complex_floating:
      return {floating(type.bits / 2, at),
              floating(type.bits / 2, at + type.bytes() / 2)};
    case ElementKind::small_floating:
      return {
          decode_small_float(small_float_of(type),
                             load<std::uint8_t>(at) & ((1U << type.bits) - 1)),
          0};
    case ElementKind::boolean:
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer:
      break;
  }
  return {integer(type, at), 0};
}

std::string print_value(const ElementType& type, const std::byte* at) {
  if (type.kind == ElementKind::complex_floating) {
    const ElementType half =
        *parse_element_type(type.bits == 64 ? "f32" : "f64");
    const std::string imaginary = print_value(half, at + half.bytes());
    return fmt::format("{}{}{}j", print_value(half, at),
                       imaginary.starts_with('-') ? "" : "+", imaginary);
  }
  if (type.kind == ElementKind::floating && type.bits == 128) {
    return fmt::format("{}", load<long double>(at));
  }
  // In the digits that tell it from other floats, not from other doubles.
  if (type.kind == ElementKind::floating && type.bits == 32) {
    return fmt::format("{}", load<float>(at));
  }
  if (!has_nan(type) && type.bits == 64) {
    return type.kind == ElementKind::signed_integer
               ? fmt::format("{}", load<std::int64_t>(at))
               : fmt::format("{}", load<std::uint64_t>(at));
  }
  return fmt::format("{}", value_at(type, at).real);
}

}  // namespace stridewise::inspect
