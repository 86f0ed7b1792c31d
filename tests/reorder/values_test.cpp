// Conversions of values: f16 and bf16 against the nearest value by search,
// every converter of the table within its run, and what check() refuses.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/guarded.hpp"
#include "support/values.hpp"

namespace stridewise {
namespace {

using testing::convert;
using testing::expect_converters_agree;
using testing::GuardedBytes;
using testing::values_of;

// A format of 16 bits, by its fields.
struct Narrow {
  std::string_view name;
  int fraction_bits;
  int bias;

  [[nodiscard]] std::uint32_t infinity() const {
    return 0x8000 - (1U << fraction_bits);
  }
  // What a code without its sign means; infinity's is the value that would
  // follow the largest, which is the one that rounding has to compare with.
  [[nodiscard]] double value(std::uint32_t code) const {
    const auto exponent = static_cast<int>(code >> fraction_bits);
    const double fraction =
        std::ldexp(code & ((1U << fraction_bits) - 1), -fraction_bits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                         : std::ldexp(1 + fraction, exponent - bias);
  }
  [[nodiscard]] std::uint32_t code(std::uint32_t bits) const {
    static thread_local std::vector<double> all;
    static thread_local int of = 0;
    if (of != bias) {
      of = bias;
      all.clear();
      for (std::uint32_t c = 0; c <= infinity(); ++c) all.push_back(value(c));
    }
    const std::uint32_t sign = bits >> 16 & 0x8000;
    const std::uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
      const int cut = 23 - fraction_bits;
      return sign | infinity() | 1U << (fraction_bits - 1) |
             (magnitude - 0x7f800000) >> cut;
    }
    const double x = std::abs(double{std::bit_cast<float>(bits)});
    const auto above = std::ranges::lower_bound(all, x);
    if (above == all.end()) return sign | infinity();
    auto code = static_cast<std::uint32_t>(above - all.begin());
    if (x != *above) {
      const double to_above = *above - x, to_below = x - *(above - 1);
      if (to_below < to_above || (to_below == to_above && code % 2 == 1)) {
        --code;
      }
    }
    return sign | code;
  }
};
const Narrow f16{"f16", 10, 15}, bf16{"bf16", 7, 127};

class NarrowFormat : public ::testing::TestWithParam<Narrow> {};
INSTANTIATE_TEST_SUITE_P(Values, NarrowFormat, ::testing::Values(f16, bf16),
                         [](const auto& instance) {
                           return std::string(instance.param.name);
                         });

TEST_P(NarrowFormat, EveryCodeToF32) {
  const Narrow format = GetParam();
  const Values values = values_of(format.name, "f32");
  std::vector<std::uint16_t> codes;
  for (std::uint32_t c = 0; c <= 0xffff; ++c) {
    codes.push_back(static_cast<std::uint16_t>(c));
  }
  const auto bits = convert<std::uint32_t>(values, codes);
  for (std::uint32_t c = 0; c <= 0xffff; ++c) {
    const std::uint32_t magnitude = c & 0x7fff;
    std::uint32_t expected = 0x7f800000;
    if (magnitude < format.infinity()) {
      expected = std::bit_cast<std::uint32_t>(
          static_cast<float>(format.value(magnitude)));
    } else if (magnitude > format.infinity()) {
      const int cut = 23 - format.fraction_bits;
      expected += (magnitude - format.infinity()) << cut;
      if (format.name == "f16") expected |= 0x400000;  // becomes quiet
    }
    ASSERT_EQ(bits[c], expected | (c & 0x8000) << 16) << c;
  }
  expect_converters_agree<std::uint32_t>(values, codes);
  // And back: the same code, but for the quiet bit of a NaN.
  const auto back = convert<std::uint16_t>(values_of("f32", format.name), bits);
  for (std::uint32_t c = 0; c <= 0xffff; ++c) {
    const bool nan = (c & 0x7fff) > format.infinity();
    ASSERT_EQ(back[c], nan ? c | 1U << (format.fraction_bits - 1) : c) << c;
  }
}

void check_narrowing(const Narrow& format,
                     const std::vector<std::uint32_t>& bits) {
  const Values values = values_of("f32", format.name);
  const auto codes = convert<std::uint16_t>(values, bits);
  for (std::size_t k = 0; k < bits.size(); ++k) {
    ASSERT_EQ(codes[k], format.code(bits[k])) << bits[k];
  }
  expect_converters_agree<std::uint16_t>(values, bits);
}

// Every upper 20 bits: for f16 all that rounding keeps and its first bit lost,
// for bf16 four more. The lower ones decide between below, tie and above.
TEST_P(NarrowFormat, FromF32ByTheUpperBits) {
  std::vector<std::uint32_t> bits(1U << 20);
  for (const std::uint32_t low : {0U, 1U, 0x7ffU, 0x800U, 0x801U, 0xfffU}) {
    for (std::uint32_t k = 0; k < bits.size(); ++k) bits[k] = k << 12 | low;
    ASSERT_NO_FATAL_FAILURE(check_narrowing(GetParam(), bits));
  }
}

TEST_P(NarrowFormat, FromF32AtEachMidpointAndBesideIt) {
  const Narrow format = GetParam();
  std::vector<std::uint32_t> bits;
  for (std::uint32_t c = 0; c < format.infinity(); ++c) {
    const double middle = (format.value(c) + format.value(c + 1)) / 2;
    for (const double x : {format.value(c), middle}) {
      const auto at = std::bit_cast<std::uint32_t>(static_cast<float>(x));
      for (const std::uint32_t beside : {at - 1, at, at + 1}) {
        bits.insert(bits.end(), {beside, beside ^ 0x80000000});
      }
    }
  }
  check_narrowing(format, bits);
}

TEST_P(NarrowFormat, FromRandomF32) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> bits(1'000'000);
  std::ranges::generate(bits, std::ref(random));
  check_narrowing(GetParam(), bits);
}

// Each count and misalignment, of one run and of some with gaps between them, with
// forbidden pages right beside both sides.
TEST(Converters, StayWithinTheirRuns) {
  for (const Converter& converter : converters()) {
    const Values values = values_of(converter.src, converter.dst, {});
    const std::int64_t src_bytes = values.src.bytes();
    const std::int64_t dst_bytes = values.dst.bytes();
    for (std::int64_t n = 0; n <= 200; ++n) {
      for (const std::int64_t shift : {0, 1, 2, 3, 60}) {
        for (const auto side :
             {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
          const std::int64_t runs = n % 3 + 1;
          const std::int64_t gap = runs > 1 ? n % 7 : 0;
          const std::int64_t values_between = n + gap;
          const auto bytes_of = [&](std::int64_t width) {
            return static_cast<std::size_t>(
                ((runs - 1) * values_between + n) * width + shift);
          };
          const GuardedBytes src(bytes_of(src_bytes), side);
          const GuardedBytes dst(bytes_of(dst_bytes), side);
          const std::int64_t lead =
              side == GuardedBytes::Against::front ? shift : 0;
          std::uint32_t state = static_cast<std::uint32_t>(n) + 1;
          for (std::byte& b : src.bytes()) {
            b = static_cast<std::byte>((state = state * 1664525 + 7) >> 24);
          }
          const std::vector<std::byte> before(dst.bytes().size(),
                                              std::byte{0xee});
          std::vector<std::byte> expected = before;
          for (std::int64_t k = 0; k < runs; ++k) {
            convert_values(
                values, src.data() + lead + k * values_between * src_bytes,
                expected.data() + lead + k * values_between * dst_bytes, n);
          }
          for (const bool streams : {false, true}) {
            if (streams && converter.stream == nullptr) continue;
            std::ranges::copy(before, dst.bytes().begin());
            testing::run(converter, streams,
                         {src.data() + lead, dst.data() + lead, n, runs,
                          values_between * src_bytes,
                          values_between * dst_bytes, n % 2 == 0, src.data()});
            ASSERT_TRUE(std::ranges::equal(dst.bytes(), expected))
                << converter.name << " " << n << " " << shift << " " << streams;
          }
        }
      }
    }
  }
}

TEST(Converters, TheTableHasEachPairOnceAnIsa) {
  std::set<std::string_view> names;
  for (const Converter& converter : converters()) {
    EXPECT_TRUE(names.insert(converter.name).second) << converter.name;
    const Values values = values_of(converter.src, converter.dst);
    EXPECT_TRUE(check(values).has_value());
    EXPECT_LE(converter.isa, best_isa());
    // The first of the pair is the one that is found.
    EXPECT_EQ(find_converter(converter.src, converter.dst),
              &*std::ranges::find_if(converters(), [&](const Converter& c) {
                return c.src == converter.src && c.dst == converter.dst;
              }));
  }
  // Eight pairs for each set that has converters of its own. Of small types there are
  // portable ones alone: 11 floats, u1 .. u7 and s2 .. s7, each there and back. By way of
  // 64 bits, for two sets: f32 and 21 integers and f64, 20 of them and s64.
  std::size_t sets = 0;
  std::size_t wide_sets = 0;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    ++sets;
    if (isa <= Isa::avx2) ++wide_sets;
  }
  EXPECT_EQ(names.size(),
            8 * sets + 2 * (11 + 7 + 6) + wide_sets * 2 * (22 + 20));
  EXPECT_EQ(find_converter("f32", "f32"), nullptr);
  EXPECT_EQ(find_converter("f16", "s8"), nullptr);
}

TEST(Values, ATypeToItselfIsACopy) {
  for (const ElementType& type : element_types()) {
    const Values values{type, type};
    EXPECT_TRUE(check(values).has_value()) << type.name;
    std::vector<std::byte> src(static_cast<std::size_t>(3 * type.bytes()));
    for (std::size_t k = 0; k < src.size(); ++k) {
      src[k] = static_cast<std::byte>(255 - k);
    }
    std::vector<std::byte> dst(src.size());
    convert_values(values, src.data(), dst.data(), 3);
    EXPECT_EQ(src, dst) << type.name;
  }
}

TEST(Values, CheckNamesTheFault) {
  const auto fault = [](const Values& values) {
    const auto result = check(values);
    return result ? std::string() : result.error().message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(fault(values_of("c64", "f32")), HasSubstr("c64 to f32"));
  EXPECT_THAT(fault(values_of("f16", "bool")), HasSubstr("f16 to bool"));
  EXPECT_EQ(check(values_of("f128", "bf16")).error().code,
            ErrorCode::unsupported);
  for (const float scale : {0.0F, -1.0F, HUGE_VALF, NAN}) {
    EXPECT_THAT(fault(values_of("f32", "s8", {scale, 0})), HasSubstr("scale"));
    EXPECT_THAT(fault(values_of("u8", "f32", {scale, 0})), HasSubstr("scale"));
  }
  EXPECT_THAT(fault(values_of("f32", "s8", {1, 128})),
              HasSubstr("zero point 128 is not one of s8: -128 to 127"));
  EXPECT_THAT(fault(values_of("u8", "f32", {1, -1})),
              HasSubstr("zero point -1 is not one of u8: 0 to 255"));
  EXPECT_THAT(fault(values_of("f32", "f16", {2, 0})), HasSubstr("scale 2"));
  EXPECT_THAT(fault(values_of("s8", "s8", {1, 3})), HasSubstr("zero point 3"));
  EXPECT_EQ(fault(values_of("s8", "f32", {0.25F, -128})), "");
}

}  // namespace
}  // namespace stridewise
