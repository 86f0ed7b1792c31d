// Conversions between every two types of numbers: those that are fast against the slow
// reference, and the reference against the nearest value by search.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reorder/values/conversion.hpp"
#include "stridewise/stridewise.hpp"
#include "support/guarded.hpp"
#include "support/values.hpp"

namespace stridewise {
namespace {

using testing::convert;
using testing::values_of;

std::vector<ElementType> numbers() {
  std::vector<ElementType> all;
  for (const ElementType& type : element_types()) {
    const bool number = type.kind != ElementKind::boolean &&
                        type.kind != ElementKind::complex_floating &&
                        type.bits <= 64;
    if (number && !type.is_integer()) all.push_back(type);
  }
  for (const int bits : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    all.push_back(*parse_element_type("u" + std::to_string(bits)));
    if (bits == 1) continue;
    all.push_back(*parse_element_type("s" + std::to_string(bits)));
  }
  return all;
}

// Codes of a type: random bits, and numbers of every size.
std::vector<std::byte> codes_of(const ElementType& type, int count,
                                std::mt19937_64& random) {
  const auto bytes = static_cast<std::size_t>(type.bytes());
  std::vector<std::byte> codes(static_cast<std::size_t>(count) * bytes);
  const std::uint64_t used = ~std::uint64_t{0} >> (64 - own_bits(type));
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    std::uint64_t code = random() & used;
    if (type.is_integer() && k % 2 == 0) {
      // Near powers of two, on both sides of zero.
      code = (std::uint64_t{1} << random() % 64) + random() % 5 - 2;
      code = (k % 4 == 0 ? code : 0 - code) & used;
    } else if (type.name == "f64" && k % 4 != 0) {
      // Where types of fewer bits have their values, and between two of them.
      const double size =
          std::ldexp(1.0, static_cast<int>(random() % 320) - 160);
      const auto step = static_cast<double>(random() % 4096) / 1024;
      const double value = size * step * (k % 8 < 4 ? 1 : -1);
      code = std::bit_cast<std::uint64_t>(value) + (k % 3 == 0 ? 1 : 0);
    } else if (type.name == "f32" && k % 2 == 0) {
      const auto value =
          static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 2;
      code = std::bit_cast<std::uint32_t>(value);
    }
    std::memcpy(&codes[k * bytes], &code, bytes);
  }
  return codes;
}

Quantisation drawn(const Values& values, std::mt19937_64& random) {
  if (values.src.is_integer() == values.dst.is_integer()) return {};
  const ElementType& integer =
      values.src.is_integer() ? values.src : values.dst;
  const std::int32_t most = own_bits(integer) > 8 ? 1000 : 1;
  return {std::ldexp(static_cast<float>(random() % 1000 + 1),
                     static_cast<int>(random() % 12) - 12),
          static_cast<std::int32_t>(random() % 2) * most};
}

TEST(AllPairs, StepsGiveWhatTheReferenceGives) {
  std::mt19937_64 random(7);
  constexpr int count = 700;  // more than two chunks
  for (const ElementType& src : numbers()) {
    for (const ElementType& dst : numbers()) {
      if (src == dst) continue;
      for (const bool scaled : {false, true}) {
        Values values{src, dst};
        if (scaled) values.quantisation = drawn(values, random);
        ASSERT_TRUE(check(values)) << src.name << " " << dst.name << " "
                                   << check(values).error().message;
        const auto conversion = find_conversion(values);
        ASSERT_TRUE(conversion) << src.name << " " << dst.name;
        const std::vector<std::byte> from = codes_of(src, count, random);
        std::vector<std::byte> expected(
            static_cast<std::size_t>(count * dst.bytes()));
        convert_values(values, from.data(), expected.data(), count);
        std::vector<std::byte> got(expected.size());
        conversion->run({.src = from.data(),
                         .dst = got.data(),
                         .count = count,
                         .runs = 1,
                         .src_pitch = 0,
                         .dst_pitch = 0},
                        values.quantisation);
        for (int k = 0; k < count; ++k) {
          const auto at = static_cast<std::size_t>(k * dst.bytes());
          ASSERT_EQ(std::memcmp(&got[at], &expected[at],
                                static_cast<std::size_t>(dst.bytes())),
                    0)
              << src.name << " -> " << dst.name << ", value " << k << ", scale "
              << values.quantisation.scale << ", zero point "
              << values.quantisation.zero_point;
        }
      }
    }
  }
}

// Several runs with gaps, with forbidden pages right beside both sides.
TEST(AllPairs, StepsStayWithinTheirRuns) {
  for (const auto& [src, dst] :
       {std::pair{"s32", "f16"}, std::pair{"f16", "s32"}, std::pair{"u8", "s8"},
        std::pair{"f64", "u4"}, std::pair{"f8_e5m2", "u64"}}) {
    const Values values = values_of(src, dst);
    const auto conversion = find_conversion(values);
    ASSERT_TRUE(conversion);
    constexpr std::int64_t count = 300, runs = 3, pitch = 301;
    const auto bytes_of = [&](const ElementType& type) {
      return static_cast<std::size_t>((2 * pitch + count) * type.bytes());
    };
    for (const auto side : {testing::GuardedBytes::Against::front,
                            testing::GuardedBytes::Against::back}) {
      const testing::GuardedBytes from(bytes_of(values.src), side);
      const testing::GuardedBytes to(bytes_of(values.dst), side);
      std::ranges::fill(from.bytes(), std::byte{0x3c});
      std::ranges::fill(to.bytes(), std::byte{0xee});
      std::vector<std::byte> expected(to.bytes().begin(), to.bytes().end());
      for (std::int64_t k = 0; k < runs; ++k) {
        convert_values(values, from.data() + k * pitch * values.src.bytes(),
                       expected.data() + k * pitch * values.dst.bytes(), count);
      }
      conversion->run({.src = from.data(),
                       .dst = to.data(),
                       .count = count,
                       .runs = runs,
                       .src_pitch = pitch * values.src.bytes(),
                       .dst_pitch = pitch * values.dst.bytes()},
                      {});
      EXPECT_TRUE(std::ranges::equal(to.bytes(), expected))
          << src << " -> " << dst;
    }
  }
}

// What each code of a float type means.
std::vector<float> values_of_codes(const ElementType& type) {
  std::vector<float> all;
  for (std::uint32_t code = 0; code < 1U << own_bits(type); ++code) {
    convert_values({type, *parse_element_type("f32")},
                   reinterpret_cast<const std::byte*>(&code),
                   reinterpret_cast<std::byte*>(&all.emplace_back()), 1);
  }
  return all;
}

// The code whose value is nearest to x, by looking at all of them.
std::uint32_t nearest_code(const std::vector<float>& all, double x) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t code = 0; code < all.size(); ++code) {
    const float value = all[code];
    if (!std::isfinite(value) || (value == 0 && code != 0)) continue;
    const double away = std::abs(x - static_cast<double>(value));
    if (away < least || (away == least && code % 2 == 0)) {
      least = away;
      best = code;
    }
  }
  return best;
}

