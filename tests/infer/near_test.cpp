// Numbers that are near, quantised dumps, and dims that a table permutes.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "stridewise/catalogue.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;
using Outcome = InferReport::Outcome;

Layout layout_of(const std::string& text, const std::string& shape) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape(shape, source.dims), 4);
}

Numbers normal(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw;
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& x : numbers) x = draw(random);
  return numbers;
}

template <class Visit>
void for_each_place(const Layout& layout, Visit visit) {
  std::vector<std::int64_t> index(layout.shape().size(), 0);
  for (std::int64_t e = 0; e < layout.elements(); ++e) {
    visit(static_cast<std::size_t>(e),
          static_cast<std::size_t>(layout.offset(index)));
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < layout.shape()[d].extent) break;
      index[d] = 0;
    }
  }
}

// What a program makes of the reference that changes each number.
template <class Change>
Numbers dump_of(const Layout& layout, const Numbers& reference, Change change) {
  Numbers dump(static_cast<std::size_t>(layout.places()));
  for_each_place(layout, [&](std::size_t e, std::size_t place) {
    dump[place] = change(reference[e]);
  });
  return dump;
}

NearReport near_of(const Layout& layout, const Numbers& reference,
                   const Numbers& dump, NearOptions options) {
  options.infer.shape = layout.shape();
  options.infer.element_bytes = 4;
  const Result<NearReport> report = infer_near(reference, dump, options);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

std::string found(const NearReport& near) {
  const InferReport& report = near.report;
  return report.fits.empty() ? report.reason
                             : print(report.fits.front().layout.expression());
}

TEST(InferNear, NumbersWithinATolerance) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> off(-1e-3, 1e-3);
  for (const auto& [text, shape] :
       {std::pair{"n c/16 h w c%16", "n=2,c=40,h=6,w=5"},
        std::pair{"r/32 c/32 r%32/16 c%32/16 r%16 c%16", "r=77,c=101"},
        std::pair{"n h w c", "n=1,c=3,h=8,w=9"}}) {
    const Layout layout = layout_of(text, shape);
    const Numbers reference = normal(layout.elements(), 3);
    const Numbers dump = dump_of(
        layout, reference, [&](double x) { return x * (1 + off(random)); });
    const NearReport near =
        near_of(layout, reference, dump, {.infer = {}, .rtol = 2e-3});
    EXPECT_EQ(found(near), text);
    EXPECT_EQ(near.report.outcome, Outcome::unproven);
    EXPECT_EQ(near.report.matching, layout.elements());
    EXPECT_LT(near.equal, layout.elements() / 10);
    // A tolerance that is too small is none.
    EXPECT_EQ(near_of(layout, reference, dump, {.infer = {}, .rtol = 1e-6})
                  .report.outcome,
              Outcome::none);
  }
}

TEST(InferNear, ScalesAndZeroPointsAreFound) {
  const Layout layout = layout_of("n c/16 h w c%16", "n=2,c=40,h=6,w=5");
  const Numbers reference = normal(layout.elements(), 3);
  const NearOptions::Range range{-128, 127};
  for (const auto& pair :
       {std::pair{0.025, 0.0}, std::pair{0.031, -7.0}, std::pair{0.01, 20.0}}) {
    const double scale = pair.first;
    const double zero = pair.second;
    const Numbers dump = dump_of(layout, reference, [&](double x) {
      return std::clamp(std::nearbyint(x / scale) + zero, range.lowest,
                        range.highest);
    });
    const NearReport near =
        near_of(layout, reference, dump, {.infer = {}, .quantised = range});
    EXPECT_EQ(found(near), "n c/16 h w c%16");
    EXPECT_NEAR(near.scale / scale, 1, 0.01);
    EXPECT_EQ(near.zero_point, zero);
    EXPECT_EQ(near.report.matching, layout.elements());
  }
}

