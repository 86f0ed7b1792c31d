// What is equal, and how differences are counted.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "inspect/tensors.hpp"

namespace stridewise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace inspect_test;  // NOLINT

TEST(Diff, NotANumber) {
  const Layout layout = layout_of("nchw", "1x1x2x4");
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto infinity = std::numeric_limits<float>::infinity();
  Bytes a(32);
  Bytes b(32);
  put(a, layout, {0, 0, 0, 0}, nan);
  put(b, layout, {0, 0, 0, 0}, -nan);  // another NaN: equal
  put(a, layout, {0, 0, 0, 1}, nan);
  put(b, layout, {0, 0, 0, 2}, nan);
  put(a, layout, {0, 0, 0, 3}, -0.0F);  // equal to 0
  put(a, layout, {0, 0, 1, 0}, infinity);
  put(b, layout, {0, 0, 1, 0}, infinity);
  put(a, layout, {0, 0, 1, 1}, infinity);
  put(b, layout, {0, 0, 1, 1}, -infinity);
  const DiffReport report = differ(layout, a, layout, b, f32, {1.0, 1.0, 100});
  EXPECT_EQ(report.differences, 3);
  EXPECT_EQ(report.nan_a, 1);
  EXPECT_EQ(report.nan_b, 1);
  EXPECT_EQ(report.max_abs, 0);
  EXPECT_TRUE(std::isinf(report.worst->abs));
  EXPECT_THAT(report.findings, Contains("1 is NaN in A and a number in B"));
}

TEST(Diff, Tolerances) {
  const Layout layout = layout_of("nchw", "1x1x1x3");
  Bytes a(12);
  Bytes b(12);
  const float values[3][2] = {
      {1.0F, std::nextafter(1.0F, 2.0F)}, {100.0F, 101.0F}, {0.0F, 0.001F}};
  for (std::int64_t k = 0; k < 3; ++k) {
    put(a, layout, {0, 0, 0, k}, values[k][0]);
    put(b, layout, {0, 0, 0, k}, values[k][1]);
  }
  const auto count = [&](const Tolerance& tolerance) {
    return differ(layout, a, layout, b, f32, tolerance).differences;
  };
  EXPECT_EQ(count({}), 3);
  EXPECT_EQ(count({0, 0, 1}), 2);
  EXPECT_EQ(count({0.01, 0, -1}), 1);
  EXPECT_EQ(count({0, 0.0011, -1}), 1);
  EXPECT_EQ(count({0.01, 0.002, -1}), 0);
  const DiffReport report = differ(layout, a, layout, b);
  EXPECT_EQ(report.max_abs, 1.0);
  EXPECT_EQ(report.worst->index, (Index{0, 0, 0, 1}));
  EXPECT_EQ(report.max_rel, 1.0);  // 0 and 0.001
}

TEST(Diff, TolerancesThatAreNone) {
  const Layout layout = layout_of("nchw", "1x1x1x3");
  const Bytes bytes(12);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Tolerance& tolerance :
       {Tolerance{nan, 0, -1}, Tolerance{0, nan, -1}, Tolerance{-0.5, 0, -1},
        Tolerance{0, infinity, -1}}) {
    const Result<DiffReport> report =
        diff(layout, bytes, layout, bytes, DiffOptions{f32, tolerance, {}});
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message,
                HasSubstr("a finite number, 0 or more"));
  }
}