// Halves of steps, and what lies beside them by one unit of a double: where rounding
// twice would go wrong.
TEST(AllPairs, DoublesAreRoundedOnce) {
  for (const char* name : {"f16", "bf16", "f8_e4m3fn", "f8_e5m2", "f4"}) {
    const ElementType type = *parse_element_type(name);
    const std::vector<float> all = values_of_codes(type);
    for (const double whole : {1.0, 1.5, 2.0, 0.75, 0.0078125}) {
      for (int step = 1; step < 8; ++step) {
        // f16 has 10 bits of fraction, bf16 7, the others 3, 2 and 1.
        for (const int fraction : {12, 11, 8, 4, 3, 2}) {
          const double value = whole + step * std::ldexp(whole, -fraction);
          for (const double x : {value, std::nextafter(value, 0.0),
                                 std::nextafter(value, 9.0)}) {
            const auto code = convert<std::uint16_t>(
                Values{*parse_element_type("f64"), type}, std::vector{x});
            const std::uint32_t got =
                type.bits == 16 ? code[0] : code[0] & 0xffU;
            ASSERT_EQ(got, nearest_code(all, x)) << name << " " << x;
          }
        }
      }
    }
  }
}

TEST(AllPairs, LongIntegersAreRoundedOnce) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 20000; ++k) {
    const std::uint64_t u = random() >> random() % 40;
    // Halfway between two floats of 24 bits, or next to it.
    const std::uint64_t tie =
        (u & ~std::uint64_t{0xffffffffff}) | std::uint64_t{1} << 39;
    for (const std::uint64_t number : {u, tie, tie + 1, tie - 1}) {
      const auto f =
          convert<float>(values_of("u64", "f32"), std::vector{number});
      ASSERT_EQ(f[0], static_cast<float>(static_cast<long double>(number)));
      const auto s = static_cast<std::int64_t>(number);
      const auto g = convert<float>(values_of("s64", "f32"), std::vector{s});
      ASSERT_EQ(g[0], static_cast<float>(static_cast<long double>(s)));
      const auto d = convert<double>(values_of("s64", "f64"), std::vector{s});
      ASSERT_EQ(d[0], static_cast<double>(s));
    }
  }
}

