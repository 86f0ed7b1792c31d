// Converters of types below a byte and of floats of 4 to 8 bits: codes lie one a byte, as
// the engine takes them from memory and puts them back.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "element/small_float.hpp"
#include "reorder/values/converter.hpp"

namespace stridewise::portable {
namespace {

std::int32_t bits_of(float x) { return std::bit_cast<std::int32_t>(x); }
float float_of(std::int32_t bits) { return std::bit_cast<float>(bits); }

constexpr std::int32_t f32_infinity = 0x7f800000;

// ---------------------------------------------------------- small floats ---

// Rounds once, in integers where the code is normal and by an addition where it is not.
template <SmallFloat format>
std::int32_t nearest_code(std::int32_t magnitude) {
  constexpr int shift = 23 - format.mantissa_bits;
  constexpr std::int32_t lowest = (127 - format.bias + 1) << 23;
  const std::int32_t half = (1 << (shift - 1)) - 1 + (magnitude >> shift & 1);
  const std::int32_t normal =
      (magnitude - ((127 - format.bias) << 23) + half) >> shift;
  // The last place of this float is the code's smallest step.
  constexpr std::int32_t magic = lowest + (shift << 23);
  const std::int32_t denormal =
      bits_of(float_of(magnitude) + float_of(magic)) - magic;
  return magnitude < lowest ? denormal : normal;
}

template <SmallFloat format>
std::uint8_t encoded(float value) {
  using enum SmallFloat::Specials;
  constexpr std::int32_t sign_bit =
      1 << (format.exponent_bits + format.mantissa_bits);
  constexpr std::int32_t all_ones = sign_bit - 1;
  constexpr std::int32_t infinity = ((1 << format.exponent_bits) - 1)
                                    << format.mantissa_bits;
  const std::int32_t bits = bits_of(value);
  const std::int32_t magnitude = bits & 0x7fffffff;
  const bool nan = magnitude > f32_infinity;
  const std::int32_t sign = bits < 0 ? sign_bit : 0;
  const std::int32_t code = nearest_code<format>(magnitude);
  std::int32_t result = 0;
  if constexpr (format.specials == ieee) {
    const std::int32_t finite = code > infinity ? infinity : code;
    const std::int32_t quiet = infinity | 1 << (format.mantissa_bits - 1);
    result = sign | (nan ? quiet : finite);
  } else if constexpr (format.specials == nan_only) {
    result = sign | (nan || code > all_ones ? all_ones : code);
  } else if constexpr (format.specials == negative_zero) {
    const std::int32_t finite = code == 0 ? 0 : sign | code;
    result = nan || code > all_ones ? sign_bit : finite;
  } else {
    const std::int32_t finite = code > all_ones ? all_ones : code;
    result = nan ? sign ^ sign_bit : sign | finite;
  }
  return static_cast<std::uint8_t>(result);
}

constexpr SmallFloat power = {8, 0, 127, SmallFloat::Specials::nan_only, false};

// The power of two nearest to a value, ties away from zero.
template <>
std::uint8_t encoded<power>(float value) {
  const std::int32_t bits = bits_of(value);
  const auto code = static_cast<std::int32_t>(
      (static_cast<std::uint32_t>(bits) + 0x400000) >> 23);
  const std::int32_t least = bits > 0x400000 ? 1 : 0;  // of denormals
  const std::int32_t finite = bits < 1 << 23 ? least : code;
  return static_cast<std::uint8_t>(bits <= 0 || bits >= f32_infinity ? 255
                                                                     : finite);
}

template <SmallFloat format>
void encode_runs(const ValueRuns& runs, const Quantisation&) {
  each_run(runs, [](const std::byte* __restrict src, std::byte* __restrict dst,
                    std::int64_t count, std::ptrdiff_t) {
    for (std::int64_t k = 0; k < count; ++k) {
      float value = 0;
      std::memcpy(&value, src + 4 * k, 4);
      dst[k] = static_cast<std::byte>(encoded<format>(value));
    }
  });
}

template <SmallFloat format>
void decode_runs(const ValueRuns& runs, const Quantisation&) {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> all{};
    const unsigned codes = 1U
                           << (format.exponent_bits + format.mantissa_bits + 1);
    for (unsigned k = 0; k < all.size(); ++k) {
      all[k] = decode_small_float(format, k % codes);
    }
    return all;
  }();
  each_run(runs, [](const std::byte* __restrict src, std::byte* __restrict dst,
                    std::int64_t count, std::ptrdiff_t) {
    for (std::int64_t k = 0; k < count; ++k) {
      const float value = values[static_cast<std::size_t>(src[k])];
      std::memcpy(dst + 4 * k, &value, 4);
    }
  });
}

// --------------------------------------------------------- small integers ---

template <int bits, bool is_signed>
struct Integer {
  static constexpr std::int32_t lowest = is_signed ? -(1 << (bits - 1)) : 0;
  static constexpr std::int32_t highest = lowest + (1 << bits) - 1;

