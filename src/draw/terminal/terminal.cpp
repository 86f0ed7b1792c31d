// A picture as lines of text.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/utf8.hpp"
#include "draw/terminal/measure.hpp"
#include "draw/walk.hpp"
#include "stridewise/draw.hpp"

namespace stridewise {

namespace {

using namespace draw;

class Writer {
 public:
  Writer(const Picture& picture, const TerminalStyle& style)
      : picture_(picture), pen_(picture, style) {}

  std::string run() {
    heading(picture_.title);
    heading(picture_.subtitle);
    for (const PicturePanel& panel : picture_.panels) {
      line("");
      if (picture_.panels.size() > 1) {
        heading(panel.name + "  " + panel.expression);
      }
      write(panel);
    }
    line("");
    return out_ + terminal_legend(picture_, pen_);
  }

 private:
  void line(std::string_view text) {
    std::string_view rest = first_columns(text, pen_.width());
    while (rest.ends_with(' ')) rest.remove_suffix(1);
    out_ += rest;
    out_ += '\n';
  }

  void heading(const std::string& text) {
    line(fitted(pen_.plain(text), pen_.width()));
  }

  void write(const PicturePanel& panel) {
    if (panel.cells.empty()) return line("no places");
    sheet_ = measure(panel, pen_);
    write_bands(panel, 0);
    std::string labels = std::string(sheet_.bands, ' ') +
                         padded(panel.row_heading, sheet_.ruler, 'r');
    for (std::size_t k = 0; k < panel.columns.size(); ++k) {
      if (panel.columns[k].elided != 0) continue;
      labels.resize(std::max(labels.size(), sheet_.at[k]), ' ');
      labels += padded(panel.columns[k].label, sheet_.cell, 'c');
    }
    line(labels);
    std::size_t next = 0;
    for (std::size_t row = 0; row < panel.rows.size(); ++row) {
      write_row(panel, row, next);
    }
    columns_left_out(panel);
  }

  // What stands above the columns from this row on.
  void write_bands(const PicturePanel& panel, std::size_t row) {
    for (std::size_t k = 0; k < panel.column_bands.size(); ++k) {
      const std::string& head = sheet_.heads[k];
      std::string text =
          std::string(sheet_.bands, ' ') + padded(head, sheet_.ruler, 'r');
      bool any = false;
      for (const PictureBand& band : panel.column_bands[k]) {
        if (static_cast<std::size_t>(band.row) != row) continue;
        any = true;
        const std::size_t begin =
            sheet_.at[static_cast<std::size_t>(band.first)];
        const std::size_t end =
            sheet_.at[static_cast<std::size_t>(band.last) + 1];
        text.resize(std::max(text.size(), begin), ' ');
        text += padded(band.text.substr(head.empty() ? 0 : head.size() + 1),
                       end - begin - 1, 'l');
      }
      if (any) line(text);
    }
  }

  // Marks and jumps, above the cells that they name.
  void write_tags(const PicturePanel& panel, std::size_t row) {
    std::map<std::size_t, std::string> tags;
    const auto add = [&](std::size_t cell, const std::string& name) {
      const PictureCell& at = panel.cells[cell];
      if (static_cast<std::size_t>(at.row) != row) return;
      std::string& tag = tags[static_cast<std::size_t>(at.column)];
      tag += (tag.empty() ? "" : " ") + pen_.plain(name);
    };
    for (const PictureMark& mark : panel.marks) add(mark.cell, mark.name);
    for (const PictureJump& jump : panel.jumps) {
      add(tagged_cell(jump), jump.name);
    }
    if (tags.empty()) return;
    std::string text;
    std::size_t at = 0;
    for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
      const std::size_t begin = sheet_.at[tag->first];
      const auto after = std::next(tag);
      const std::size_t end =
          after == tags.end() ? pen_.width() : sheet_.at[after->first] - 1;
      const std::string shown = fitted(tag->second, end - begin);
      text += std::string(begin - at, ' ') + pen_.paint(shown, "7");
      at = begin + columns_of(shown);
    }
    out_ += text + '\n';
  }