TEST(AllPairs, IntegersSaturate) {
  EXPECT_EQ(convert<std::int8_t>(values_of("u8", "s8"),
                                 std::vector<std::uint8_t>{0, 127, 128, 255}),
            (std::vector<std::int8_t>{0, 127, 127, 127}));
  EXPECT_EQ(convert<std::uint8_t>(values_of("s64", "u4"),
                                  std::vector<std::int64_t>{-1, 7, 15, 16}),
            (std::vector<std::uint8_t>{0, 7, 15, 15}));
  EXPECT_EQ(convert<std::int32_t>(
                values_of("f32", "s32"),
                std::vector<float>{0.5F, 1.5F, -2.5F, 3e9F, -3e9F, NAN}),
            (std::vector<std::int32_t>{0, 2, -2, 2147483647, -2147483648, 0}));
  EXPECT_EQ(convert<std::uint64_t>(values_of("f64", "u64"),
                                   std::vector<double>{-1, 0.5, 1e19, 1e20}),
            (std::vector<std::uint64_t>{0, 0, 10000000000000000000ULL,
                                        18446744073709551615ULL}));
  EXPECT_EQ(convert<std::int64_t>(values_of("u64", "s64"),
                                  std::vector<std::uint64_t>{1ULL << 63}),
            (std::vector<std::int64_t>{INT64_MAX}));
}

TEST(AllPairs, ZeroPointsAreOfTheirType) {
  EXPECT_TRUE(check(values_of("f32", "s32", {1, 100000})));
  EXPECT_FALSE(check(values_of("f32", "u16", {1, 65536})));
  EXPECT_FALSE(check(values_of("f64", "u32", {1, -1})));
  EXPECT_FALSE(check(values_of("s32", "u8", {0.5F, 0})));
  EXPECT_FALSE(check(values_of("c64", "f32")));
  EXPECT_FALSE(check(values_of("f128", "f64")));
  EXPECT_FALSE(check(values_of("u12", "f32")));
}

// Through a plan: both sides in layouts of their own.
TEST(AllPairs, PlansChangeValuesOnTheWay) {
  const Shape shape{{"n", 2}, {"c", 19}, {"h", 5}, {"w", 7}};
  std::mt19937_64 random(5);
  for (const auto& [from, to] :
       {std::pair{"f64", "f32"}, std::pair{"f32", "f64"},
        std::pair{"s32", "f16"}, std::pair{"f16", "s8"}, std::pair{"u8", "s8"},
        std::pair{"s64", "u8"}}) {
    const Values values = values_of(from, to);
    const Layout src =
        resolve_layout("nchw")->bind(shape, values.src.bytes()).value();
    const Layout dst =
        resolve_layout("nChw8c")->bind(shape, values.dst.bytes()).value();
    PlanOptions options;
    options.values = values;
    const auto plan = Plan::make(src, dst, options);
    ASSERT_TRUE(plan) << plan.error().message;
    const auto in =
        codes_of(values.src, static_cast<int>(src.elements()), random);
    std::vector<std::byte> out(static_cast<std::size_t>(dst.size_bytes()));
    plan->run(in.data(), out.data());
    std::vector<std::byte> changed(
        static_cast<std::size_t>(src.elements() * values.dst.bytes()));
    convert_values(values, in.data(), changed.data(), src.elements());
    std::vector<std::int64_t> index(4);
    for (std::int64_t k = 0; k < src.elements(); ++k) {
      index = {k / 665, k / 35 % 19, k / 7 % 5, k % 7};
      const auto width = static_cast<std::size_t>(values.dst.bytes());
      ASSERT_EQ(
          std::memcmp(&out[static_cast<std::size_t>(dst.offset(index)) * width],
                      &changed[static_cast<std::size_t>(k) * width], width),
          0)
          << from << " -> " << to << " " << k;
    }
  }
}

}  // namespace
}  // namespace stridewise