  static std::int32_t value(std::byte code) {
    const auto low = static_cast<std::uint32_t>(code) & ((1U << bits) - 1);
    const auto shifted = static_cast<std::int32_t>(low << (32 - bits));
    return is_signed ? shifted >> (32 - bits) : static_cast<std::int32_t>(low);
  }
};

template <int bits, bool is_signed>
void dequantise_runs(const ValueRuns& runs, const Quantisation& by) {
  each_run(
      runs, [by](const std::byte* __restrict src, std::byte* __restrict dst,
                 std::int64_t count, std::ptrdiff_t) {
        for (std::int64_t k = 0; k < count; ++k) {
          const std::int32_t q = Integer<bits, is_signed>::value(src[k]);
          const float value = static_cast<float>(q - by.zero_point) * by.scale;
          std::memcpy(dst + 4 * k, &value, 4);
        }
      });
}

template <int bits, bool is_signed>
void quantise_runs(const ValueRuns& runs, const Quantisation& by) {
  using Type = Integer<bits, is_signed>;
  const auto least = static_cast<float>(Type::lowest - by.zero_point);
  const auto most = static_cast<float>(Type::highest - by.zero_point);
  each_run(runs, [=](const std::byte* __restrict src, std::byte* __restrict dst,
                     std::int64_t count, std::ptrdiff_t) {
    for (std::int64_t k = 0; k < count; ++k) {
      float value = 0;
      std::memcpy(&value, src + 4 * k, 4);
      const float quotient = value / by.scale;
      const float above = quotient < least ? least : quotient;
      const float clamped = above > most ? most : above;
      constexpr float magic = 12582912;  // its last place is 1
      const std::int32_t rounded = bits_of(clamped + magic) - bits_of(magic);
      const std::int32_t offset = quotient != quotient ? 0 : rounded;
      dst[k] = static_cast<std::byte>(offset + by.zero_point);
    }
  });
}

// ------------------------------------------------------------------ table ---

template <SmallFloat format>
void add_float(std::string_view name, std::vector<Converter>& table) {
  table.push_back({"f32", name, Isa::portable, &encode_runs<format>});
  table.push_back({name, "f32", Isa::portable, &decode_runs<format>});
}

template <int bits>
void add_integers(std::vector<Converter>& table) {
  static constexpr std::array<std::string_view, 8> u = {"u0", "u1", "u2", "u3",
                                                        "u4", "u5", "u6", "u7"};
  static constexpr std::array<std::string_view, 8> s = {"s0", "s1", "s2", "s3",
                                                        "s4", "s5", "s6", "s7"};
  constexpr Isa isa = Isa::portable;
  table.push_back({"f32", u[bits], isa, &quantise_runs<bits, false>});
  table.push_back({u[bits], "f32", isa, &dequantise_runs<bits, false>});
  if constexpr (bits > 1) {
    table.push_back({"f32", s[bits], isa, &quantise_runs<bits, true>});
    table.push_back({s[bits], "f32", isa, &dequantise_runs<bits, true>});
  }
}

std::vector<Converter> all_small() {
  using enum SmallFloat::Specials;
  std::vector<Converter> table;
  add_float<SmallFloat{4, 3, 7, nan_only}>("f8_e4m3fn", table);
  add_float<SmallFloat{5, 2, 15, ieee}>("f8_e5m2", table);
  add_float<SmallFloat{4, 3, 7, ieee}>("f8_e4m3", table);
  add_float<SmallFloat{3, 4, 3, ieee}>("f8_e3m4", table);
  add_float<SmallFloat{4, 3, 8, negative_zero}>("f8_e4m3fnuz", table);
  add_float<SmallFloat{5, 2, 16, negative_zero}>("f8_e5m2fnuz", table);
  add_float<SmallFloat{4, 3, 11, negative_zero}>("f8_e4m3b11fnuz", table);
  add_float<power>("e8", table);
  add_float<SmallFloat{2, 3, 1, none}>("f6_e2m3", table);
  add_float<SmallFloat{3, 2, 3, none}>("f6_e3m2", table);
  add_float<SmallFloat{2, 1, 1, none}>("f4", table);
  add_integers<1>(table);
  add_integers<2>(table);
  add_integers<3>(table);
  add_integers<4>(table);
  add_integers<5>(table);
  add_integers<6>(table);
  add_integers<7>(table);
  return table;
}

}  // namespace

std::span<const Converter> small_converters() {
  static const std::vector<Converter> table = all_small();
  return table;
}

}  // namespace stridewise::portable
