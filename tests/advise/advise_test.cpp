// What advise() says of the questions that vendors' documents ask, and that it finds the best.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/advise.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>

#include "stridewise/notation.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Shape matrix(std::int64_t rows, std::int64_t columns) {
  return {{"r", rows}, {"m", columns}};
}

Advice advice_on(const std::string& family, const Shape& shape,
                 std::int64_t bits = 32) {
  return *advise(shape, bits, {.families = {family}});
}

Candidate one(const std::string& text, const Shape& shape,
              AdviseOptions options = {}, std::int64_t bits = 32) {
  Candidate candidate = *assess(*resolve_layout(text), shape, bits, options);
  candidate.name = text;
  return candidate;
}

std::string why(const Candidate& a, const Candidate& b) {
  std::string text;
  for (const std::string& sentence : compare_candidates(a, b)) {
    text += sentence + '\n';
  }
  return text;
}

// ------------------------------------------------------ columns of a matrix ---

// "W should be moderately small, but C is better not greater than the number of NPUs".
TEST(Advise, TenColumnsAChannelOnFourNpus) {
  const Advice advice = advice_on("okk.matrix(npus=4)", matrix(2, 40));
  ASSERT_EQ(advice.candidates.size(), 1);
  EXPECT_EQ(advice.candidates[0].name, "okk.matrix(npus=4,w=10)");
  EXPECT_EQ(advice.candidates[0].facts.banks->used, 4);
  EXPECT_EQ(advice.candidates[0].facts.banks->fullest_bytes, 256);
}

TEST(Advise, EightAndSixColumnsNeedTwoRoundsOfChannels) {
  const Candidate ten = one("okk.matrix(npus=4,w=10)", matrix(2, 40));
  for (const char* worse :
       {"okk.matrix(npus=4,w=8)", "okk.matrix(npus=4,w=6)"}) {
    const Candidate other = one(worse, matrix(2, 40));
    EXPECT_EQ(other.facts.banks->fullest_bytes, 512) << worse;
    EXPECT_GT(other.score, ten.score) << worse;
    EXPECT_THAT(why(other, ten), HasSubstr("waste: ")) << worse;
  }
}

TEST(Advise, FifteenColumnsTakeLessThanSix) {
  const Candidate fifteen = one("okk.matrix(npus=4,w=15)", matrix(2, 40));
  const Candidate six = one("okk.matrix(npus=4,w=6)", matrix(2, 40));
  EXPECT_EQ(fifteen.facts.banks->used, 3);
  EXPECT_EQ(fifteen.facts.bytes, 1024);
  EXPECT_EQ(six.facts.bytes, 2048);
  EXPECT_LT(fifteen.score, six.score);
}

// The best of all W there are, of matrices where advise() tries few of them and of small ones.
RC_GTEST_PROP(Advise, NoOtherColumnsAreBetter, ()) {
  const std::int64_t npus = in_range(1, 9);
  const std::int64_t m =
      in_range(1, 2) == 1 ? in_range(1, 200) : in_range(257, 900);
  const Shape shape = matrix(in_range(1, 4), m);
  const Candidate best =
      advice_on(fmt::format("okk.matrix(npus={})", npus), shape)
          .candidates.front();
  for (std::int64_t w = 1; w <= m; ++w) {
    const Candidate other =
        one(fmt::format("okk.matrix(npus={},w={})", npus, w), shape);
    RC_ASSERT(best.facts.bytes <= other.facts.bytes);
    RC_ASSERT(best.score <= other.score + 1e-9);
  }
}

TEST(Advise, AMillionColumnsTakeNoSearchOfAMillion) {
  const auto begin = std::chrono::steady_clock::now();
  const Advice advice = advice_on("okk.matrix", matrix(3, 1'000'003));
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(advice.candidates[0].name, "okk.matrix(w=15626)");
  EXPECT_LT(advice.tried, 300);
  // 10 ms where nothing else runs and nothing is instrumented.
  EXPECT_LT(took.count(), 2.0);
}

// ----------------------------------------------------------------- channels ---

