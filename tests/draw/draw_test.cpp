// Pictures against the layouts that they show: what each cell says, and how many
// there are of each kind.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/draw.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "draw/value.hpp"
#include "support/drawn.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using testing::bound;
using testing::expect_true_cells;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::random_element_bytes;
using testing::random_shape;
using testing::random_valid_layout;

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
  // Of the gap after the last element, the ends are drawn.
  ASSERT_EQ(banks.rows.size(), (96U + 20) / 4 + 3);
  EXPECT_EQ(banks.rows[30].label, "33 more rows of gaps");
  EXPECT_EQ(banks.rows[31].label, "1008");
  // Any of these can be asked for.
  EXPECT_EQ(
      make_picture(bound("mace.channel", "2x7x3x4"), {.view = DrawView::rows})
          ->panels[0]
          .columns.size(),
      16U);
}

// Each place once, in every view.
TEST(Draw, GapsOfPitchesAreDrawnAndCounted) {
  for (const auto& [layout, shape, gaps] :
       {std::tuple("h |64B| w c", "h=3,w=4,c=3", 3 * 4),
        {"h |^64B| w c", "h=3,w=5,c=5", 3 * 7},
        {"n |256B| h |96B| w", "n=2,h=2,w=20", 2 * (64 - 2 * 20)},
        {"row=h |^64B| pixel=w | lane=c", "h=3,w=3,c=3", 3 * (16 - 9)},
        {"row=h | pixel=w |16B| lane=c", "h=3,w=3,c=3", 9},
        {"row=h |80B| pixel=w |32B| lane=c", "h=2,w=2,c=3", 2 * (20 - 6)}}) {
    for (const DrawView view : {DrawView::automatic, DrawView::rows,
                                DrawView::image, DrawView::banks}) {
      const Layout drawn = bound(layout, shape);
      const Picture picture = *make_picture(drawn, {.view = view});
      const PicturePanel& panel = picture.panels[0];
      EXPECT_FALSE(picture.elided()) << layout;
      EXPECT_EQ(panel.gaps, gaps) << layout;
      EXPECT_EQ(std::ranges::count(panel.cells, Place::gap, &PictureCell::kind),
                gaps)
          << layout << ' ' << static_cast<int>(view);
      std::set<std::int64_t> places;
      for (const PictureCell& cell : panel.cells) places.insert(cell.offset);
      EXPECT_EQ(std::ssize(places), drawn.places()) << layout;
      EXPECT_EQ(places.size(), panel.cells.size()) << layout;
      expect_true_cells(panel, drawn);
    }
  }
}

TEST(Draw, AGridIsForRowsAndBanks) {
  const DrawOptions grid{.grid_bytes = 16};
  EXPECT_EQ(make_picture(bound("h |64B| w c", "h=3,w=4,c=3"), grid)
                ->panels[0]
                .columns.size(),
            3U * 4);
  const Layout image = bound("mace.channel", "2x7x3x4");
  ASSERT_FALSE(make_picture(image, grid).has_value());
  EXPECT_THAT(make_picture(image, grid).error().message,
              HasSubstr("for rows and banks"));
  // One of two memories takes it.
  DrawOptions both = grid;
  both.to = bound("nchw", "2x7x3x4");
  const Picture picture = *make_picture(image, both);
  EXPECT_EQ(picture.panels[1].columns.size(), 4U);
}

TEST(Draw, ASmallTensorIsDrawnWhole) {
  for (const auto& [layout, shape] : {std::pair("nchw", "1x11x3x4"),
                                      {"nchw", "2x24x3x4"},
                                      {"w", "w=300"},
                                      {"c w", "c=3,w=90"},
                                      {"h c", "h=2,c=100"},
                                      {"a b c d e", "a=2,b=3,c=4,d=3,e=5"}}) {
    for (const std::int64_t columns : {0, 1, 3, 10, 30}) {
      const Layout drawn = bound(layout, shape);
      const Picture picture =
          *make_picture(drawn, {.max_columns = columns, .with_logical = true});
      const PicturePanel& logical = picture.panels[1];
      EXPECT_EQ(std::ssize(logical.cells), drawn.elements()) << layout;
      EXPECT_LE(std::ssize(logical.columns), columns == 0 ? 120 : columns);
      std::set<std::vector<std::int64_t>> indices;
      for (const PictureCell& cell : logical.cells) indices.insert(cell.index);
      EXPECT_EQ(indices.size(), logical.cells.size());
      expect_true_cells(logical, picture.layouts[1]);
    }
  }
  // Planes that go on below are named there.
  const Picture picture = *make_picture(
      bound("nchw", "1x11x3x4"), {.max_columns = 16, .with_logical = true});
  const std::vector<PictureBand>& bands = picture.panels[1].column_bands[0];
  ASSERT_EQ(bands.size(), 11U);
  EXPECT_EQ(bands[4].text, "c=4");
  EXPECT_EQ(bands[4].row, 3);
  EXPECT_EQ(bands[4].first, 0);
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
  EXPECT_FALSE(make_picture(bound("n h w", "n=1,c=5,h=1,w=1")).has_value());
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

TEST(Draw, BlocksKeepTheirPlaceBehindPitches) {
  // 1024 is no multiple of 96.
  const PicturePanel panel =
      make_picture(bound("n |1024B| h |96B| w", "n=2,h=2,w=20"))->panels[0];
  for (const PictureCell& cell : panel.cells) {
    const bool gap = cell.kind == Place::gap;
    EXPECT_EQ(cell.block, gap ? -1 : cell.offset - cell.index[2]);
  }
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
  EXPECT_EQ(printed("f16", std::uint16_t{0x7e01}), "nan");
  EXPECT_EQ(printed("f16", std::uint16_t{0xfe00}), "-nan");
  EXPECT_EQ(printed("f16", std::uint16_t{0xfc00}), "-inf");
  EXPECT_EQ(printed("f16", std::uint16_t{0x8000}), "-0");
  EXPECT_EQ(printed("bf16", std::uint16_t{0x4049}), "3.141");
  EXPECT_EQ(printed("s8", std::int8_t{-5}), "-5");
  EXPECT_EQ(printed("u8", std::uint8_t{200}), "200");
  EXPECT_EQ(printed("s16", std::int16_t{-300}), "-300");
  EXPECT_EQ(printed("s32", std::int32_t{1} << 24, true), "1");
  EXPECT_EQ(printed("u64", ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(printed("bool", std::uint8_t{1}), "1");
  EXPECT_EQ(printed("c64", std::array{1.5F, -2.0F}), "1.5-2i");
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