// Neighbours that are one and the same double.
TEST(Diff, LongIntegersAreExact) {
  const ElementType s64 = *parse_element_type("s64");
  const Layout layout = layout_of("nchw", "1x1x1x4", s64);
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t values[4][2] = {
      {large, large + 1}, {large, large + 3}, {7, 7}, {-large, -large - 2}};
  Bytes a(32);
  Bytes b(32);
  for (std::int64_t k = 0; k < 4; ++k) {
    put(a, layout, {0, 0, 0, k}, values[k][0]);
    put(b, layout, {0, 0, 0, k}, values[k][1]);
  }
  DiffReport report = differ(layout, a, layout, b, s64);
  EXPECT_EQ(report.differences, 3);
  EXPECT_EQ(report.first->a_text, "4611686018427387905");
  EXPECT_EQ(report.first->b_text, "4611686018427387906");
  EXPECT_EQ(report.worst->index, (Index{0, 0, 0, 1}));
  EXPECT_EQ(report.worst->abs_text, "3");
  EXPECT_EQ(differ(layout, a, layout, b, s64, {0, 2, -1}).differences, 1);
  // Errors that are one double as well.
  put(a, layout, {0, 0, 0, 0}, least);
  put(b, layout, {0, 0, 0, 0}, large);
  put(a, layout, {0, 0, 0, 2}, least);
  put(b, layout, {0, 0, 0, 2}, large + 1);
  report = differ(layout, a, layout, b, s64);
  EXPECT_EQ(report.worst->index, (Index{0, 0, 0, 2}));
  EXPECT_EQ(report.worst->abs_text, "13835058055282163714");
}

TEST(Diff, LongFloatsAreExact) {
  const ElementType f128 = *parse_element_type("f128");
  const Layout layout = layout_of("nchw", "1x1x1x2", f128);
  Bytes a(32);
  Bytes b(32);
  put(a, layout, {0, 0, 0, 1}, 1.0L);
  put(b, layout, {0, 0, 0, 1}, 1.0L + 0x1p-60L);
  EXPECT_EQ(differ(layout, a, layout, b, f128).differences,
            std::numeric_limits<long double>::digits > 60 ? 1 : 0);
}

// Every half, against the library's own conversion of each.
TEST(Diff, HalvesAreTheirNumbers) {
  const ElementType f16 = *parse_element_type("f16");
  const Layout half = layout_of("nchw", "1x1x256x256", f16);
  Bytes a(1 << 17);
  for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
    const auto value = static_cast<std::uint16_t>(bits);
    std::memcpy(a.data() + std::size_t{2} * bits, &value, 2);
  }
  const Bytes zeros(1 << 17);
  for (const std::uint32_t bits :
       {0x0001U, 0x03ffU, 0x0400U, 0x3c00U, 0x7bffU, 0x8001U, 0xbc00U}) {
    Bytes one = zeros;
    const auto value = static_cast<std::uint16_t>(bits);
    std::memcpy(one.data(), &value, 2);
    const DiffReport report = differ(half, one, half, zeros, f16);
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const double fraction = bits & 1023U;
    EXPECT_EQ(report.max_abs, exponent == 0
                                  ? std::ldexp(fraction, -24)
                                  : std::ldexp(1024 + fraction, exponent - 25));
  }
  const DiffReport report = differ(half, a, half, zeros, f16);
  EXPECT_EQ(report.differences, (1 << 16) - 2);  // but 0 and -0
  EXPECT_EQ(report.nan_a, 2 * 1023);
  EXPECT_EQ(report.max_abs, 65504);
}

// More indices than are counted one by one.
TEST(Diff, LongDimsAreCountedByRanges) {
  const Layout layout = layout_of("x", "x=1000000", s8);
  Bytes a(1000000);
  Bytes b = a;
  std::fill(b.begin() + 300000, b.begin() + 700001, std::byte{1});
  const DiffReport report = differ(layout, a, layout, b, s8);
  EXPECT_EQ(report.differences, 400001);
  EXPECT_THAT(report.findings, Contains("all of x=300000..700000"));
  const DiffCounts& counts = report.by_dim[0];
  EXPECT_EQ(counts.step, 16);
  EXPECT_EQ(counts.counts.size(), 62500U);
  EXPECT_EQ(counts.counts[300000 / 16], 16);
  EXPECT_EQ(counts.counts[700000 / 16], 1);
  EXPECT_EQ(counts.first, 300000);
  EXPECT_EQ(counts.last, 700000);
  b[500000] = std::byte{0};
  std::fill(b.begin() + 310000, b.begin() + 320000, std::byte{0});
  EXPECT_THAT(differ(layout, a, layout, b, s8).findings,
              Contains("only x between 300000 and 700000 (390000 of its 400001 "
                       "elements)"));
}

