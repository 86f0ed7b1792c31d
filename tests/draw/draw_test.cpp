// Pictures against the layouts that they show: what each cell says, how many
// there are of each kind, what is left out.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/draw.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "base/utf8.hpp"
#include "draw/axis.hpp"
#include "draw/value.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::random_element_bytes;
using testing::random_shape;
using testing::random_valid_layout;

Layout bound(const std::string& text, const std::string& shape,
             std::int64_t element_bytes = 4) {
  const Result<LayoutSource> source = resolve_layout(text);
  EXPECT_TRUE(source.has_value()) << text;
  const Result<Layout> layout =
      source->bind(*parse_shape(shape, source->dims), element_bytes);
  EXPECT_TRUE(layout.has_value()) << text << ' ' << shape;
  return layout.value();
}

// Every cell says what element_at says, and none stands on another.
void expect_true_cells(const PicturePanel& panel, const Layout& layout) {
  std::vector<std::int64_t> index(layout.shape().size());
  std::set<std::pair<int, int>> taken;
  std::set<std::int64_t> places;
  for (const PictureCell& cell : panel.cells) {
    ASSERT_GE(cell.offset, 0);
    ASSERT_LT(cell.offset, layout.places());
    const Place kind = layout.element_at(cell.offset, index);
    ASSERT_EQ(cell.kind, kind);
    if (kind == Place::element) {
      ASSERT_EQ(cell.index, index);
      std::vector<std::int64_t> at(layout.axes().size());
      layout.coordinates_of(index, at);
      ASSERT_EQ(cell.coords, at);
    } else {
      ASSERT_TRUE(cell.index.empty());
      ASSERT_EQ(cell.colour, -1);
    }
    ASSERT_TRUE(taken.insert({cell.row, cell.column}).second);
    ASSERT_TRUE(places.insert(cell.offset).second);
    ASSERT_EQ(panel.rows.at(static_cast<std::size_t>(cell.row)).elided, 0);
    ASSERT_EQ(panel.columns.at(static_cast<std::size_t>(cell.column)).elided,
              0);
  }
}

std::tuple<std::int64_t, std::int64_t, std::int64_t> counted(
    const Layout& layout) {
  std::vector<std::int64_t> index(layout.shape().size());
  std::map<Place, std::int64_t> count;
  for (std::int64_t at = 0; at < layout.places(); ++at) {
    ++count[layout.element_at(at, index)];
  }
  return {count[Place::element], count[Place::padding], count[Place::gap]};
}

