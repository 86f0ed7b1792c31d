// Conversions by way of 64 bits, as plain loops that compilers turn into vectors. Included
// by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "reorder/values/converter.hpp"

namespace stridewise {
namespace {

// -------------------------------------------------------------- integers ---

// Integers of so many bits, in memory of Stored.
template <class T, int width>
struct WideInteger {
  using Stored = T;
  static constexpr bool is_signed = std::is_signed_v<T>;
  static constexpr int unused = static_cast<int>(8 * sizeof(T)) - width;
  static constexpr T lowest = static_cast<T>(
      is_signed ? std::numeric_limits<T>::min() >> unused : T{0});
  static constexpr T highest =
      static_cast<T>(std::numeric_limits<T>::max() >> unused);

  // What lies above the code's own bits does not count.
  static T number(T stored) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto up =
        static_cast<Unsigned>(static_cast<Unsigned>(stored) << unused);
    return static_cast<T>(static_cast<T>(up) >> unused);
  }
};

// Calls convert(value) of Src for each value, and stores what it returns.
template <class Src, class Convert>
void each_value(const ValueRuns& runs, const Convert& convert) {
  using Dst = std::invoke_result_t<Convert, Src>;
  each_run(runs, [&convert](const std::byte* __restrict src,
                            std::byte* __restrict dst, std::int64_t count,
                            std::ptrdiff_t) {
    for (std::int64_t k = 0; k < count; ++k) {
      Src value;
      std::memcpy(&value, src + k * std::int64_t{sizeof(Src)}, sizeof(Src));
      const Dst converted = convert(value);
      std::memcpy(dst + k * std::int64_t{sizeof(Dst)}, &converted, sizeof(Dst));
    }
  });
}

template <class Integer>
void to_s64(const ValueRuns& runs, const Quantisation&) {
  each_value<typename Integer::Stored>(runs, [](auto stored) {
    const auto number = Integer::number(stored);
    if constexpr (std::is_same_v<decltype(number), const std::uint64_t>) {
      constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
      return static_cast<std::int64_t>(number < most ? number : most);
    } else {
      return static_cast<std::int64_t>(number);
    }
  });
}

template <class Integer>
void from_s64(const ValueRuns& runs, const Quantisation&) {
  each_value<std::int64_t>(runs, [](std::int64_t number) {
    if constexpr (std::is_same_v<typename Integer::Stored, std::uint64_t>) {
      return static_cast<std::uint64_t>(number < 0 ? 0 : number);
    } else {
      constexpr auto least = static_cast<std::int64_t>(Integer::lowest);
      constexpr auto most = static_cast<std::int64_t>(Integer::highest);
      const std::int64_t above = number < least ? least : number;
      return static_cast<typename Integer::Stored>(above > most ? most : above);
    }
  });
}

// ------------------------------------------------------------ quantisation ---

// The first number that an integer of 64 bits is too short for.
template <class T>
constexpr double end_of = std::is_signed_v<T> ? 0x1p63 : 0x1p64;

// Rounded to odd: what is rounded again, to fewer bits, is then rounded as if once.
template <class T>
double odd_double(T number) {
  const auto nearest = static_cast<double>(number);
  const double inside =
      nearest < end_of<T> ? nearest : std::nextafter(nearest, 0.0);
  const T back = static_cast<T>(inside);
  if (back == number) return inside;
  const bool too_far = (inside > 0) == (back > number);
  const auto bits = std::bit_cast<std::int64_t>(inside) - (too_far ? 1 : 0);
  return std::bit_cast<double>(bits | 1);
}

template <class Integer, bool odd>
void dequantise(const ValueRuns& runs, const Quantisation& by) {
  const auto zero = static_cast<double>(by.zero_point);
  const auto scale = static_cast<double>(by.scale);
  each_value<typename Integer::Stored>(runs, [zero, scale](auto stored) {
    const auto number = Integer::number(stored);
    if constexpr (odd) {
      return (odd_double(number) - zero) * scale;
    } else {
      return (static_cast<double>(number) - zero) * scale;
    }
  });
}

// An integral double as an integer of 64 bits, the nearest that there is.
template <class T>
T saturated(double integral) {
  constexpr double least = std::is_signed_v<T> ? -0x1p63 : 0;
  if (integral >= end_of<T>) return std::numeric_limits<T>::max();
  if (integral < least) return std::numeric_limits<T>::min();
  return static_cast<T>(integral);
}

template <class Integer>
void quantise(const ValueRuns& runs, const Quantisation& by) {
  using Stored = typename Integer::Stored;
  const auto zero = static_cast<double>(by.zero_point);
  const auto scale = static_cast<double>(by.scale);
  if constexpr (sizeof(Stored) == 8) {
    each_value<double>(runs, [zero, scale](double value) {
      const double quotient = value != value ? 0 : value / scale;
      return saturated<Stored>(std::nearbyint(quotient) + zero);
    });
  } else {
    const double least = static_cast<double>(Integer::lowest) - zero;
    const double most = static_cast<double>(Integer::highest) - zero;
    each_value<double>(runs, [=](double value) {
      const double quotient = value / scale;
      const double above = quotient < least ? least : quotient;
      const double clamped = above > most ? most : above;
      const double number = quotient != quotient ? 0 : clamped;
      // 1.5 * 2^52: the last place of what is near it is 1.
      constexpr double magic = 0x1.8p52;
      const auto rounded = std::bit_cast<std::int64_t>(number + magic) -
                           std::bit_cast<std::int64_t>(magic);
      return static_cast<Stored>(rounded + static_cast<std::int64_t>(zero));
    });
  }
}

// ---------------------------------------------------------------- floats ---

inline void f64_of_f32(const ValueRuns& runs, const Quantisation&) {
  each_value<float>(runs,
                    [](float value) { return static_cast<double>(value); });
}

inline void f32_of_f64(const ValueRuns& runs, const Quantisation&) {
  each_value<double>(runs,
                     [](double value) { return static_cast<float>(value); });
}

// The f32 that is rounded to odd.
inline void odd_f32_of_f64(const ValueRuns& runs, const Quantisation&) {
  each_value<double>(runs, [](double value) {
    const auto nearest = static_cast<float>(value);
    const double back = nearest;
    const std::int32_t too_far = std::fabs(back) > std::fabs(value) ? 1 : 0;
    const std::int32_t inexact = ((back < value) | (back > value)) ? 1 : 0;
    return (std::bit_cast<std::int32_t>(nearest) - too_far) | inexact;
  });
}

// ----------------------------------------------------------------- table ---

// Filled while it is compiled: nothing but loops is in such a file.
struct WideTable {
  std::array<Converter, 96> rows = {};
  std::size_t count = 0;

