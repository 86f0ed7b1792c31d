// The cache gives what Plan::make gives, keeps no more than it may, and bears
// several threads.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/plan_cache.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "support/values.hpp"

namespace stridewise {
namespace {

Layout layout(const char* text, std::int64_t channels, std::int64_t bytes = 4) {
  const Shape shape = {{"n", 2}, {"c", channels}, {"h", 5}, {"w", 4}};
  return resolve_layout(text)->bind(shape, bytes).value();
}

TEST(PlanCache, GivesWhatPlanMakeGives) {
  PlanCache cache;
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t channels : {16, 17, 67}) {
      const Layout src = layout("nchw", channels);
      const Layout dst = layout("nChw16c", channels);
      EXPECT_EQ(*cache.get(src, dst), *Plan::make(src, dst));
    }
    EXPECT_EQ(cache.size(), 3U);
  }
}

TEST(PlanCache, TellsApartWhatDiffers) {
  PlanCache cache;
  const Layout src = layout("nchw", 17);
  const Layout dst = layout("nChw16c", 17);
  const Layout bytes = layout("nChw16c", 17, 1);
  const auto quantised = [](float scale) {
    return PlanOptions{.values = testing::values_of("f32", "s8", {scale, 0})};
  };
  EXPECT_EQ(*cache.get(src, dst, {.fill = Fill::keep}),
            *Plan::make(src, dst, Fill::keep));
  EXPECT_EQ(*cache.get(src, dst), *Plan::make(src, dst));
  EXPECT_EQ(*cache.get(dst, src), *Plan::make(dst, src));
  EXPECT_EQ(*cache.get(src, bytes, quantised(0.5F)),
            *Plan::make(src, bytes, quantised(0.5F)));
  EXPECT_EQ(*cache.get(src, bytes, quantised(0.25F)),
            *Plan::make(src, bytes, quantised(0.25F)));
  EXPECT_EQ(cache.size(), 5U);
  // More than plain digits.
  const Layout twisted = layout("n c^h%2 h w", 16);
  EXPECT_EQ(*cache.get(layout("nchw", 16), twisted),
            *Plan::make(layout("nchw", 16), twisted));
  EXPECT_EQ(cache.size(), 6U);
}

TEST(PlanCache, DropsWhatWasUsedLongestAgo) {
  PlanCache cache(2);
  const auto get = [&](std::int64_t channels) {
    ASSERT_TRUE(cache.get(layout("nchw", channels), layout("nhwc", channels)));
    ASSERT_LE(cache.size(), 2U);
  };
  for (const std::int64_t channels : {1, 2, 1, 3, 1, 4, 5, 1}) get(channels);
  EXPECT_EQ(cache.size(), 2U);
  cache.clear();
  EXPECT_EQ(cache.size(), 0U);
  PlanCache none(0);
  EXPECT_TRUE(none.get(layout("nchw", 3), layout("nhwc", 3)));
  EXPECT_EQ(none.size(), 0U);
}

TEST(PlanCache, PassesErrorsOn) {
  PlanCache cache;
  EXPECT_FALSE(cache.get(layout("nchw", 3), layout("nhwc", 4)));
  EXPECT_EQ(cache.size(), 0U);
}

TEST(PlanCache, BearsThreads) {
  PlanCache cache(3);
  const auto work = [&cache] {
    for (std::int64_t k = 0; k < 200; ++k) {
      const Layout src = layout("nchw", 1 + k % 5);
      const Layout dst = layout("nhwc", 1 + k % 5);
      const Plan plan = *cache.get(src, dst);
      ASSERT_EQ(plan.src_bytes(), src.size_bytes());
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.size(), 3U);
}

}  // namespace
}  // namespace stridewise
