// Pictures as lines of a terminal; texts of others in all documents.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "draw/grid.hpp"
#include "stridewise/draw.hpp"
#include "support/drawn.hpp"

namespace stridewise {
namespace {

using testing::bound;
using testing::expect_true_cells;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(Terminal, TheTerminalShowsWhatThePictureTells) {
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
        if (grid != 0 &&
            draw::view_of(drawn, options.view) == DrawView::image) {
          EXPECT_FALSE(make_terminal_picture(drawn, options, style));
          continue;
        }
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

// Each panel is as wide as it can be, whatever the others need.
TEST(Terminal, ALogicalTensorDoesNotNarrowMemory) {
  const Layout layout = bound("nChw8c", "1x11x2x2");
  const DrawOptions plain{};
  const DrawOptions logical{.with_logical = true};
  const TerminalStyle style{.width = 40};
  const Picture alone = *make_terminal_picture(layout, plain, style);
  const Picture both = *make_terminal_picture(layout, logical, style);
  EXPECT_EQ(both.panels[0].columns.size(), alone.panels[0].columns.size());
  EXPECT_GE(both.panels[0].columns.size(), 4U);
  EXPECT_FALSE(both.elided());
}

TEST(Terminal, JumpsAndMarksStandAboveTheirCells) {
  const std::string text = *draw_terminal(
      bound("nhwc", "1x2x2x3"),
      {.label = DrawLabel::value, .walk = "b", .marks = {{"here", 28}}},
      {.width = 80});
  EXPECT_THAT(text, HasSubstr("\n     b:0     b:1             b:2 here\n"
                              "   0  0   6   1   7   2   8   3   9"));
}

TEST(Terminal, NarrowBanksKeepTheirNumbers) {
  const std::string text =
      *draw_terminal(bound("npu=c%16 | n c/16", "n=2,c=32"),
                     {.label = DrawLabel::offset}, {.width = 80});
  // The word once, and a number above each column.
  EXPECT_THAT(text, HasSubstr("\n npu 0 "));
  EXPECT_THAT(text, HasSubstr(" 15\n"));
}

TEST(Terminal, PlainTextNamesTheTile) {
  const std::string text = *draw_terminal(
      bound("nchw", "n=1,c=8,h=2,w=2"),
      {.label = DrawLabel::offset, .to = bound("nhwc", "n=1,c=8,h=2,w=2")},
      {.width = 80});
  EXPECT_THAT(text, HasSubstr("[ ] moved by one call of "));
  EXPECT_THAT(text, HasSubstr("[0]"));
}

TEST(Terminal, TheTerminalIsNotOverrun) {
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

TEST(Terminal, TextsCannotBreakADocument) {
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

TEST(Terminal, TextsOfOthersAreShownAndDoNothing) {
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

}  // namespace
}  // namespace stridewise
