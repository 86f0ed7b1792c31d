// SPDX-License-Identifier: Apache-2.0
#include "draw/legend.hpp"

#include <fmt/format.h>

#include "draw/svg/sheet.hpp"

namespace stridewise::draw {
namespace {

constexpr int line_height = 21;
constexpr int swatch_width = 18;

// A swatch looks as the cells do that it stands for.
std::string swatch(const LegendItem& item, int x, int y) {
  using Swatch = LegendItem::Swatch;
  const auto box = [&](const std::string& style) {
    return fmt::format(
        "<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"13\"/>"
        "</g>",
        style, x, y - 10, swatch_width);
  };
  const auto frame = [&](const char* style) {
    return fmt::format("<path class=\"{}\" d=\"M{} {}h{}v13h-{}z\"/>", style, x,
                       y - 10, swatch_width, swatch_width);
  };
  switch (item.swatch) {
    case Swatch::colour:
      return box(fmt::format("k{}", item.colour));
    case Swatch::padding:
      return box("pad");
    case Swatch::gap:
      return box("gap");
    case Swatch::wrong:
      return box("wrong");
    case Swatch::block:
      return frame("block");
    case Swatch::tile:
      return frame("tile");
    case Swatch::none:
      break;
  }
  return "";
}

}  // namespace

std::string svg_legend(const Picture& picture, const Sheet& sheet,
                       int& height) {
  const int left = sheet.panels.front().x;
  int y = height + 26;
  std::string text = "<g class=\"legend\">\n";
  for (const auto& line : legend(picture)) {
    int x = left;
    for (const LegendItem& item : line) {
      const bool boxed = item.swatch != LegendItem::Swatch::none;
      const int advance =
          (boxed ? swatch_width + 6 : 0) + sans_width(item.text) + 16;
      if (x > left && x + advance > sheet.width) {
        x = left;
        y += line_height;
      }
      if (boxed) text += swatch(item, x, y);
      text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n",
                          x + (boxed ? swatch_width + 6 : 0), y,
                          escaped(item.text));
      x += advance;
    }
    y += line_height;
  }
  height = y - line_height + 20;
  return text + "</g>\n";
}

}  // namespace stridewise::draw
