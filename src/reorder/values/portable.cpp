// Converters for any machine: one value at a time without a branch, in loops
// that compilers turn into vectors.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstring>

#include "reorder/values/converter.hpp"

namespace stridewise::portable {
namespace {

// Bits as signed numbers, which SSE2 can compare; where the sign bit is masked
// off that is their order too.
std::int32_t bits_of(float x) { return std::bit_cast<std::int32_t>(x); }
float float_of(std::int32_t bits) { return std::bit_cast<float>(bits); }

constexpr std::int32_t f32_infinity = 0x7f800000;
constexpr std::int32_t f16_infinity = 0x7c00;
constexpr std::int32_t f16_exponent = 127 - 15;  // what f32's bias has more

std::uint16_t f16_of(std::int32_t bits, const Quantisation&) {
  const std::int32_t magnitude = bits & 0x7fffffff;
  // 13 bits are rounded away; a carry walks into the exponent, as it should.
  const std::int32_t half = 0xfff + (magnitude >> 13 & 1);
  const std::int32_t rounded = (magnitude - (f16_exponent << 23) + half) >> 13;
  const std::int32_t normal = rounded > f16_infinity ? f16_infinity : rounded;
  // The last place of 0.5 is 2^-24, f16's smallest step: the addition rounds.
  const std::int32_t denormal =
      bits_of(float_of(magnitude) + 0.5F) - bits_of(0.5F);
  const std::int32_t finite =
      magnitude < (f16_exponent + 1) << 23 ? denormal : normal;
  const std::int32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
  const std::int32_t code = magnitude > f32_infinity ? nan : finite;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | code);
}

std::int32_t f32_of_f16(std::int16_t code, const Quantisation&) {
  const std::int32_t magnitude = (code & 0x7fff) << 13;
  // Normal as it is, an infinity or NaN once the exponent is all ones.
  const std::int32_t infinity = f16_infinity << 13;
  const std::int32_t exponent = magnitude >= infinity ? f32_infinity : 0;
  const std::int32_t quiet = magnitude > infinity ? 0x400000 : 0;
  const std::int32_t normal =
      (magnitude + (f16_exponent << 23)) | exponent | quiet;
  // The fraction after 2^-14, less 2^-14: the subtraction normalises.
  const std::int32_t smallest = (f16_exponent + 1) << 23;
  const std::int32_t denormal =
      bits_of(float_of(magnitude + smallest) - float_of(smallest));
  const std::int32_t value = magnitude < 1 << 23 ? denormal : normal;
  return (code & ~0x7fff) << 16 | value;
}

std::uint16_t bf16_of(std::int32_t bits, const Quantisation&) {
  const std::int32_t upper = bits >> 16;
  const std::int32_t low = bits & 0xffff;
  const std::int32_t rounded = upper + ((low + 0x7fff + (upper & 1)) >> 16);
  const bool nan = (bits & 0x7fffffff) > f32_infinity;
  return static_cast<std::uint16_t>(nan ? upper | 0x40 : rounded);
}

std::uint32_t f32_of_bf16(std::uint16_t code, const Quantisation&) {
  return std::uint32_t{code} << 16;
}

// Clamped before it is rounded: the bounds are integers, so the order does not
// matter, and a small number is rounded by an addition alone.
template <std::int32_t lowest>
std::uint8_t quantised(float x, const Quantisation& quantisation) {
  const auto least = static_cast<float>(lowest - quantisation.zero_point);
  const auto most = static_cast<float>(lowest + 255 - quantisation.zero_point);
  const float quotient = x / quantisation.scale;
  const float above = quotient < least ? least : quotient;
  const float clamped = above > most ? most : above;
  // 1.5 * 2^23: the last place of what is near it is 1.
  constexpr float magic = 12582912;
  const std::int32_t rounded = bits_of(clamped + magic) - bits_of(magic);
  const std::int32_t offset = quotient != quotient ? 0 : rounded;
  return static_cast<std::uint8_t>(offset + quantisation.zero_point);
}

template <class Integer>
float dequantised(Integer q, const Quantisation& quantisation) {
  return static_cast<float>(q - quantisation.zero_point) * quantisation.scale;
}

template <class Src, class Dst, Dst (*convert)(Src, const Quantisation&)>
void run_one(const std::byte* __restrict src, std::byte* __restrict dst,
             std::int64_t count, const Quantisation quantisation) {
  for (std::int64_t k = 0; k < count; ++k) {
    Src value;
    std::memcpy(&value, src + k * std::int64_t{sizeof(Src)}, sizeof(Src));
    const Dst converted = convert(value, quantisation);
    std::memcpy(dst + k * std::int64_t{sizeof(Dst)}, &converted, sizeof(Dst));
  }
}

template <class Src, class Dst, Dst (*convert)(Src, const Quantisation&)>
void run(const ValueRuns& runs, const Quantisation& quantisation) {
  each_run(runs, [&](const std::byte* src, std::byte* dst, std::int64_t count,
                     std::ptrdiff_t) {
    run_one<Src, Dst, convert>(src, dst, count, quantisation);
  });
}

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using S8 = std::int8_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
constexpr Isa isa = Isa::portable;

constexpr auto table = std::to_array<Converter>({
    {"f32", "f16", isa, &run<S32, U16, &f16_of>},
    {"f16", "f32", isa, &run<S16, S32, &f32_of_f16>},
    {"f32", "bf16", isa, &run<S32, U16, &bf16_of>},
    {"bf16", "f32", isa, &run<U16, U32, &f32_of_bf16>},
    {"f32", "s8", isa, &run<float, U8, &quantised<-128>>},
    {"s8", "f32", isa, &run<S8, float, &dequantised<S8>>},
    {"f32", "u8", isa, &run<float, U8, &quantised<0>>},
    {"u8", "f32", isa, &run<U8, float, &dequantised<U8>>},
});

}  // namespace

std::span<const Converter> converters() { return table; }

}  // namespace stridewise::portable
