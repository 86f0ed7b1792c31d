// Pictures of layouts that are more than plain digits: each cell against what the layout
// has there.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <set>

#include "stridewise/catalogue.hpp"
#include "stridewise/draw.hpp"
#include "support/world.hpp"

namespace stridewise::testing {
namespace {

using ::testing::HasSubstr;

DrawOptions whole() {
  DrawOptions options;
  options.max_cells = 200'000;
  return options;
}

Layout bound(std::string_view text, std::string_view shape,
             std::int64_t bits = 8) {
  return *Layout::bind(*parse_expression(text), *parse_shape(shape),
                       Binding{.element_bits = bits});
}

// What is wrong with the cells, in words.
std::string wrong(const Layout& memory, const Picture& picture) {
  std::vector<std::int64_t> index(32);
  const PicturePanel& panel = picture.panels.front();
  const std::int64_t cells =
      (memory.size_bits() + picture.cell_bits - 1) / picture.cell_bits;
  if (static_cast<std::int64_t>(panel.cells.size()) != cells) {
    return fmt::format("{} cells of {}", panel.cells.size(), cells);
  }
  for (const PictureCell& cell : panel.cells) {
    const std::int64_t bit = cell.offset * picture.cell_bits;
    const Found found = memory.find(bit, index);
    const bool other = memory.tensor() >= 0 && found.tensor >= 0 &&
                       found.tensor != memory.tensor();
    const Place kind = other ? Place::other : found.place;
    if (cell.kind != kind || cell.byte != bit / 8) {
      return fmt::format("cell {}", cell.offset);
    }
    if (kind == Place::element && !cell.index.empty() &&
        !std::equal(cell.index.begin(), cell.index.end(), index.begin())) {
      return fmt::format("index of cell {}", cell.offset);
    }
  }
  return {};
}

TEST(DrawPieces, TheCollectionAsMemoryAndByPart) {
  int drawn = 0;
  for (const WorldEntry& entry : world()) {
    SCOPED_TRACE(entry.name);
    const Layout memory = layout_of(entry);
    if (memory.plain() || memory.size_bits() > 40'000) continue;
    std::vector<Layout> views = {memory};
    for (const Tensor& tensor : memory.tensors()) {
      views.push_back(*memory.part(tensor.name));
    }
    for (const Layout& view : views) {
      const Result<Picture> picture = make_picture(view, whole());
      ASSERT_TRUE(picture) << picture.error().message;
      if (view.plain()) continue;
      EXPECT_EQ(wrong(view, *picture), "");
      EXPECT_THAT(to_svg(*picture), HasSubstr("</svg>"));
      ++drawn;
    }
  }
  EXPECT_GT(drawn, 60);
}

TEST(DrawPieces, PartsHaveColoursAndNames) {
  const Layout memory =
      bound("n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }", "n=1,k=32");
  const Picture picture = *make_picture(memory, whole());
  EXPECT_EQ(picture.cell_bits, 4);
  EXPECT_EQ(picture.colour, "part");
  EXPECT_EQ(picture.colour_names, (std::vector<std::string>{"d", "q"}));
  const auto& cells = picture.panels[0].cells;
  EXPECT_EQ(cells[0].words, "d n=0,k/32=0");
  EXPECT_EQ(cells[0].colour, 0);
  EXPECT_EQ(cells[1].label, "");  // the same element
  EXPECT_EQ(cells[5].words, "q n=0,k=16");
  EXPECT_EQ(cells[5].colour, 1);
  EXPECT_EQ(cells[5].label, "16");
  EXPECT_EQ(picture.panels[0].elements, 33);
  EXPECT_THAT(to_terminal(picture, {.width = 200}), HasSubstr("of 4 bits"));
}

TEST(DrawPieces, BitsAreCellsWhereTheyLieApart) {
  const Picture picture = *make_picture(
      bound("{ [# 2..4] = x # ; [# 0..2] = x # }", "x=2", 4), whole());
  EXPECT_EQ(picture.cell_bits, 1);
  const auto& cells = picture.panels[0].cells;
  ASSERT_EQ(cells.size(), 8U);
  EXPECT_EQ(cells[0].label, "0:2");
  EXPECT_EQ(cells[7].label, "1:1");
  EXPECT_EQ(cells[7].words, "x=1 bit 1");
}

TEST(DrawPieces, CopiesAreMarked) {
  const Picture picture = *make_picture(bound("*2 x", "x=3"), whole());
  EXPECT_EQ(picture.panels[0].cells[3].label, "=0");
  EXPECT_EQ(picture.panels[0].cells[3].words, "x=0 copy 1");
}

TEST(DrawPieces, ValuesAreThoseOfTheBits) {
  const Layout memory = bound("n/2 ~n%2", "n=4", 4);
  const std::vector<std::byte> bytes = {std::byte{0x21}, std::byte{0x43}};
  DrawOptions options = whole();
  options.label = DrawLabel::value;
  options.data = DrawData{*parse_element_type("u4"), bytes};
  const Picture picture = *make_picture(memory, options);
  std::vector<std::string> labels;
  for (const PictureCell& cell : picture.panels[0].cells) {
    labels.push_back(cell.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"1", "2", "3", "4"}));
  options.data->type = *parse_element_type("f4");
  EXPECT_EQ(make_picture(memory, options)->panels[0].cells[1].label, "1");
}

TEST(DrawPieces, ValuesOfOtherByteOrderAndPadding) {
  const std::vector<std::byte> bytes = {std::byte{0}, std::byte{1},
                                        std::byte{0}, std::byte{2}};
  DrawOptions options = whole();
  options.label = DrawLabel::value;
  options.data = DrawData{*parse_element_type("s16"), bytes, true};
  const Picture picture = *make_picture(bound("~x", "x=2", 16), options);
  EXPECT_EQ(picture.panels[0].cells[0].label, "1");
  EXPECT_EQ(picture.panels[0].cells[1].label, "2");
  options.data = DrawData{*parse_element_type("u8"), bytes};
  const Picture padded = *make_picture(bound("~x%4", "x=2"), options);
  EXPECT_EQ(padded.panels[0].nonzero_padding, 1);
}

TEST(DrawPieces, LayoutsThatAreOnlyRead) {
  const Picture picture = *make_picture(bound("h:1 w:1", "h=3,w=4"), whole());
  EXPECT_EQ(picture.panels[0].cells.size(), 6U);
}

TEST(DrawPieces, LargeMemoriesLeaveTheMiddleOut) {
  DrawOptions options;
  options.max_cells = 500;
  const Picture picture = *make_picture(
      bound("n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }", "n=4096,k=4096"),
      options);
  EXPECT_TRUE(picture.elided());
  EXPECT_LT(picture.cells(), 1500);
  EXPECT_FALSE(picture.panels[0].told_apart);
}

TEST(DrawPieces, Refuses) {
  const Layout memory = bound("x^y%2 y", "x=2,y=4");
  for (const auto& [change, words] :
       std::vector<std::pair<void (*)(DrawOptions&), const char*>>{
           {[](DrawOptions& o) { o.walk = "a"; }, "walk"},
           {[](DrawOptions& o) { o.view = DrawView::image; }, "rows"},
           {[](DrawOptions& o) { o.with_logical = true; }, "logical"},
           {[](DrawOptions& o) { o.max_cells = 0; }, "cells"},
           {[](DrawOptions& o) { o.colour = "z"; }, "dim 'z'"},
           {[](DrawOptions& o) {
              o.marks = {{"m", 99}};
            },
            "outside"}}) {
    DrawOptions options = whole();
    change(options);
    const Result<Picture> picture = make_picture(memory, options);
    ASSERT_FALSE(picture) << words;
    EXPECT_THAT(picture.error().message, HasSubstr(words));
  }
  DrawOptions options = whole();
  options.to = bound("x y", "x=2,y=4");
  EXPECT_FALSE(make_picture(memory, options));
  options.to = memory;
  EXPECT_FALSE(make_picture(bound("x y", "x=2,y=4"), options));
}

}  // namespace
}  // namespace stridewise::testing
