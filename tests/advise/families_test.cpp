// Families, limits, the front and prices of advise().
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "stridewise/advise.hpp"
#include "stridewise/explain.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::testing {
namespace {

using ::testing::HasSubstr;

TEST(Families, TheNearestWhereNothingFits) {
  const Shape shape = {{"n", 1}, {"c", 64}, {"h", 56}, {"w", 56}};
  const Advice advice = *advise(
      shape, 32, {.families = {"onednn"}, .chip = {.memory_bytes = 1000}});
  for (const Candidate& candidate : advice.candidates) {
    ASSERT_EQ(candidate.missed.size(), 1);
    EXPECT_GE(candidate.facts.bytes, advice.candidates.front().facts.bytes);
    EXPECT_FALSE(candidate.front);
  }
}

TEST(Families, NoOtherIsBetterThanThoseOfTheFront) {
  const Shape shape = {{"n", 2}, {"c", 17}, {"h", 5}, {"w", 4}};
  const Advice advice = *advise(shape, 32, {.access = {"c", 8}});
  ASSERT_GT(advice.candidates.size(), 10);
  EXPECT_TRUE(advice.candidates.front().front);
  const auto cost = [](const Candidate& candidate, std::size_t k) {
    return candidate.costs[k].value_or(0);
  };
  for (const Candidate& candidate : advice.candidates) {
    const bool beaten =
        std::ranges::any_of(advice.candidates, [&](const Candidate& other) {
          bool as_good = other.missed.empty();
          bool better = false;
          for (std::size_t k = 0; k < cost_count; ++k) {
            as_good = as_good && cost(other, k) <= cost(candidate, k);
            better = better || cost(other, k) < cost(candidate, k);
          }
          return as_good && better;
        });
    EXPECT_EQ(candidate.front, candidate.missed.empty() && !beaten);
  }
}

TEST(Families, LayoutsThatPutAllInTheSamePlacesAreOne) {
  const Shape shape = {{"n", 2}, {"c", 24}, {"h", 5}, {"w", 4}};
  const Advice advice = *advise(shape, 32, {});
  const auto last = std::ranges::find_if(
      advice.candidates,
      [](const Candidate& c) { return c.name == "cudnn.NHWC"; });
  ASSERT_NE(last, advice.candidates.end());
  EXPECT_THAT(last->also, ::testing::Contains("torch.channels_last"));
  EXPECT_THAT(last->also, ::testing::Contains("nhwc"));
}

TEST(Families, AFamilyOfOnesOwn) {
  const Catalogue mine = *Catalogue::read(R"(
vendor = "acme"
source = "guide"
[chip]
bank_axis = "bank"
banks = "banks"
bank_bytes = 4096
row_alignment_bytes = 64
dma_dims = 2
[params.banks]
default = 8
doc = "banks"
min = 1
[params.block]
doc = "channels side by side"
min = 1
tries = [4, 8, 16]
[[layouts]]
name = "dealt"
summary = "channels in blocks, dealt over banks"
dims = "n c h w"
expression = "bank=c/${block}%${banks} |4096B| offset=n c/${block*banks}:^64B h w c%${block}"
params = ["banks", "block"]
)",
                                          "acme.toml");
  const Shape shape = {{"n", 1}, {"c", 32}, {"h", 4}, {"w", 4}};
  const Advice advice =
      *advise(shape, 16, {.families = {"acme"}}, *catalogue().with(mine));
  ASSERT_EQ(advice.candidates.size(), 1);
  const Candidate& best = advice.candidates.front();
  EXPECT_EQ(best.name, "acme.dealt(block=4)");  // all eight banks
  EXPECT_EQ(best.chip.dma_dims, 2);
  EXPECT_EQ(best.facts.banks->used, 8);
  EXPECT_EQ(best.facts.banks->fullest_bytes, 128);
  EXPECT_TRUE(best.facts.descriptors.has_value());
}

