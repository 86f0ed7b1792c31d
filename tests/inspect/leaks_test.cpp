// Padding that is not zero, and elements that are no numbers, told by indices.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "inspect/tensors.hpp"

namespace stridewise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace inspect_test;  // NOLINT

CheckReport check(const Layout& layout, const Bytes& memory) {
  const Result<CheckReport> report = check_memory(layout, memory, f32);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

TEST(Leaks, BlocksThatTheirDimDoesNotFill) {
  const Layout layout = layout_of("nChw16c", "2x17x6x5");
  const Layout whole = layout_of("nChw16c", "2x32x6x5");
  Bytes memory = random_tensor(layout);
  for (std::int64_t n = 0; n < 2; ++n) {
    for (std::int64_t w = 0; w < 5; ++w) {
      for (std::int64_t c = 17; c < 32; ++c)
        put(memory, whole, {n, c, 3, w}, 1.F);
    }
  }
  const CheckReport report = check(layout, memory);
  ASSERT_EQ(report.leak_sets.size(), 1U);
  const LeakSet& set = report.leak_sets[0];
  EXPECT_EQ(set.indices, "c=17..31 of the last block, where h=3");
  EXPECT_EQ(set.byte, whole.offset(Index{0, 17, 3, 0}) * 4);
  EXPECT_EQ(set.count, 150);
  EXPECT_EQ(set.of, 150);
  EXPECT_EQ(set.runs, 10);
  EXPECT_EQ(report.leaks[0].indices,
            "c=17..31 of the last block, where n=0, h=3, w=0");
}

TEST(Leaks, SetsOfTheirOwn) {
  const Layout layout = layout_of("nChw16c", "1x17x6x5");
  const Layout whole = layout_of("nChw16c", "1x32x6x5");
  Bytes memory = random_tensor(layout);
  for (std::int64_t h = 0; h < 6; ++h) {
    for (std::int64_t w = 0; w < 5; ++w) put(memory, whole, {0, 20, h, w}, 1.F);
  }
  for (std::int64_t c = 23; c < 26; ++c) put(memory, whole, {0, c, 1, 4}, 1.F);
  put(memory, whole, {0, 23, 2, 2}, 1.F);
  const CheckReport report = check(layout, memory);
  std::vector<std::string> told;
  for (const LeakSet& set : report.leak_sets) told.push_back(set.indices);
  EXPECT_THAT(told, ElementsAre("c=20 of the last block",
                                "c=23..25 of the last block, where h=1, w=4",
                                "c=23 of the last block, where h=2, w=2"));
  EXPECT_EQ(report.leak_sets[0].count, 30);
}

// Many sets become one, of which only some places are not zero.
TEST(Leaks, ManySetsAreOne) {
  const Layout layout = layout_of("nChw16c", "1x17x6x5");
  const Layout whole = layout_of("nChw16c", "1x32x6x5");
  Bytes memory = random_tensor(layout);
  std::int64_t count = 0;
  for (std::int64_t h = 0; h < 6; ++h) {
    for (std::int64_t w = 0; w < 5; ++w) {
      const std::int64_t from = 17 + (h * 5 + w) % 14;
      const std::int64_t to = std::min<std::int64_t>(from + 1 + w, 32);
      for (std::int64_t c = from; c < to; ++c) {
        put(memory, whole, {0, c, h, w}, 1.F);
        ++count;
      }
    }
  }
  const CheckReport report = check(layout, memory);
  ASSERT_EQ(report.leak_sets.size(), 1U);
  EXPECT_EQ(report.leak_sets[0].indices, "c=17..31 of the last block");
  EXPECT_EQ(report.leak_sets[0].count, count);
  EXPECT_EQ(report.leak_sets[0].of, 450);
  EXPECT_EQ(report.leak_sets[0].runs, 30);
}

TEST(Leaks, TwoDimsAtOnce) {
  const Layout layout = layout_of("c/16 r/16 r%16 c%16", "r=45,c=70");
  const Layout whole = layout_of("c/16 r/16 r%16 c%16", "r=48,c=80");
  Bytes memory = random_tensor(layout);
  for (std::int64_t r = 0; r < 48; ++r) {
    for (std::int64_t c = 0; c < 80; ++c) {
      if (r >= 45 || c >= 70) put(memory, whole, {r, c}, 1.F);
    }
  }
  const CheckReport report = check(layout, memory);
  std::vector<std::string> told;
  std::int64_t count = 0;
  for (const LeakSet& set : report.leak_sets) {
    told.push_back(set.indices);
    EXPECT_EQ(set.count, set.of) << set.indices;
    count += set.count;
  }
  EXPECT_EQ(count, report.padding);
  EXPECT_THAT(told, ElementsAre("r=45..47 of the last block",
                                "c=70..79 of the last block",
                                "r=45..47 and c=70..79 of the last blocks"));
  EXPECT_THAT(report.findings,
              ElementsAre("690 of 690 places without an element are not zero",
                          "the tail of r is not zero: r=45..47 of the last "
                          "block",
                          "the tail of c is not zero: c=70..79 of the last "
                          "block"));
}

TEST(Leaks, GapsBetweenRowsAndPlanes) {
  const Layout layout = layout_of("c:40 h:8 w", "c=3,h=4,w=5");
  Bytes memory = random_tensor(layout);
  const auto junk = [&](std::int64_t place) {
    const float value = 1;
    std::memcpy(memory.data() + place * 4, &value, 4);
  };
  for (std::int64_t c = 0; c < 3; ++c) {
    for (std::int64_t w = 5; w < 8; ++w) junk(c * 40 + 2 * 8 + w);
  }
  for (std::int64_t w = 0; w < 5; ++w) junk(40 + 4 * 8 + w);
  const CheckReport report = check(layout, memory);
  std::vector<std::string> told;
  for (const LeakSet& set : report.leak_sets) told.push_back(set.indices);
  EXPECT_THAT(told, ElementsAre("w=5..7 in the gap after w=4, where h=2",
                                "h=4 in the gap after h=3, where c=1"));
}

TEST(Leaks, PlacesThatNoIndexWouldFill) {
  const Layout layout = layout_of("@3 h w", "h=2,w=3");
  Bytes memory = random_tensor(layout);
  memory[4] = std::byte{1};
  const CheckReport report = check(layout, memory);
  ASSERT_EQ(report.leak_sets.size(), 1U);
  EXPECT_EQ(report.leak_sets[0].indices, "no index");
  EXPECT_EQ(report.leak_sets[0].byte, 4);
  EXPECT_EQ(report.leak_sets[0].count, 1);
}

TEST(Leaks, NoneMeansNone) {
  const Layout layout = layout_of("nChw16c", "2x17x6x5");
  EXPECT_THAT(check(layout, random_tensor(layout)).leak_sets, IsEmpty());
}

// ------------------------------------------------------------ NaN and Inf ---

TEST(NotFinite, SetsOfIndices) {
  const Layout layout = layout_of("nChw16c", "3x17x6x5");
  Bytes memory = random_tensor(layout);
  for (std::int64_t c = 0; c < 17; ++c) {
    for (std::int64_t h = 0; h < 4; ++h) {
      for (std::int64_t w = 0; w < 5; ++w) {
        put(memory, layout, {2, c, h, w}, std::nanf(""));
      }
    }
  }
  CheckReport report = check(layout, memory);
  EXPECT_EQ(report.nan_indices, "all of n=2, h=0..3");
  EXPECT_EQ(report.inf_indices, "");
  EXPECT_THAT(report.findings,
              ElementsAre("340 elements are NaN: all of n=2, h=0..3"));
  put(memory, layout, {2, 3, 1, 1}, 1.F);
  report = check(layout, memory);
  EXPECT_EQ(report.nan_indices, "only n=2, h=0..3 (339 of its 340 elements)");
}

TEST(NotFinite, AllAndOne) {
  const Layout layout = layout_of("nchw", "1x2x3x4");
  Bytes memory = random_tensor(layout);
  put(memory, layout, {0, 1, 2, 3}, INFINITY);
  EXPECT_EQ(check(layout, memory).inf_indices, "c=1, h=2, w=3");
  for (std::int64_t k = 0; k < 24; ++k) {
    put(memory, layout, {0, k / 12, k / 4 % 3, k % 4}, INFINITY);
  }
  EXPECT_THAT(check(layout, memory).findings,
              ElementsAre("24 elements are infinite: all elements"));
}

}  // namespace
}  // namespace stridewise
