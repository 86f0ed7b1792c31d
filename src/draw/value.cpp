// SPDX-License-Identifier: Apache-2.0
#include "draw/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "element/decode.hpp"

namespace stridewise::draw {
namespace {

template <class T>
std::string short_number(T value) {
  return fmt::format("{:.4g}", value);
}

// An 80-bit number of the x87, as NumPy's longdouble is on this machine; what
// other machines mean by 16 bytes is theirs.
std::string wide(const std::byte* bytes) {
  if constexpr (sizeof(long double) == 16) {
    return short_number(static_cast<double>(load<long double>(bytes)));
  } else {
    return "f128";
  }
}

std::string floating(const ElementType& type, const std::byte* bytes) {
  switch (type.bits) {
    case 16:
      return short_number(
          std::bit_cast<float>(f32_of_f16(load<std::uint16_t>(bytes))));
    case 32:
      return short_number(load<float>(bytes));
    case 64:
      return short_number(load<double>(bytes));
    default:
      return wide(bytes);
  }
}

std::string integer(const ElementType& type, const std::byte* bytes) {
  const bool is_signed = type.kind == ElementKind::signed_integer;
  switch (type.bits) {
    case 8:
      return is_signed
                 ? fmt::format("{}", static_cast<int>(load<std::int8_t>(bytes)))
                 : fmt::format("{}",
                               static_cast<int>(load<std::uint8_t>(bytes)));
    case 16:
      return is_signed ? fmt::format("{}", load<std::int16_t>(bytes))
                       : fmt::format("{}", load<std::uint16_t>(bytes));
    case 32:
      return is_signed ? fmt::format("{}", load<std::int32_t>(bytes))
                       : fmt::format("{}", load<std::uint32_t>(bytes));
    default:
      return is_signed ? fmt::format("{}", load<std::int64_t>(bytes))
                       : fmt::format("{}", load<std::uint64_t>(bytes));
  }
}

}  // namespace

std::string print_value(const ElementType& type,
                        std::span<const std::byte> bytes, bool big_endian) {
  std::array<std::byte, 16> buffer{};
  std::ranges::copy(bytes, buffer.begin());
  const bool complex = type.kind == ElementKind::complex_floating;
  const std::size_t part = complex ? bytes.size() / 2 : bytes.size();
  if (big_endian != (std::endian::native == std::endian::big)) {
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      std::reverse(buffer.data() + at, buffer.data() + at + part);
    }
  }
  switch (type.kind) {
    case ElementKind::boolean:
      return buffer[0] == std::byte{0} ? "0" : "1";
    case ElementKind::brain_floating:
      return short_number(std::bit_cast<float>(
          f32_of_bf16(load<std::uint16_t>(buffer.data()))));
    case ElementKind::complex_floating: {
      const ElementType half_type{"", ElementKind::floating, type.bits / 2};
      std::string imaginary = floating(half_type, buffer.data() + part);
      if (!imaginary.starts_with('-')) imaginary.insert(0, 1, '+');
      return floating(half_type, buffer.data()) + imaginary + "i";
    }
    case ElementKind::floating:
      return floating(type, buffer.data());
    default:
      return integer(type, buffer.data());
  }
}

bool nonzero(std::span<const std::byte> bytes) {
  return std::ranges::any_of(bytes,
                             [](std::byte b) { return b != std::byte{0}; });
}

}  // namespace stridewise::draw
