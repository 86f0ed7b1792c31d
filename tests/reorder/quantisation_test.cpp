// Conversions of values between f32 and 8-bit integers, against exact
// arithmetic and the laws of rounding; and every converter of the table.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/values.hpp"

namespace stridewise {
namespace {

using testing::convert;
using testing::expect_converters_agree;
using testing::values_of;

// By division in more bits than f32 has, and rounding by comparison.
std::int64_t quantised(float x, std::int64_t lowest, const Quantisation& by) {
  if (std::isnan(x)) return by.zero_point;
  const auto quotient =
      static_cast<float>(static_cast<long double>(x) / by.scale);
  const long double bounded = std::clamp(quotient, -1000.0F, 1000.0F);
  auto below = static_cast<std::int64_t>(bounded) - 1;
  while (static_cast<long double>(below + 1) <= bounded) ++below;
  const long double over = bounded - static_cast<long double>(below);
  const bool up = over > 0.5L || (over == 0.5L && below % 2 != 0);
  return std::clamp(below + (up ? 1 : 0) + by.zero_point, lowest, lowest + 255);
}

template <class Integer>
void check_quantising(const std::vector<float>& xs, const Quantisation& by) {
  const std::string_view name = std::is_signed_v<Integer> ? "s8" : "u8";
  const Values values = values_of("f32", name, by);
  ASSERT_TRUE(check(values).has_value());
  const std::int64_t lowest = std::numeric_limits<Integer>::min();
  const auto integers = convert<Integer>(values, xs);
  for (std::size_t k = 0; k < xs.size(); ++k) {
    ASSERT_EQ(integers[k], quantised(xs[k], lowest, by))
        << xs[k] << " by " << by.scale << " + " << by.zero_point;
  }
  expect_converters_agree<Integer>(values, xs);
}

void check_quantising(const std::vector<float>& xs, float scale,
                      std::int32_t above_lowest) {
  check_quantising<std::int8_t>(xs, {scale, above_lowest - 128});
  check_quantising<std::uint8_t>(xs, {scale, above_lowest});
}

const float infinity = std::numeric_limits<float>::infinity();
const float denormal = std::numeric_limits<float>::denorm_min();
const float largest = std::numeric_limits<float>::max();

TEST(Quantisation, EdgesAndTies) {
  std::vector<float> xs = {0,         -0.0F,   infinity, -infinity, denormal,
                           -denormal, largest, -largest, NAN,       -NAN,
                           1e-38F,    0x1p31F, -0x1p31F, 0x1p23F};
  for (int halves = -1100; halves <= 1100; ++halves) {
    const float x = static_cast<float>(halves) / 2;
    xs.insert(xs.end(),
              {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)});
  }
  for (const float scale :
       {1.0F, 0.5F, 2.0F, 0.1F, 3.0F, 1 / 255.0F, denormal, 1e-38F, largest}) {
    std::vector<float> scaled = xs;
    for (const float x : xs) scaled.push_back(x * scale);
    for (const int above_lowest : {0, 1, 127, 128, 129, 254, 255}) {
      ASSERT_NO_FATAL_FAILURE(check_quantising(scaled, scale, above_lowest));
    }
  }
}

// Of the whole range from the first case on: RapidCheck begins with small ones.
template <class T>
T random_of(rc::Gen<T> gen) {
  return *rc::gen::resize(rc::kNominalSize, std::move(gen));
}
float random_float() {
  return std::bit_cast<float>(random_of(rc::gen::arbitrary<std::uint32_t>()));
}
float random_scale() {
  const float scale = std::abs(random_float());
  return scale > 0 && std::isfinite(scale) ? scale : 1;
}

RC_GTEST_PROP(Quantisation, EqualsExactArithmetic, ()) {
  const float scale = random_scale();
  const auto zero_point = random_of(rc::gen::inRange(0, 256));
  std::vector<float> xs;
  for (int k = 0; k < 40; ++k) {
    xs.push_back(random_float());
    xs.push_back(static_cast<float>(random_of(rc::gen::inRange(-1100, 1100))) /
                 4 * scale);
  }
  check_quantising(xs, scale, zero_point);
  RC_ASSERT(!::testing::Test::HasFatalFailure());
}

// All integers by all zero points: exact in double, then one rounding.
template <class Integer>
void check_dequantising(float scale) {
  const std::string_view name = std::is_signed_v<Integer> ? "s8" : "u8";
  const int lowest = std::numeric_limits<Integer>::min();
  std::vector<Integer> all;
  for (int q = 0; q < 256; ++q) all.push_back(static_cast<Integer>(q));
  for (int zero_point = lowest; zero_point <= lowest + 255; ++zero_point) {
    const Quantisation by{scale, zero_point};
    const Values there = values_of(name, "f32", by);
    const auto xs = convert<float>(there, all);
    for (std::size_t k = 0; k < all.size(); ++k) {
      ASSERT_EQ(xs[k], static_cast<float>(double(all[k] - zero_point) *
                                          double{scale}));
    }
    expect_converters_agree<float>(there, all);
    if (scale > largest / 255) continue;
    ASSERT_EQ(convert<Integer>(values_of("f32", name, by), xs), all);
  }
}

TEST(Quantisation, ThereAndBackIsTheIdentity) {
  for (const float scale : {1.0F, 0.1F, 3.0F, denormal, 3 * denormal, 1e-39F,
                            1e-38F, 1e36F, largest}) {
    ASSERT_NO_FATAL_FAILURE(check_dequantising<std::int8_t>(scale));
    ASSERT_NO_FATAL_FAILURE(check_dequantising<std::uint8_t>(scale));
  }
}

RC_GTEST_PROP(Quantisation, ErrsByAtMostHalfAStep, ()) {
  const float scale = std::ldexp(random_scale() / largest + 0.1F,
                                 random_of(rc::gen::inRange(-20, 20)));
  const auto zero_point = random_of(rc::gen::inRange(0, 256));
  const auto hundredths = random_of(rc::gen::inRange(0, 25500));
  const float x =
      (static_cast<float>(hundredths) / 100 - static_cast<float>(zero_point)) *
      scale;
  const std::vector<std::uint8_t> q = convert<std::uint8_t>(
      values_of("f32", "u8", {scale, zero_point}), std::vector{x});
  const double error = std::abs(x - (q[0] - zero_point) * double{scale});
  RC_ASSERT(error <= scale * (0.5 + 1e-4));
}

}  // namespace
}  // namespace stridewise
