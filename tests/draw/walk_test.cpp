// The walk through memory order.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stridewise/draw.hpp"
#include "support/drawn.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using testing::bound;
using ::testing::HasSubstr;
using testing::random_element_bytes;
using testing::random_shape;
using testing::random_valid_layout;

TEST(Walk, TheWalkJumpsWhereDigitsStep) {
  const Layout layout = bound("nchw", "n=2,c=3,h=5,w=4");
  const Picture picture =
      *make_picture(layout, {.with_logical = true, .walk = "a"});
  EXPECT_EQ(picture.walk_steps, (std::vector<std::string>{"w", "h", "c", "n"}));
  const PicturePanel& memory = picture.panels[0];
  ASSERT_EQ(memory.jumps.size(), 4U);
  const auto offsets = [&](std::size_t k) {
    return std::pair(memory.cells[memory.jumps[k].from].offset,
                     memory.cells[memory.jumps[k].to].offset);
  };
  EXPECT_EQ(offsets(0), std::pair(std::int64_t{0}, std::int64_t{3}));
  EXPECT_EQ(offsets(1), std::pair(std::int64_t{3}, std::int64_t{4}));
  EXPECT_EQ(offsets(2), std::pair(std::int64_t{19}, std::int64_t{20}));
  EXPECT_EQ(offsets(3), std::pair(std::int64_t{59}, std::int64_t{60}));
  const PicturePanel& logical = picture.panels[1];
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(logical.cells[logical.jumps[k].to].index,
              memory.cells[memory.jumps[k].to].index);
  }
}

TEST(Walk, TheWalkBeginsAtTheFirstElement) {
  // Channel 0 lies in npu 2: the first places are padding.
  const Layout layout = bound("npu=(c+2)%4 | n (c+2)/4 h w", "n=2,c=3,h=2,w=2");
  const Picture picture = *make_picture(layout, {.walk = "a"});
  const PicturePanel& panel = picture.panels[0];
  EXPECT_EQ(picture.walk_steps,
            (std::vector<std::string>{"w", "h", "(c+2)/4", "n", "(c+2)%4"}));
  std::vector<std::string> names;
  for (const PictureJump& jump : panel.jumps) names.push_back(jump.name);
  // (c+2)/4 is 1 there, its last value: it does not step.
  EXPECT_EQ(names, (std::vector<std::string>{"a:0", "a:1", "a:3", "a:4"}));
  EXPECT_EQ(panel.cells[panel.jumps[0].from].index,
            (std::vector<std::int64_t>{0, 2, 0, 0}));
  EXPECT_EQ(panel.cells[panel.jumps[2].to].index,
            (std::vector<std::int64_t>{1, 2, 0, 0}));
  EXPECT_EQ(panel.cells[panel.jumps[3].to].index,
            (std::vector<std::int64_t>{0, 0, 0, 0}));
}

RC_GTEST_PROP(Walk, AJumpIsOneStepOfMemoryOrder, ()) {
  const Layout layout =
      random_valid_layout(random_shape(), random_element_bytes());
  RC_PRE(layout.valid());
  RC_PRE(layout.places() <= 20000 && layout.elements() > 0);
  const Picture picture = *make_picture(
      layout, {.max_cells = 1'000'000, .max_columns = 100'000, .walk = "a"});
  const PicturePanel& panel = picture.panels[0];
  std::set<std::int64_t> elements;
  for (const PictureCell& cell : panel.cells) {
    if (cell.kind == Place::element) elements.insert(cell.offset);
  }
  for (const PictureJump& jump : panel.jumps) {
    const std::int64_t from = panel.cells[jump.from].offset;
    const std::int64_t to = panel.cells[jump.to].offset;
    if (jump.name == "a:0") {
      RC_ASSERT(from == *elements.begin());
    } else {
      RC_ASSERT(*elements.upper_bound(from) == to);
    }
  }
}

TEST(Walk, WhereDigitsInterleaveNoJumpIsMarked) {
  const Picture picture =
      *make_picture(bound("a:2 b:3", "a=3,b=2"), {.walk = "j"});
  EXPECT_TRUE(picture.panels[0].jumps.empty());
  EXPECT_THAT(to_svg(picture), HasSubstr("digits interleave"));
  EXPECT_THAT(to_terminal(picture, {}), HasSubstr("digits interleave"));
}

}  // namespace
}  // namespace stridewise
