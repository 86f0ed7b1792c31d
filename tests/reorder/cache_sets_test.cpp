// How many lines of rows or columns share a set of the L1 cache.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/cache_sets.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "support/generators.hpp"

namespace stridewise::detail {
namespace {

using testing::in_range;

// The same by a table of sets: 64 of lines of 64 bytes.
std::int64_t most_in_a_set(const std::vector<std::int64_t>& begins) {
  std::map<std::int64_t, std::int64_t> lines;
  std::int64_t most = 0;
  for (const std::int64_t at : begins) {
    most = std::max(most, ++lines[at / 64 % 64]);
  }
  return most;
}

TEST(CacheSets, PowersOfTwoShareSets) {
  EXPECT_EQ(lines_per_set({{}, 64}, 64), 1);
  EXPECT_EQ(lines_per_set({{}, 1024}, 64), 16);
  EXPECT_EQ(lines_per_set({{}, 4096}, 64), 64);
  EXPECT_EQ(lines_per_set({{}, 4096 + 64}, 64), 1);
  EXPECT_EQ(lines_that_fit({{}, 4096}, 64, 8), 8);
  EXPECT_EQ(lines_that_fit({{}, 1024}, 64, 8), 32);
  EXPECT_EQ(lines_that_fit({{}, 64}, 64, 8), 64);
}

TEST(CacheSets, NegativeStridesAreAsFarApart) {
  EXPECT_EQ(lines_per_set({{}, -4096}, 16), 16);
  EXPECT_EQ(lines_per_set({{}, -64}, 64), 1);
}

RC_GTEST_PROP(CacheSets, AgreeWithCounting, ()) {
  const auto count = in_range(1, 200);
  const std::int64_t unit = in_range(0, 1) == 1 ? 64 : 1;
  const auto stride = in_range(0, 20000 / unit) * unit;
  const auto ways = static_cast<int>(in_range(1, 20));
  const auto table = in_range(0, 1) == 1;
  std::vector<std::int64_t> begins;
  for (std::int64_t k = 0; k < count; ++k) {
    begins.push_back(table ? in_range(0, 100000) : k * stride);
  }
  const Lines lines = table ? Lines{begins, 0} : Lines{{}, stride};
  RC_ASSERT(lines_per_set(lines, count) == most_in_a_set(begins));
  const std::int64_t fit = lines_that_fit(lines, count, ways);
  const auto first = [&](std::int64_t some) {
    return std::vector(begins.begin(), begins.begin() + some);
  };
  RC_ASSERT(most_in_a_set(first(fit)) <= ways);
  if (fit < count) RC_ASSERT(most_in_a_set(first(fit + 1)) > ways);
}

}  // namespace
}  // namespace stridewise::detail
