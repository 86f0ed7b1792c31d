// SPDX-License-Identifier: Apache-2.0
#include "draw/legend.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.hpp"
#include "draw/terminal/pen.hpp"

namespace stridewise::draw {
namespace {

using Swatch = LegendItem::Swatch;

// Items one after the other, in lines of the terminal's width.
class Lines {
 public:
  explicit Lines(std::size_t width) : width_(width) {}

  // A sample takes `sample_width` columns, whatever it is made of.
  void add(const std::string& sample, std::size_t sample_width,
           const std::string& words) {
    if (at_ > 0 && at_ + 2 + sample_width + columns_of(words) > width_) end();
    if (at_ > 0) put("  ", 2);
    put(sample, sample_width);
    // What is longer than a line is broken between words.
    std::size_t from = 0;
    while (from < words.size()) {
      const std::size_t space = std::min(words.find(' ', from), words.size());
      const std::string word = words.substr(from, space - from);
      if (from > 0 && at_ + 1 + columns_of(word) > width_) {
        end();
      } else if (from > 0) {
        put(" ", 1);
      }
      put(word, columns_of(word));
      from = space + 1;
    }
  }

  void end() {
    if (!text_.empty()) out_ += text_ + '\n';
    text_.clear();
    at_ = 0;
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void put(const std::string& text, std::size_t columns) {
    text_ += text;
    at_ += columns;
  }

  std::size_t width_;
  std::size_t at_ = 0;
  std::string text_, out_;
};

// How a sign looks that stands for this item.
std::pair<std::string, std::string> sample(const LegendItem& item,
                                           const Pen& pen) {
  switch (item.swatch) {
    case Swatch::colour:
      return {"  ", pen.colour_codes(item.colour)};
    case Swatch::padding:
      return {pen.hatching(2), "2"};
    case Swatch::gap:
      return {pen.gap(), ""};
    case Swatch::wrong:
      return {"!", "41;97;1"};
    case Swatch::tile:
      return pen.brackets() ? std::pair{"[ ]", ""} : std::pair{"__", "1;4"};
    case Swatch::block:
    case Swatch::none:
      break;
  }
  return {"", ""};
}

}  // namespace

std::string terminal_legend(const Picture& picture, const Pen& pen) {
  Lines lines(pen.width());
  for (const std::vector<LegendItem>& items : legend(picture)) {
    for (const LegendItem& item : items) {
      // Outlines need more than characters, and colours more than text.
      if (item.swatch == Swatch::block) continue;
      if (item.of_colours && !pen.colours()) continue;
      const auto [sign, codes] = sample(item, pen);
      if (sign.empty()) {
        lines.add("", 0, pen.plain(item.text));
      } else {
        lines.add((codes.empty() ? sign : pen.paint(sign, codes)) + " ",
                  columns_of(sign) + 1, pen.plain(item.text));
      }
    }
    lines.end();
  }
  for (const PicturePanel& panel : picture.panels) {
    for (const PictureMark& mark : panel.marks) {
      lines.add("", 0,
                fmt::format("{}: byte {}", pen.plain(mark.name),
                            panel.cells[mark.cell].byte));
    }
  }
  lines.end();
  return lines.take();
}

}  // namespace stridewise::draw
