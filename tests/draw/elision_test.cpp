// What pictures of large tensors leave out, and what they say about it.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "draw/axis.hpp"
#include "stridewise/draw.hpp"
#include "support/drawn.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using testing::bound;
using testing::expect_true_cells;
using ::testing::HasSubstr;
using testing::random_element_bytes;
using testing::random_shape;
using testing::random_valid_layout;

RC_GTEST_PROP(Elision, WhatIsLeftOutIsToldInNumbers, ()) {
  const Layout layout =
      random_valid_layout(random_shape(), random_element_bytes());
  RC_PRE(layout.valid());
  RC_PRE(layout.places() <= 20000);
  const DrawOptions options{
      .max_cells = *rc::gen::inRange<std::int64_t>(1, 300),
      .max_columns = *rc::gen::inRange<std::int64_t>(1, 20)};
  const Result<Picture> picture = make_picture(layout, options);
  RC_ASSERT(picture.has_value());
  const PicturePanel& panel = picture->panels[0];
  expect_true_cells(panel, layout);
  const Result<Picture> whole =
      make_picture(layout, {.grid_bytes = options.grid_bytes,
                            .max_cells = 1'000'000,
                            .max_columns = options.max_columns});
  // Shown and left out rows together are all rows, where both break rows at
  // the same cells.
  const auto total = [](const std::vector<PictureTrack>& tracks) {
    std::int64_t sum = 0;
    for (const PictureTrack& track : tracks) {
      sum += track.elided == 0 ? 1 : track.elided;
    }
    return sum;
  };
  if (layout.axes().size() == 1) {
    RC_ASSERT(total(panel.rows) == total(whole->panels[0].rows));
  }
  for (const auto* tracks : {&panel.rows, &panel.columns}) {
    for (const PictureTrack& track : *tracks) {
      if (track.elided != 0) RC_ASSERT(!track.label.empty());
    }
  }
}

TEST(Elision, TenToTheNinthElementsAreAPageOfCells) {
  for (const auto& [layout, shape] :
       {std::pair("nChw16c", "1000x1000x100x10"),
        {"nchw", "1000x1000x100x10"},
        {"mace.channel", "100x1000x100x100"},
        {"h w", "h=31623,w=31623"},
        {"w", "w=1000000007"},
        {"okk.aligned(npu_bytes=1073741824)", "10x1000x500x200"},
        {"n:30000000 c:29000 h:290 w:2", "n=100,c=1000,h=100,w=100"}}) {
    const Result<Picture> picture =
        make_picture(bound(layout, shape), {.with_logical = true});
    ASSERT_TRUE(picture.has_value()) << layout;
    EXPECT_TRUE(picture->elided()) << layout;
    EXPECT_LE(picture->cells(), 2 * 2500) << layout;
    EXPECT_GE(picture->panels[0].cells.size(), 50U) << layout;
    EXPECT_LT(to_svg(*picture).size(), 1'000'000U) << layout;
  }
}

// "12 more c, 3 h and 2 rows": these are exactly the places between the rows
// around.
RC_GTEST_PROP(Elision, WordsAboutDigitsAreExact, ()) {
  const Layout layout =
      random_valid_layout(random_shape(), random_element_bytes());
  RC_PRE(layout.valid());
  RC_PRE(layout.axes().size() == 1);
  const Picture picture = *make_picture(
      layout, {.max_cells = *rc::gen::inRange<std::int64_t>(1, 300),
               .max_columns = *rc::gen::inRange<std::int64_t>(1, 20)});
  const PicturePanel& panel = picture.panels[0];
  const auto across = static_cast<std::int64_t>(panel.columns.size());
  std::vector<std::int64_t> index(layout.shape().size());
  for (std::size_t row = 0; row < panel.rows.size(); ++row) {
    const PictureTrack& track = panel.rows[row];
    if (track.elided == 0) continue;
    // The first place of the next row, and how many are left out before it.
    const auto next = std::ranges::find(
        panel.cells, static_cast<std::int32_t>(row) + 1, &PictureCell::row);
    RC_ASSERT(next != panel.cells.end());
    bool empty = true;
    for (std::int64_t back = 1; back <= track.elided * across; ++back) {
      empty =
          empty && layout.element_at(next->offset - back, index) == Place::gap;
    }
    RC_ASSERT(empty == track.label.ends_with(" of gaps"));
    std::int64_t places = 0;
    std::istringstream words(track.label);
    std::string number;
    while (words >> number) {
      std::erase(number, ',');
      if (number == "and" || number == "more") continue;
      if (number == "of") break;
      std::string unit;
      words >> unit;
      if (unit == "more") words >> unit;
      if (unit.ends_with(',')) unit.pop_back();
      const auto term =
          std::ranges::find_if(layout.terms(), [&](const BoundTerm& one) {
            return print(draw::digit_of(layout, one)) == unit;
          });
      const bool rows = unit == "row" || unit == "rows";
      RC_ASSERT(rows || term != layout.terms().end());
      places += std::stoll(number) * (rows ? across : term->stride);
    }
    RC_ASSERT(places == track.elided * across);
  }
}

TEST(Elision, LeftOutPartsNameTheirDigit) {
  const Picture picture =
      *make_picture(bound("nchw", "64x16x16x16"), {.max_cells = 400});
  std::vector<std::string> texts;
  for (const PictureTrack& track : picture.panels[0].rows) {
    if (track.elided != 0) texts.push_back(track.label);
  }
  EXPECT_THAT(texts, ::testing::Contains("62 more n"));
  // Few cells: more than one digit between two rows.
  const Picture few =
      *make_picture(bound("nchw", "10x100x16x16"), {.max_cells = 20});
  texts.clear();
  for (const PictureTrack& track : few.panels[0].rows) {
    if (track.elided != 0) texts.push_back(track.label);
  }
  EXPECT_THAT(texts, ::testing::Contains("8 more n and 1,599 rows"));
  EXPECT_THAT(draw::grouped(1234567), "1,234,567");
  EXPECT_THAT(draw::grouped(12), "12");
}

}  // namespace
}  // namespace stridewise