  constexpr void add(std::string_view src, std::string_view dst, Isa isa,
                     ConvertRuns run) {
    rows[count++] = {src, dst, isa, run};
  }
  template <class Integer>
  constexpr void add_integer(std::string_view name, Isa isa) {
    add(name, "f64", isa, &dequantise<Integer, false>);
    add("f64", name, isa, &quantise<Integer>);
    if (name == "s64") return;
    add(name, "s64", isa, &to_s64<Integer>);
    add("s64", name, isa, &from_s64<Integer>);
  }
  template <int width>
  constexpr void add_narrow(std::string_view u, std::string_view s, Isa isa) {
    add_integer<WideInteger<std::uint8_t, width>>(u, isa);
    if constexpr (width > 1) {
      add_integer<WideInteger<std::int8_t, width>>(s, isa);
    }
  }
};

constexpr WideTable wide_table(Isa isa) {
  WideTable table;
  table.add("f32", "f64", isa, &f64_of_f32);
  table.add("f64", "f32", isa, &f32_of_f64);
  table.add_narrow<1>("u1", "", isa);
  table.add_narrow<2>("u2", "s2", isa);
  table.add_narrow<3>("u3", "s3", isa);
  table.add_narrow<4>("u4", "s4", isa);
  table.add_narrow<5>("u5", "s5", isa);
  table.add_narrow<6>("u6", "s6", isa);
  table.add_narrow<7>("u7", "s7", isa);
  table.add_narrow<8>("u8", "s8", isa);
  table.add_integer<WideInteger<std::int16_t, 16>>("s16", isa);
  table.add_integer<WideInteger<std::uint16_t, 16>>("u16", isa);
  table.add_integer<WideInteger<std::int32_t, 32>>("s32", isa);
  table.add_integer<WideInteger<std::uint32_t, 32>>("u32", isa);
  table.add_integer<WideInteger<std::int64_t, 64>>("s64", isa);
  table.add_integer<WideInteger<std::uint64_t, 64>>("u64", isa);
  return table;
}

constexpr WideConverters all_wide(const WideTable& table) {
  return {{table.rows.data(), table.count},
          &odd_f32_of_f64,
          &dequantise<WideInteger<std::int64_t, 64>, true>,
          &dequantise<WideInteger<std::uint64_t, 64>, true>};
}

}  // namespace
}  // namespace stridewise