  // What is too long says so.
  [[nodiscard]] std::string fitted(const std::string& text,
                                   std::size_t room) const {
    if (columns_of(text) <= room) return text;
    const std::string cut = pen_.dots();
    const std::size_t kept = room - std::min(room, columns_of(cut));
    return std::string(first_columns(text, kept)) +
           std::string(first_columns(cut, room));
  }

  void write_row(const PicturePanel& panel, std::size_t row,
                 std::size_t& next) {
    const PictureTrack& track = panel.rows[row];
    if (track.space == 2 && row > 0) out_ += '\n';
    if (row > 0) write_bands(panel, row);
    write_tags(panel, row);
    if (track.elided != 0) return note(track.label);
    std::string text = row_head(panel, row);
    std::size_t at = columns_of(text);
    const auto put = [&](std::size_t column, const std::string& what,
                         std::size_t width) {
      const std::size_t to = sheet_.at[column];
      if (at < to) text += std::string(to - at, ' ');
      text += what;
      at = to + width;
    };
    for (std::size_t column = 0; column < panel.columns.size(); ++column) {
      if (panel.columns[column].elided != 0) {
        put(column, padded(pen_.dots(), 3, 'c'), 3);
        continue;
      }
      if (next == panel.cells.size()) continue;
      const PictureCell& cell = panel.cells[next];
      if (static_cast<std::size_t>(cell.row) != row ||
          static_cast<std::size_t>(cell.column) != column) {
        continue;
      }
      put(column, written(cell), sheet_.cell);
      ++next;
    }
    while (text.ends_with(' ')) text.pop_back();
    out_ += text + '\n';
  }

  // What is left out, below the cells if the line has room to begin there.
  void note(const std::string& words) {
    const std::string text = pen_.dots() + " " + words + " " + pen_.dots();
    const std::size_t most =
        pen_.width() - std::min(pen_.width(), columns_of(text));
    line(std::string(std::min(sheet_.at[0], most), ' ') + text);
  }

  // Columns have no room for words about them.
  void columns_left_out(const PicturePanel& panel) {
    for (const PictureTrack& track : panel.columns) {
      if (track.elided != 0) note(track.label);
    }
  }

  [[nodiscard]] std::string row_head(const PicturePanel& panel,
                                     std::size_t row) const {
    std::string text;
    for (std::size_t k = 0; k < panel.row_bands.size(); ++k) {
      std::string own;
      for (const PictureBand& band : panel.row_bands[k]) {
        if (static_cast<std::size_t>(band.first) == row) own = band.text;
      }
      text += padded(own, sheet_.row_bands[k], 'l');
    }
    return text + padded(panel.rows[row].label, sheet_.ruler, 'r');
  }

  // A label that is too long says so.
  [[nodiscard]] std::string label(const std::string& text) const {
    if (text.size() <= sheet_.cell) return padded(text, sheet_.cell, 'c');
    const std::string cut = pen_.dots();
    const std::size_t room =
        sheet_.cell - std::min(sheet_.cell, columns_of(cut));
    return padded(text.substr(0, room) + cut, sheet_.cell, 'l');
  }

  [[nodiscard]] std::string written(const PictureCell& cell) const {
    switch (cell.kind) {
      case Place::padding:
        return cell.nonzero ? pen_.paint(label("!" + cell.label), "41;97;1")
                            : pen_.paint(pen_.hatching(sheet_.cell), "2");
      case Place::gap:
      case Place::other:
        return padded(pen_.gap(), sheet_.cell, 'c');
      case Place::element:
        break;
    }
    const bool bracketed = cell.in_tile && pen_.brackets();
    const std::string text =
        label(bracketed ? "[" + cell.label + "]" : cell.label);
    std::string codes;
    if (cell.colour >= 0) codes = pen_.colour_codes(cell.colour);
    if (cell.in_tile) codes += codes.empty() ? "1;4" : ";1;4";
    return codes.empty() ? text : pen_.paint(text, codes);
  }

  const Picture& picture_;
  Pen pen_;
  TerminalPanel sheet_;
  std::string out_;
};

}  // namespace

std::string to_terminal(const Picture& picture, const TerminalStyle& style) {
  if (terminal_width(picture, Pen(picture, style)) <=
      Pen(picture, style).width()) {
    return Writer(picture, style).run();
  }
  Picture fitted = picture;
  crop(fitted, style);
  return Writer(fitted, style).run();
}

}  // namespace stridewise
