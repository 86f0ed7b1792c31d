// A picture as lines of text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "draw/legend.hpp"
#include "stridewise/draw.hpp"

namespace stridewise {

namespace {

using namespace draw;

// Characters of a text, each of which takes one column here.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string cut(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  std::size_t seen = 0;
  while (at < text.size()) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U &&
        seen++ == width) {
      break;
    }
    ++at;
  }
  return std::string(text.substr(0, at));
}

std::string pad(std::string_view text, std::size_t width, char side) {
  std::string result = cut(text, width);
  const std::size_t rest = width - std::min(width, width_of(result));
  const std::size_t before = side == 'r' ? rest : side == 'c' ? rest / 2 : 0;
  return std::string(before, ' ') + result + std::string(rest - before, ' ');
}

// The colour of 6 x 6 x 6 that is nearest.
int ansi(std::uint32_t colour) {
  int code = 16;
  for (const int shift : {16, 8, 0}) {
    const auto part = static_cast<int>((colour >> shift) & 0xffU);
    code += (part < 48    ? 0
             : part < 115 ? 1
                          : (part - 35) / 40) *
            (shift == 16  ? 36
             : shift == 8 ? 6
                          : 1);
  }
  return code;
}

class Writer {
 public:
  Writer(const Picture& picture, const TerminalStyle& style)
      : picture_(picture),
        style_(style),
        width_(static_cast<std::size_t>(std::max(style.width, 20))) {}

