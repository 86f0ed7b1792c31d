// The meaning of a conversion of values. Everything faster must equal this.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "element/decode.hpp"
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

std::int32_t quantised(float x, std::int32_t lowest, const Quantisation& by) {
  if (std::isnan(x)) return by.zero_point;
  const float least = static_cast<float>(lowest - by.zero_point);
  return by.zero_point + static_cast<std::int32_t>(std::clamp(
                             std::nearbyint(x / by.scale), least, least + 255));
}

// One value as the bits of an f32: one side of every conversion is that type.
std::uint32_t read(const Values& values, const std::byte* src) {
  const auto [scale, zero_point] = values.quantisation;
  if (values.src.name == "f32") return load<std::uint32_t>(src);
  if (values.src.name == "f16") return f32_of_f16(load<std::uint16_t>(src));
  if (values.src.name == "bf16") return f32_of_bf16(load<std::uint16_t>(src));
  const std::int32_t q = values.src.name == "s8" ? load<std::int8_t>(src)
                                                 : load<std::uint8_t>(src);
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
  } else {
    *dst = static_cast<std::byte>(
        quantised(x, values.dst.name == "s8" ? -128 : 0, values.quantisation));
  }
}

}  // namespace

void convert_values(const Values& values, const std::byte* src, std::byte* dst,
                    std::int64_t count) {
  const std::int64_t src_bytes = values.src.bytes();
  const std::int64_t dst_bytes = values.dst.bytes();
  for (std::int64_t k = 0; k < count; ++k, src += src_bytes, dst += dst_bytes) {
    if (values.src == values.dst) {
      std::memcpy(dst, src, static_cast<std::size_t>(src_bytes));
    } else {
      write(values, read(values, src), dst);
    }
  }
}

}  // namespace stridewise