// "C = X + 2 from NPU X - 1: such a storage is terrible".
TEST(Advise, TheStartThatNeedsAThirdRow) {
  for (const std::int64_t npus : {4, 8, 64}) {
    const Shape shape = {{"n", 1}, {"c", npus + 2}, {"h", 8}, {"w", 8}};
    const std::string family = fmt::format("okk.aligned(npus={})", npus);
    const Candidate best = advice_on(family, shape).candidates.front();
    EXPECT_EQ(best.name, fmt::format("okk.aligned(npus={},start=0)", npus));
    const Candidate worst = one(
        fmt::format("okk.aligned(npus={},start={})", npus, npus - 1), shape);
    EXPECT_EQ(2 * worst.facts.bytes, 3 * best.facts.bytes);
  }
}

TEST(Advise, AVectorOverDepthWantsChannelsLast) {
  const Shape shape = {{"h", 14}, {"w", 14}, {"c", 32}};
  const AdviseOptions options{
      .access = {.vector_dim = "c", .vector_lanes = 16}};
  const Candidate hwc = one("mli.hwc", shape, options);
  const Candidate chw = one("mli.chw", shape, options);
  EXPECT_EQ(hwc.facts.vectors->per_line, 2);
  EXPECT_EQ(hwc.facts.vectors->filled, 1);
  EXPECT_EQ(chw.facts.vectors->per_line, 32);
  EXPECT_EQ(chw.facts.vectors->filled, 1.0 / 16);
  EXPECT_LT(hwc.score, chw.score);
}

TEST(Advise, BlocksOfEightOrSixteenByTheChannelsThatThereAre) {
  const std::vector<std::pair<std::int64_t, std::string>> best = {
      {3, "nChw8c"}, {17, "nChw8c"}, {24, "nChw8c"}, {64, "nChw16c"}};
  for (const auto& [channels, block] : best) {
    const Shape shape = {{"n", 1}, {"c", channels}, {"h", 56}, {"w", 56}};
    AdviseOptions options;
    // Vectors as wide as the block: each kernel has its own.
    options.access = {.vector_dim = "c", .vector_lanes = 8};
    const Candidate eight = one("nChw8c", shape, options);
    options.access.vector_lanes = 16;
    const Candidate sixteen = one("nChw16c", shape, options);
    const std::int64_t rows = 4 * 56 * 56;
    EXPECT_EQ(eight.facts.bytes, (channels + 7) / 8 * 8 * rows);
    EXPECT_EQ(sixteen.facts.bytes, (channels + 15) / 16 * 16 * rows);
    // Where both fill their lanes, the wider one loads half as often.
    const bool wide =
        sixteen.score < eight.score ||
        (sixteen.score == eight.score &&
         sixteen.facts.vectors->per_line < eight.facts.vectors->per_line);
    EXPECT_EQ(wide ? "nChw16c" : "nChw8c", block) << channels;
  }
}

// An image of channels has rows of c/4 * w pixels, one of rows has c * w of them.
TEST(Advise, ImagesThatADeviceCannotHold) {
  const Shape wide = {{"n", 1}, {"c", 512}, {"h", 28}, {"w", 56}};
  const Advice advice = advice_on("mace", wide);
  EXPECT_EQ(advice.candidates.front().name, "mace.channel");
  EXPECT_THAT(advice.candidates.front().missed, IsEmpty());
  const auto height =
      std::ranges::find(advice.candidates, "mace.height", &Candidate::name);
  ASSERT_NE(height, advice.candidates.end());
  ASSERT_EQ(height->missed.size(), 1);
  EXPECT_EQ(height->missed[0].limit, "pixel");
  EXPECT_EQ(height->missed[0].is, 512 * 56);
  EXPECT_EQ(height->missed[0].most, 16384);
  // The rows of a Winograd transform, four at once, are one pixel in the other.
  const AdviseOptions rows{.access = {.vector_dim = "h", .vector_lanes = 4}};
  const Shape small = {{"n", 1}, {"c", 32}, {"h", 28}, {"w", 28}};
  EXPECT_EQ(one("mace.height", small, rows).facts.vectors->filled, 1);
  EXPECT_EQ(one("mace.channel", small, rows).facts.vectors->filled, 0.25);
}

}  // namespace
}  // namespace stridewise::testing