// Against a loop over all elements, in layouts of all kinds.
RC_GTEST_PROP(Diff, CountsWhatALoopCounts, ()) {
  const Shape shape = testing::random_shape();
  const Layout a = testing::random_valid_layout(shape, 4);
  const Layout b =
      testing::in_range(0, 2) == 0 ? a : testing::random_valid_layout(shape, 4);
  RC_PRE(a.valid());
  RC_PRE(b.valid());
  const Bytes a_bytes = random_tensor(a);
  Bytes b_bytes = moved(a, b, a_bytes);
  // Few or nearly all: runs of both.
  const std::int64_t one_in = testing::in_range(1, 5);
  std::int64_t planted = 0;
  std::vector<std::vector<std::int64_t>> by_dim;
  for (const Dim& dim : shape) {
    by_dim.emplace_back(static_cast<std::size_t>(dim.extent));
  }
  std::vector<std::vector<std::int64_t>> by_axis;
  for (const BoundAxis& axis : a.axes()) {
    by_axis.emplace_back(static_cast<std::size_t>(axis.extent));
  }
  Index coordinates(a.axes().size());
  Index first;
  Index worst;
  double most = 0;
  testing::for_each_index(shape, [&](const Index& x) {
    if (testing::in_range(0, one_in) == 0) return;
    put(b_bytes, b, x, -3.0F);
    if (planted++ == 0) first = x;
    float value = 0;
    std::memcpy(&value, a_bytes.data() + a.offset(x) * 4, 4);
    if (value + 3.0 > most) {
      most = value + 3.0;
      worst = x;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      ++by_dim[d][static_cast<std::size_t>(x[d])];
    }
    a.coordinates_of(x, coordinates);
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      ++by_axis[k][static_cast<std::size_t>(coordinates[k])];
    }
  });
  const DiffReport report = differ(a, a_bytes, b, b_bytes);
  RC_ASSERT(report.differences == planted);
  RC_ASSERT(report.first.has_value() == (planted > 0));
  if (planted == 0) return;
  RC_ASSERT(report.first->index == first);
  RC_ASSERT(report.first->byte_a == a.offset(first) * 4);
  RC_ASSERT(report.first->byte_b == b.offset(first) * 4);
  RC_ASSERT(report.max_abs == most);
  RC_ASSERT(report.worst->index == worst);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    RC_ASSERT(report.by_dim[d].counts == by_dim[d]);
  }
  for (std::size_t k = 0; k < report.by_axis.size(); ++k) {
    const DiffCounts& counts = report.by_axis[k];
    std::vector<std::int64_t> ranges(counts.counts.size());
    for (std::size_t at = 0; at < by_axis[k].size(); ++at) {
      ranges[at / static_cast<std::size_t>(counts.step)] += by_axis[k][at];
    }
    RC_ASSERT(counts.counts.size() <= std::size_t{1} << 16);
    const bool same = counts.counts == ranges;
    RC_ASSERT(same);
  }
}

TEST(Diff, LargeTensorsInParts) {
  // More than one part of 16 MiB on both sides.
  const Layout a = layout_of("nhwc", "1x48x600x400");
  const Layout b = layout_of("nChw16c", "1x48x600x400");
  Bytes a_bytes = random_tensor(a);
  const Bytes b_bytes = moved(a, b, a_bytes);
  EXPECT_EQ(differ(a, a_bytes, b, b_bytes).differences, 0);
  put(a_bytes, a, {0, 47, 599, 399}, 0.0F);
  put(a_bytes, a, {0, 3, 300, 7}, 0.0F);
  const DiffReport report = differ(a, a_bytes, b, b_bytes);
  EXPECT_EQ(report.differences, 2);
  EXPECT_EQ(report.first->index, (Index{0, 3, 300, 7}));
}

}  // namespace
}  // namespace stridewise