RC_GTEST_PROP(Draw, EveryCellIsWhatItsPlaceHolds, ()) {
  const Layout layout =
      random_valid_layout(random_shape(), random_element_bytes());
  RC_PRE(layout.valid());
  RC_PRE(layout.places() <= 20000);
  DrawOptions options{.max_cells = 1'000'000, .max_columns = 100'000};
  options.with_logical = *rc::gen::arbitrary<bool>();
  const Result<Picture> picture = make_picture(layout, options);
  RC_ASSERT(picture.has_value());
  const PicturePanel& panel = picture->panels[0];
  for (std::size_t k = 0; k < picture->panels.size(); ++k) {
    expect_true_cells(picture->panels[k], picture->layouts[k]);
  }
  // All elements are there, and the counts are those of all places.
  const auto elements =
      std::ranges::count(panel.cells, Place::element, &PictureCell::kind);
  RC_ASSERT(elements == layout.elements());
  RC_ASSERT(panel.told_apart);
  RC_ASSERT(counted(layout) ==
            std::tuple(panel.elements, panel.padding, panel.gaps));
}

RC_GTEST_PROP(Draw, WhatIsLeftOutIsToldInNumbers, ()) {
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

TEST(Draw, MemoryIsDrawnByItsAxes) {
  const auto drawn = [](const Layout& layout) {
    return make_picture(layout)->panels[0];
  };
  // One axis: rows of 64 bytes.
  const PicturePanel rows = drawn(bound("nchw", "2x3x5x4"));
  EXPECT_EQ(rows.columns.size(), 16U);
  EXPECT_EQ(rows.rows[1].label, "64");
  // Few steps of the last of three axes: lanes below each other.
  const PicturePanel image = drawn(bound("mace.channel", "2x7x3x4"));
  EXPECT_EQ(image.rows.size(), 2U * 3 * 4);
  EXPECT_EQ(image.columns.size(), 2U * 4);
  EXPECT_EQ(image.row_bands.back()[1].text, "row 1");
  // Two axes: a column of cells for each step of the first.
  const PicturePanel banks =
      drawn(bound("okk.aligned(npus=4,npu_bytes=1024,start=2)", "2x3x4x5"));
  ASSERT_EQ(banks.column_bands.size(), 1U);
  ASSERT_EQ(banks.column_bands[0].size(), 4U);
  EXPECT_EQ(banks.column_bands[0][2].text, "npu 2");
  EXPECT_EQ(banks.columns.size(), 4U * 4);  // 4 divides 32, and all fits
  EXPECT_EQ(banks.rows.size(), 128U / 4);
  // Any of these can be asked for.
  EXPECT_EQ(
      make_picture(bound("mace.channel", "2x7x3x4"), {.view = DrawView::rows})
          ->panels[0]
          .columns.size(),
      16U);
}

TEST(Draw, ATensorWithoutElementsIsAnEmptyPicture) {
  const Layout layout = bound("nchw", "0x3x5x4");
  const Result<Picture> picture = make_picture(layout, {.with_logical = true});
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->cells(), 0);
  EXPECT_THAT(to_svg(*picture), HasSubstr("no places"));
  EXPECT_THAT(to_terminal(*picture, {}), HasSubstr("no places"));
  EXPECT_THAT(to_html(*picture), HasSubstr("</html>"));
}

TEST(Draw, RefusesWhatDoesNotFit) {
  const Layout layout = bound("nchw", "2x3x5x4");
  const auto error = [&](const DrawOptions& options) {
    const Result<Picture> picture = make_picture(layout, options);
    return picture ? std::string("none") : picture.error().message;
  };
  EXPECT_THAT(error({.colour = "x"}), HasSubstr("dim 'x'"));
  EXPECT_THAT(error({.colour = "c h"}), HasSubstr("not one dim"));
  EXPECT_THAT(error({.view = DrawView::banks}), HasSubstr("one axis"));
  EXPECT_THAT(error({.grid_bytes = 6}), HasSubstr("whole elements"));
  EXPECT_THAT(error({.grid_bytes = 1 << 20}), HasSubstr("grid"));
  EXPECT_THAT(error({.grid_bytes = -4}), HasSubstr("grid"));
  EXPECT_THAT(error({.max_cells = 0}), HasSubstr("0 cells"));
  EXPECT_THAT(error({.logical = "n c h w"}), HasSubstr("two axes"));
  EXPECT_THAT(error({.logical = "n c | h"}), HasSubstr("not covered"));
  EXPECT_THAT(error({.marks = {{"A", 480}}}), HasSubstr("byte 480"));
  EXPECT_THAT(error({.to = bound("nchw", "2x3x5x5")}), Not(HasSubstr("none")));
  const std::vector<std::byte> few(8);
  EXPECT_THAT(error({.data = DrawData{*parse_element_type("f32"), few}}),
              HasSubstr("8 bytes"));
  EXPECT_FALSE(make_picture(bound("n c%2 h w", "n=1,c=5,h=1,w=1")).has_value());
}

TEST(Draw, ColoursStandForADigit) {
  const Layout layout = bound("nChw8c", "1x17x2x2");
  const Picture picture = *make_picture(layout, {.colour = "c/8"});
  EXPECT_EQ(picture.colours.size(), 3U);
  for (const PictureCell& cell : picture.panels[0].cells) {
    if (cell.kind != Place::element) continue;
    EXPECT_EQ(cell.colour, cell.index[1] / 8);
  }
  // Beyond the distinct ones a scale, whose ends are its own.
  const Picture scale = *make_picture(layout, {.colour = "c"});
  EXPECT_TRUE(scale.ordered_colours);
  EXPECT_EQ(scale.colours.size(), 17U);
  EXPECT_TRUE(make_picture(layout, {.colour = "none"})->colours.empty());
}

// WCAG 2: 4.5 for text, of any fill in use.
TEST(Draw, TextStandsOutFromItsCell) {
  const auto luminance = [](std::uint32_t colour) {
    const auto part = [&](unsigned shift) {
      const double c = static_cast<double>((colour >> shift) & 0xffU) / 255;
      return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
  };
  const auto contrast = [&](std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
  };
  for (const char* extent : {"w=2", "w=8", "w=9", "w=32", "w=100"}) {
    const Picture picture = *make_picture(bound("w", extent));
    for (const PictureColour& colour : picture.colours) {
      EXPECT_GE(contrast(colour.fill, colour.text), 4.5) << extent;
      EXPECT_GE(contrast(colour.dark_fill, colour.dark_text), 4.5) << extent;
    }
  }
}

TEST(Draw, BlocksBeginWhereInnerDigitsBegin) {
  const auto block = [](const char* layout, const char* shape) {
    return make_picture(bound(layout, shape))->panels[0].block;
  };
  EXPECT_EQ(block("nChw16c", "2x17x5x4"), "c%16");
  EXPECT_EQ(block("OIhw4i16o4i", "32x32x1x1"), "i%16/4 o%16 i%4");
  EXPECT_EQ(block("nchw", "2x3x5x4"), "w");
  EXPECT_EQ(block("okk.compact(npus=4)", "2x5x3x4"), "h w");
  EXPECT_EQ(block("mace.channel", "1x8x2x2"), "c%4");
  const PicturePanel panel =
      make_picture(bound("nChw8c", "1x17x1x2"))->panels[0];
  for (const PictureCell& cell : panel.cells) {
    EXPECT_EQ(cell.block, cell.offset / 8 * 8);
  }
}

TEST(Draw, TheWalkJumpsWhereDigitsStep) {
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

TEST(Draw, TheWalkBeginsAtTheFirstElement) {
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

RC_GTEST_PROP(Draw, AJumpIsOneStepOfMemoryOrder, ()) {
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

TEST(Draw, WhereDigitsInterleaveNoJumpIsMarked) {
  const Picture picture =
      *make_picture(bound("a:2 b:3", "a=3,b=2"), {.walk = "j"});
  EXPECT_TRUE(picture.panels[0].jumps.empty());
  EXPECT_THAT(to_svg(picture), HasSubstr("digits interleave"));
  EXPECT_THAT(to_terminal(picture, {}), HasSubstr("digits interleave"));
}

TEST(Draw, AConversionOutlinesOneTileInBothMemories) {
  const Layout src = bound("nchw", "n=1,c=40,h=6,w=6");
  const Layout dst = bound("nhwc", "n=1,c=40,h=6,w=6");
  const Picture picture = *make_picture(src, {.max_cells = 5000, .to = dst});
  ASSERT_EQ(picture.panels.size(), 2U);
  std::array<std::set<std::vector<std::int64_t>>, 2> moved;
  for (std::size_t k = 0; k < 2; ++k) {
    expect_true_cells(picture.panels[k], picture.layouts[k]);
    for (const PictureCell& cell : picture.panels[k].cells) {
      if (cell.in_tile) moved[k].insert(cell.index);
    }
  }
  EXPECT_FALSE(moved[0].empty());
  EXPECT_EQ(moved[0], moved[1]);
  EXPECT_FALSE(picture.kernel.empty());
}

TEST(Draw, DataFillsCellsAndFindsPaddingThatIsNotZero) {
  const Layout layout = bound("nChw8c", "1x9x1x2");
  std::vector<float> memory(32, 0);
  for (std::int64_t c = 0; c < 9; ++c) {
    for (std::int64_t w = 0; w < 2; ++w) {
      const std::vector<std::int64_t> x = {0, c, 0, w};
      memory[static_cast<std::size_t>(layout.offset(x))] =
          static_cast<float>(c) + static_cast<float>(w) / 2;
    }
  }
  memory[31] = -7;  // c=15: padding
  const DrawData data{*parse_element_type("f32"),
                      std::as_bytes(std::span(memory))};
  const Picture picture =
      *make_picture(layout, {.label = DrawLabel::value, .data = data});
  const PicturePanel& panel = picture.panels[0];
  EXPECT_EQ(panel.nonzero_padding, 1);
  EXPECT_TRUE(panel.searched);
  EXPECT_TRUE(panel.cells[31].nonzero);
  EXPECT_EQ(panel.cells[31].label, "-7");
  EXPECT_EQ(panel.cells[1].label, "1");
  EXPECT_EQ(panel.cells[8].label, "0.5");
  EXPECT_THAT(to_svg(picture), HasSubstr("class=\"wrong\""));
  // Also where the picture leaves it out.
  const Layout large = bound("nChw8c", "64x9x1x2");
  std::vector<float> more(64 * 32, 0);
  more[32 * 30 + 31] = 1;
  const Picture some = *make_picture(
      large, {.max_cells = 100,
              .data = DrawData{data.type, std::as_bytes(std::span(more))}});
  EXPECT_TRUE(some.elided());
  EXPECT_EQ(some.panels[0].nonzero_padding, 1);
}

TEST(Draw, ValuesOfEveryTypeAreShort) {
  const auto printed = [](const char* type, auto value, bool big = false) {
    return draw::print_value(*parse_element_type(type),
                             std::as_bytes(std::span(&value, 1)), big);
  };
  EXPECT_EQ(printed("f32", 0.1F), "0.1");
  EXPECT_EQ(printed("f64", -1234567.0), "-1.235e+06");
  EXPECT_EQ(printed("f16", std::uint16_t{0x3c00}), "1");
  EXPECT_EQ(printed("f16", std::uint16_t{0xc101}), "-2.502");
  EXPECT_EQ(printed("f16", std::uint16_t{0x0001}), "5.96e-08");
  EXPECT_EQ(printed("f16", std::uint16_t{0x7c00}), "inf");
  EXPECT_EQ(printed("bf16", std::uint16_t{0x4049}), "3.141");
  EXPECT_EQ(printed("s8", std::int8_t{-5}), "-5");
  EXPECT_EQ(printed("u8", std::uint8_t{200}), "200");
  EXPECT_EQ(printed("s16", std::int16_t{-300}), "-300");
  EXPECT_EQ(printed("s32", std::int32_t{1} << 24, true), "1");
  EXPECT_EQ(printed("u64", ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(printed("bool", std::uint8_t{1}), "1");
  EXPECT_EQ(printed("c64", std::array{1.5F, -2.0F}), "1.5-2i");
}

TEST(Draw, TenToTheNinthElementsAreAPageOfCells) {
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
RC_GTEST_PROP(Draw, WordsAboutDigitsAreExact, ()) {
  const Layout layout =
      random_valid_layout(random_shape(), random_element_bytes());
  RC_PRE(layout.valid());
  RC_PRE(layout.axes().size() == 1);
  const Picture picture = *make_picture(
      layout, {.max_cells = *rc::gen::inRange<std::int64_t>(1, 300),
               .max_columns = *rc::gen::inRange<std::int64_t>(1, 20)});
  const PicturePanel& panel = picture.panels[0];
  const auto across = static_cast<std::int64_t>(panel.columns.size());
  for (const PictureTrack& track : panel.rows) {
    if (track.elided == 0) continue;
    std::int64_t places = 0;
    std::istringstream words(track.label);
    std::string number;
    while (words >> number) {
      std::erase(number, ',');
      if (number == "and" || number == "more") continue;
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

TEST(Draw, LeftOutPartsNameTheirDigit) {
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

// Cells in a text with colours: each has a sign of its own.
std::int64_t printed_cells(const std::string& text) {
  const std::string body = text.substr(0, text.find("colour: "));
  std::int64_t count = 0;
  for (const char* sign :
       {"\x1b[48;5;", "\x1b[2m", "\x1b[41;97;1m", "\u00b7"}) {
    for (std::size_t at = body.find(sign); at != std::string::npos;
         at = body.find(sign, at + 1)) {
      ++count;
    }
  }
  return count;
}

TEST(Draw, TheTerminalShowsWhatThePictureTells) {
  for (const auto& [layout, shape] :
       {std::pair("nChw16c", "2x17x5x4"),
        {"nchw", "2x3x5x40"},
        {"mace.channel", "2x17x5x4"},
        {"row=n h | column=c w", "n=2,c=17,h=5,w=4"},
        {"okk.aligned(npus=64)", "2x70x3x3"},
        {"h:8 w", "h=3,w=5"},
        {"n:120 c:30 h:8 w", "n=2,c=3,h=3,w=5"}}) {
    for (const std::int32_t width : {20, 32, 40, 60, 80, 200}) {
      for (const std::int64_t grid : {0, 64, 256}) {
        const TerminalStyle style{
            .width = width, .colours = true, .unicode = true};
        const DrawOptions options{.colour = "w",
                                  .grid_bytes = grid,
                                  .with_logical = true,
                                  .walk = "a"};
        const Layout drawn = bound(layout, shape);
        const Picture picture = *make_terminal_picture(drawn, options, style);
        const std::string text = to_terminal(picture, style);
        EXPECT_EQ(printed_cells(text), picture.cells())
            << layout << ' ' << width << ' ' << grid;
        EXPECT_EQ(text.find("left out") != std::string::npos, picture.elided());
        for (const PicturePanel& panel : picture.panels) {
          EXPECT_FALSE(panel.cells.empty());
          expect_true_cells(panel, picture.layouts[panel.logical ? 1U : 0U]);
        }
        // Any picture: what does not fit is told.
        const Picture whole = *make_picture(drawn, options);
        const std::string cut = to_terminal(whole, style);
        EXPECT_LE(printed_cells(cut), whole.cells());
        if (printed_cells(cut) < whole.cells()) {
          EXPECT_THAT(cut, HasSubstr(" more column"));
        }
      }
    }
  }
}

TEST(Draw, NarrowBanksKeepTheirNumbers) {
  const std::string text =
      *draw_terminal(bound("npu=c%16 | n c/16", "n=2,c=32"),
                     {.label = DrawLabel::offset}, {.width = 80});
  // The word once, and a number above each column.
  EXPECT_THAT(text, HasSubstr("\n npu 0 "));
  EXPECT_THAT(text, HasSubstr(" 15\n"));
}

TEST(Draw, PlainTextNamesTheTile) {
  const std::string text = *draw_terminal(
      bound("nchw", "n=1,c=8,h=2,w=2"),
      {.label = DrawLabel::offset, .to = bound("nhwc", "n=1,c=8,h=2,w=2")},
      {.width = 80});
  EXPECT_THAT(text, HasSubstr("[ ] moved by one call of "));
  EXPECT_THAT(text, HasSubstr("[0]"));
}

TEST(Draw, TheTerminalIsNotOverrun) {
  for (const std::int32_t width : {20, 32, 40, 80, 200}) {
    for (const bool unicode : {false, true}) {
      for (const char* layout : {"nChw16c", "mace.channel", "okk.aligned"}) {
        const TerminalStyle style{.width = width, .unicode = unicode};
        const std::string text =
            *draw_terminal(bound(layout, "2x17x5x4"), {}, style);
        std::size_t at = 0;
        while (at < text.size()) {
          const std::size_t end = text.find('\n', at);
          const auto columns = std::count_if(
              text.begin() + static_cast<std::ptrdiff_t>(at),
              text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
                return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
              });
          EXPECT_LE(columns, width) << layout << '\n' << text;
          at = end + 1;
        }
        if (!unicode) {
          EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
            return static_cast<unsigned char>(c) < 0x80;
          }));
        }
        EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      }
    }
  }
}

TEST(Draw, TextsCannotBreakADocument) {
  const Layout layout = bound("nchw", "1x2x2x2");
  const Picture picture =
      *make_picture(layout, {.with_logical = true,
                             .walk = "<\"&\\",
                             .marks = {{"</svg><script>", 0}},
                             .title = "</title><script>alert(1)</script>\x01"
                                      "\xff\x1b[31m\xc2\x9b"});
  for (const std::string& text : {to_svg(picture), to_html(picture)}) {
    EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(text, Not(HasSubstr("</svg><script>")));
    EXPECT_THAT(text, Not(HasSubstr("\x01")));
  }
}

TEST(Draw, TextsOfOthersAreShownAndDoNothing) {
  EXPECT_EQ(printable("plain, \u00e4\u4e2d\U0001f600"),
            "plain, \u00e4\u4e2d\U0001f600");
  EXPECT_EQ(printable("a\tb\nc"), "a b c");
  // Controls of both sets, and what turns text around.
  EXPECT_EQ(printable("\x1b[31m\x7f\xc2\x9b\u202e"),
            "\ufffd[31m\ufffd\ufffd\ufffd");
  // Bytes alone, too long forms, surrogates, what is cut.
  EXPECT_EQ(printable("\xff\xc0\xaf"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(printable("\xf0\x9f\x98"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(columns_of("a\u00e4\u4e2de\u0301"), 5U);
  EXPECT_EQ(first_columns("\u4e2d\u4e2d", 3), "\u4e2d");
  const Picture picture =
      *make_picture(bound("nchw", "1x2x2x2"), {.walk = "w\x1b",
                                               .marks = {{"m\xff\x1b", 0}},
                                               .title = "t\xfe\x1b]0;x\x07",
                                               .type_name = "f\x9b"});
  for (const std::string& text :
       {to_svg(picture), to_html(picture),
        to_terminal(picture, {.unicode = true}), to_terminal(picture, {})}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x07")));
    std::string lines = text;
    std::ranges::replace(lines, '\n', ' ');
    EXPECT_EQ(printable(lines), lines);  // valid, and nothing to replace
  }
}

TEST(Draw, OneColourForAllIsSaid) {
  const Layout layout = bound("nChw8c", "1x8x1x2");
  const Picture picture = *make_picture(layout, {.colour = "c/8"});
  EXPECT_THAT(to_svg(picture), HasSubstr("0 everywhere"));
  // Nobody asked for it.
  EXPECT_TRUE(make_picture(bound("w", "w=1"))->colours.empty());
}

}  // namespace
}  // namespace stridewise