// 32 banks of words: a column of a matrix whose rows are 64 words is in one bank alone.
TEST(Families, APlaceBetweenRowsSpreadsAColumnOverBanks) {
  const AdviseOptions options{
      .families = {"tile"},
      .access = {.vector_dim = "k", .vector_lanes = 16, .box = {{"m", 32}}},
      .chip = {.banks = 32, .bank_width_bytes = 4, .memory_bytes = 20000}};
  const Advice advice = *advise({{"m", 32}, {"k", 64}}, 32, options);
  const Candidate& best = advice.candidates.front();
  EXPECT_EQ(best.name, "m:65 k");
  EXPECT_EQ(best.facts.conflicts->worst, 1);
  EXPECT_EQ(best.facts.left_bytes, 20000 - 4 * 65 * 32);
  const auto rows =
      std::ranges::find(advice.candidates, "m k", &Candidate::name);
  ASSERT_NE(rows, advice.candidates.end());
  EXPECT_EQ(rows->facts.conflicts->worst, 32);
}

TEST(Families, WhatIsLeftOfABank) {
  const Advice advice = *advise(
      {{"n", 1}, {"c", 64}, {"h", 8}, {"w", 8}}, 32,
      {.families = {"okk.aligned(npus=4)"}, .chip = {.bank_bytes = 100000}});
  const LayoutFacts& facts = advice.candidates.front().facts;
  EXPECT_EQ(facts.left_bytes, 100000 - facts.banks->fullest_bytes);
}

TEST(Families, ALimitThatIsMisspelt) {
  const Shape shape = {{"n", 1}, {"c", 3}, {"h", 4}, {"w", 4}};
  Chip chip;
  set_limit(chip, "pixl", 4);
  const auto advice = advise(shape, 32, {.families = {"mace"}, .chip = chip});
  ASSERT_FALSE(advice);
  EXPECT_THAT(advice.error().message, HasSubstr("did you mean pixel?"));
  EXPECT_TRUE(check_axes({}, {}));
}

TEST(Families, WhatIsNoFamily) {
  const Shape shape = {{"n", 1}, {"c", 3}, {"h", 4}, {"w", 4}};
  const auto error = [&](const std::string& family) {
    const auto advice = advise(shape, 32, {.families = {family}});
    return advice ? "none" : advice.error().message;
  };
  EXPECT_THAT(error("okkk"), HasSubstr("did you mean okk?"));
  EXPECT_THAT(error("okk(npu=4)"), HasSubstr("no layout of 'okk' has"));
  EXPECT_THAT(error("okk(npus"), HasSubstr("without its ')'"));
  EXPECT_THAT(error("okk(4)"), HasSubstr("write name=value"));
  EXPECT_THAT(error("gguf"), HasSubstr("has the dims of"));
  EXPECT_FALSE(advise(shape, 32, {.access = {"x", 4}}));
}

TEST(Families, NumbersWithoutNames) {
  const Shape matrix = {{"r", 2}, {"m", 40}};
  const Shape image = {{"n", 1}, {"c", 2}, {"h", 3}, {"w", 4}};
  EXPECT_EQ(*family_shape("1x2x3x4", {}), image);
  EXPECT_EQ(*family_shape("2x40", {"okk.matrix(npus=4)"}), matrix);
  EXPECT_EQ(*family_shape("r=2,m=40", {}), matrix);
  EXPECT_THAT(family_shape("2x40", {}).error().message, HasSubstr("m k"));
  EXPECT_FALSE(family_shape("1x2x3xq", {}));
}

TEST(Families, PricesAreThoseOfThePlanner) {
  const Shape shape = {{"n", 1}, {"c", 64}, {"h", 56}, {"w", 56}};
  const Layout nchw = *bind_layout("nchw", shape, 4);
  const auto one = [&](const char* text) {
    return *assess(*resolve_layout(text), shape, 32, {.from = nchw});
  };
  const Candidate same = one("nchw");
  EXPECT_DOUBLE_EQ(*same.there->copies, 1);
  EXPECT_EQ(same.there->bytes, 2 * nchw.size_bytes());
  const Candidate other = one("nhwc");
  double cycles = 0;
  const Explanation explanation = *explain_plan(nchw, other.layout);
  for (const ExplainedNest& nest : explanation.nests) {
    cycles += nest.ways.front().cycles_per_byte *
              static_cast<double>(nest.nest.bytes);
  }
  EXPECT_DOUBLE_EQ(*other.there->cycles, cycles);
}

}  // namespace
}  // namespace stridewise::testing