TEST(InferNear, UnrelatedNumbersFitNothing) {
  const Layout layout = layout_of("n c h w", "n=2,c=8,h=6,w=5");
  const Numbers reference = normal(layout.elements(), 3);
  const Numbers dump = normal(layout.places(), 4);
  const NearReport near =
      near_of(layout, reference, dump, {.infer = {}, .rtol = 1e-3});
  EXPECT_EQ(near.report.outcome, Outcome::none);
  EXPECT_TRUE(near.report.fits.empty());
  const Numbers rounded =
      dump_of(layout, dump, [](double x) { return std::nearbyint(x / 0.03); });
  const NearReport quantised =
      near_of(layout, reference, rounded,
              {.infer = {}, .quantised = NearOptions::Range{-128, 127}});
  EXPECT_TRUE(quantised.report.fits.empty());
}

TEST(InferNear, WhatIsNoQuestion) {
  const Numbers numbers = normal(6, 3);
  NearOptions options{
      .infer = {.shape = *parse_shape("a=2,b=3"), .element_bytes = 4},
      .rtol = -1};
  EXPECT_THAT(infer_near(numbers, numbers, options).error().message,
              HasSubstr("tolerance"));
  options.rtol = std::nan("");
  EXPECT_FALSE(infer_near(numbers, numbers, options));
  options.rtol = 0;
  EXPECT_FALSE(infer_near(std::span(numbers).first(5), numbers, options));
  EXPECT_FALSE(infer_near(numbers, {}, options));
  const Numbers none(6, std::nan(""));
  EXPECT_TRUE(infer_near(none, none, options));
  options.quantised = NearOptions::Range{0, 255};
  const Result<NearReport> found = infer_near(none, none, options);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->report.fits.empty());
  EXPECT_THAT(found->report.reason, HasSubstr("no scale"));
  options.infer.element_bytes = 0;
  EXPECT_FALSE(infer_near(numbers, numbers, options));
}

// ---------------------------------------------------------------- tables ---

TEST(InferTables, PermutedDimsAndDigits) {
  // Instrumented programs take ten times as long.
  const bool slow = std::getenv("STRIDEWISE_SLOW") != nullptr;
  for (const auto& [text, shape] :
       {std::pair{"b<3,0,4,1,2> h s d", "b=5,h=4,s=16,d=32"},
        std::pair{"b<7,2,5,0,3> h s d", "b=5,h=4,s=16,d=32"},
        std::pair{"k n/8 n%8<5,2,4,6,1,3,0,7>", "k=64,n=256"},
        std::pair{"n h w c<2,4,0,3,1>", "n=1,c=5,h=40,w=50"},
        std::pair{"n/8<2,4,0,3,1> k n%8", "k=64,n=40"}}) {
    const Layout layout = layout_of(text, shape);
    std::mt19937 random(3);
    for (const int values : {256, 1 << 30}) {
      if (slow && values == 256 && layout.elements() > 4000) continue;
      std::vector<std::int32_t> reference;
      for (std::int64_t e = 0; e < layout.elements(); ++e) {
        reference.push_back(values == 256
                                ? static_cast<std::int32_t>(random() % 256)
                                : static_cast<std::int32_t>(e + 1));
      }
      std::vector<std::int32_t> dump(static_cast<std::size_t>(layout.places()));
      for_each_place(layout, [&](std::size_t e, std::size_t place) {
        dump[place] = reference[e];
      });
      const InferPair pair{std::as_bytes(std::span(reference)),
                           std::as_bytes(std::span(dump))};
      const InferReport report =
          *infer({&pair, 1}, InferOptions{layout.shape(), 4, false});
      ASSERT_FALSE(report.fits.empty()) << text << ": " << report.reason;
      EXPECT_EQ(print(report.fits.front().layout.expression()), text);
      EXPECT_EQ(report.outcome,
                values == 256 ? Outcome::unproven : Outcome::one);
    }
  }
}

}  // namespace
}  // namespace stridewise
