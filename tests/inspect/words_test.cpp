// Sets and orders of numbers in words.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/words.hpp"

#include <gmock/gmock.h>

#include "inspect/orders.hpp"

namespace stridewise {
namespace {

TEST(Words, Sets) {
  const auto words = [](std::initializer_list<int> in, std::size_t size) {
    std::vector<bool> set(size);
    for (const int k : in) set[static_cast<std::size_t>(k)] = true;
    return inspect::print_set("c", set);
  };
  EXPECT_EQ(words({}, 4), "");
  EXPECT_EQ(words({0, 1, 2, 3}, 4), "");
  EXPECT_EQ(words({2}, 4), "c=2");
  EXPECT_EQ(words({1, 3, 5, 7}, 8), "c odd");
  EXPECT_EQ(words({0, 2, 4, 6}, 8), "c even");
  EXPECT_EQ(words({1, 2, 5, 6, 9, 10}, 12), "c=4k+1 and 4k+2");
  EXPECT_EQ(words({3, 7, 11}, 12), "c=4k+3");
  EXPECT_EQ(words({1, 2, 9}, 12), "c=1..2 and 9");
}

// Two numbers are no progression.
TEST(Words, NoPatternOfTwo) {
  const auto words = [](std::initializer_list<int> in, std::size_t size) {
    std::vector<bool> set(size);
    for (const int k : in) set[static_cast<std::size_t>(k)] = true;
    return inspect::print_set("c", set);
  };
  EXPECT_EQ(words({2, 7}, 10), "c=2 and 7");
  EXPECT_EQ(words({1, 3}, 4), "c=1 and 3");
  EXPECT_EQ(words({1, 2, 5, 6}, 8), "c=1..2 and 5..6");
  EXPECT_EQ(words({1, 3, 5}, 6), "c odd");
}

TEST(Words, Orders) {
  const auto says = [](const std::vector<std::int64_t>& to) {
    return inspect::print_rearrangement("n", to);
  };
  constexpr std::int64_t none = inspect::held_by_none;
  EXPECT_EQ(says({0, 1, 2, 3}), "");
  EXPECT_EQ(says({none, 0, 1, 2}), "n is one late: n=1 holds n=0");
  EXPECT_EQ(says({0, 1, 2, none, 3, 4}),
            "n is one late from n=4 on: n=4 holds n=3");
  EXPECT_EQ(says({1, 2, 3, none}), "n is one early: n=0 holds n=1");
  EXPECT_EQ(says({none, none, 0, 1, 2}), "n is 2 late: n=2 holds n=0");
  EXPECT_EQ(says({none, none, none, 0}), "n=3 holds n=0");
  EXPECT_EQ(says({0, 1, 2, 0}), "n=3 holds n=0");
  EXPECT_EQ(says({none, 0, none, 2}), "n=1 holds n=0, n=3 holds n=2");
  EXPECT_EQ(says({3, 2, 1, 0}), "n is in reverse order");
  EXPECT_EQ(says({3, 1, 2, 0}), "n=0 and n=3 are swapped");
  EXPECT_EQ(says({3, 1, 2, 0, 4}), "n=0 and n=3 are swapped");
  EXPECT_EQ(says({3, 1, 2, 0, 7, 5, 6, 4}), "n=4k and 4k+3 are swapped");
  EXPECT_EQ(says({1, 2, 3, 0}), "n is rotated: n=0 holds n=1");
  EXPECT_EQ(says({1, 2, 0, none, 5, 6}),
            "n is rearranged: n=0 holds n=1, n=1 holds n=2, n=2 holds n=0, "
            "n=4 holds n=5 and so on");
}

}  // namespace
}  // namespace stridewise