  std::string run() {
    line(plain(picture_.title));
    line(plain(picture_.subtitle));
    for (const PicturePanel& panel : picture_.panels) {
      line("");
      if (picture_.panels.size() > 1) {
        line(panel.name + "  " + plain(panel.expression));
      }
      write(panel);
    }
    line("");
    for (const auto& items : legend(picture_)) write(items);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string plain(const std::string& text) const {
    if (style_.unicode) return text;
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text.compare(at, 3, "\u2192") == 0) {
        result += "->";
        at += 2;
      } else {
        result += static_cast<unsigned char>(text[at]) < 0x80 ? text[at] : '?';
      }
    }
    return result;
  }

  void line(const std::string& text) {
    std::string rest = cut(text, width_);
    while (!rest.empty() && rest.back() == ' ') rest.pop_back();
    out_ += rest + '\n';
  }

  [[nodiscard]] std::string dots() const {
    return style_.unicode ? "\u2026" : "...";
  }

  // Characters of each column, the space before it included.
  void lay(const PicturePanel& panel) {
    std::size_t cell = 2;
    for (const PictureCell& one : panel.cells) {
      const std::size_t sign = one.nonzero ? 1 : 0;  // of what should be zero
      cell = std::max(cell, one.label.size() + sign);
    }
    for (const PictureTrack& track : panel.columns) {
      if (track.elided == 0) cell = std::max(cell, track.label.size());
    }
    cell_ = cell;
    ruler_ = panel.row_heading.size();
    for (const PictureTrack& track : panel.rows) {
      if (track.elided == 0) ruler_ = std::max(ruler_, track.label.size());
    }
    bands_ = 0;
    for (const auto& level : panel.row_bands) {
      std::size_t longest = 0;
      for (const PictureBand& band : level) {
        longest = std::max(longest, band.text.size());
      }
      bands_ += longest + 1;
    }
    at_.clear();
    std::size_t at = bands_ + ruler_ + 1;
    for (const PictureTrack& track : panel.columns) {
      if (track.space == 2 && !at_.empty()) ++at;
      at_.push_back(at);
      at += track.elided != 0 ? 4 : cell_ + 1;
    }
    at_.push_back(at);
    // Whole columns only.
    columns_ = panel.columns.size();
    while (columns_ > 1 && at_[columns_] > width_ + 1) --columns_;
  }

  void write(const PicturePanel& panel) {
    if (panel.cells.empty()) return line("no places");
    lay(panel);
    for (const auto& level : panel.column_bands) {
      std::string text;
      for (const PictureBand& band : level) {
        if (static_cast<std::size_t>(band.first) >= columns_) continue;
        const std::size_t begin = at_[static_cast<std::size_t>(band.first)];
        const std::size_t end =
            at_[std::min(columns_, static_cast<std::size_t>(band.last) + 1)];
        text.resize(std::max(text.size(), begin), ' ');
        text += pad(band.text, end - begin - 1, 'l');
      }
      line(text);
    }
    std::string labels =
        std::string(bands_, ' ') + pad(panel.row_heading, ruler_, 'r');
    for (std::size_t k = 0; k < columns_; ++k) {
      labels.resize(std::max(labels.size(), at_[k]), ' ');
      labels += panel.columns[k].elided != 0
                    ? pad("", 3, 'c')
                    : pad(panel.columns[k].label, cell_, 'c');
    }
    line(labels);
    std::size_t next = 0;
    for (std::size_t row = 0; row < panel.rows.size(); ++row) {
      write_row(panel, row, next);
    }
  }

  void write_row(const PicturePanel& panel, std::size_t row,
                 std::size_t& next) {
    const PictureTrack& track = panel.rows[row];
    if (track.space == 2 && row > 0) out_ += '\n';
    if (track.elided != 0) {
      line(std::string(at_[0], ' ') + dots() + " " + track.label + " " +
           dots());
      return;
    }
    std::string text = row_head(panel, row);
    std::size_t at = width_of(text);
    std::size_t column = 0;
    const auto go_to = [&](std::size_t to) {
      if (at < to) text += std::string(to - at, ' ');
      at = std::max(at, to);
    };
    while (next < panel.cells.size() &&
           static_cast<std::size_t>(panel.cells[next].row) == row) {
      const PictureCell& cell = panel.cells[next++];
      for (; column < static_cast<std::size_t>(cell.column); ++column) {
        if (panel.columns[column].elided != 0 && column < columns_) {
          go_to(at_[column]);
          text += style_.unicode ? " \u2026 " : "...";
          at += 3;
        }
      }
      ++column;
      if (static_cast<std::size_t>(cell.column) >= columns_) continue;
      go_to(at_[static_cast<std::size_t>(cell.column)]);
      text += written(cell);
      at += cell_;
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ += text + '\n';
  }

  [[nodiscard]] std::string row_head(const PicturePanel& panel,
                                     std::size_t row) const {
    std::string text;
    for (const auto& level : panel.row_bands) {
      std::size_t longest = 0;
      std::string own;
      for (const PictureBand& band : level) {
        longest = std::max(longest, band.text.size());
        if (static_cast<std::size_t>(band.first) == row) own = band.text;
      }
      text += pad(own, longest + 1, 'l');
    }
    return text + pad(panel.rows[row].label, ruler_, 'r');
  }

  [[nodiscard]] std::string paint(const std::string& text,
                                  const std::string& codes) const {
    if (!style_.colours) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m", codes, text);
  }

  [[nodiscard]] std::string colour_codes(std::int32_t colour) const {
    const PictureColour& own =
        picture_.colours[static_cast<std::size_t>(colour)];
    return fmt::format("48;5;{};38;5;{}", ansi(own.fill), ansi(own.text));
  }

  [[nodiscard]] std::string hatching(std::size_t width) const {
    std::string text;
    for (std::size_t k = 0; k < width; ++k) {
      text += style_.unicode ? "\u2571" : "/";
    }
    return text;
  }

  [[nodiscard]] std::string written(const PictureCell& cell) const {
    switch (cell.kind) {
      case Place::padding:
        return cell.nonzero
                   ? paint(pad("!" + cell.label, cell_, 'c'), "41;97;1")
                   : paint(hatching(cell_), "2");
      case Place::gap:
        return pad(style_.unicode ? "\u00b7" : ".", cell_, 'c');
      case Place::element:
        break;
    }
    std::string text = pad(cell.label, cell_, 'c');
    if (cell.colour < 0) return text;
    std::string codes = colour_codes(cell.colour);
    if (cell.in_tile) codes += ";1;4";
    return paint(text, codes);
  }

  void write(const std::vector<LegendItem>& items) {
    using Swatch = LegendItem::Swatch;
    std::string text;
    std::size_t at = 0;
    for (const LegendItem& item : items) {
      std::string sample;
      std::size_t sample_width = 0;
      const auto show = [&](const std::string& sign, const std::string& codes) {
        sample = (codes.empty() ? sign : paint(sign, codes)) + " ";
        sample_width = width_of(sign) + 1;
      };
      if (item.swatch == Swatch::colour) {
        if (!style_.colours) continue;
        show("  ", colour_codes(item.colour));
      }
      if (item.swatch == Swatch::padding) show(hatching(2), "2");
      if (item.swatch == Swatch::gap) show(style_.unicode ? "\u00b7" : ".", "");
      if (item.swatch == Swatch::wrong) show("!", "41;97;1");
      // Outlines need more than characters.
      if (item.swatch == Swatch::block) continue;
      if (item.swatch == Swatch::tile) {
        if (!style_.colours) continue;
        show("__", "1;4");
      }
      if (!style_.colours && item.text.starts_with("colour: ")) continue;
      const std::string words = plain(item.text);
      const auto end_line = [&] {
        out_ += text + '\n';
        text.clear();
        at = 0;
      };
      if (at > 0 && at + 2 + sample_width + width_of(words) > width_) {
        end_line();
      }
      text += (at > 0 ? "  " : "") + sample;
      at += (at > 0 ? 2 : 0) + sample_width;
      // What is longer than a line is broken between words.
      std::size_t from = 0;
      while (from < words.size()) {
        const std::size_t space = std::min(words.find(' ', from), words.size());
        const std::string word = words.substr(from, space - from);
        if (from > 0 && at + 1 + width_of(word) > width_) {
          end_line();
        } else if (from > 0) {
          text += ' ';
          ++at;
        }
        text += word;
        at += width_of(word);
        from = space + 1;
      }
    }
    if (!text.empty()) out_ += text + '\n';
  }

  const Picture& picture_;
  const TerminalStyle& style_;
  std::size_t width_;
  std::size_t cell_ = 0, ruler_ = 0, bands_ = 0, columns_ = 0;
  std::vector<std::size_t> at_;
  std::string out_;
};

}  // namespace

std::string to_terminal(const Picture& picture, const TerminalStyle& style) {
  return Writer(picture, style).run();
}

}  // namespace stridewise
