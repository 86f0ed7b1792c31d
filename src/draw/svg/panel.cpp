// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "draw/svg/sheet.hpp"

namespace stridewise::draw {
namespace {

class Writer {
 public:
  Writer(const PicturePanel& panel, const PanelSheet& sheet,
         const Picture& picture)
      : panel_(panel), sheet_(sheet), picture_(picture) {}

  std::string run() {
    out_ = fmt::format(
        "<g class=\"panel\" data-panel=\"{}\" data-expression=\"{}\" "
        "transform=\"translate({} {})\">\n",
        escaped(panel_.name), escaped(panel_.expression), sheet_.x, sheet_.y);
    if (sheet_.titled) {
      out_ += fmt::format(
          "<text class=\"name\" x=\"0\" y=\"13\">{}<tspan class=\"code\" "
          "dx=\"8\">{}</tspan></text>\n",
          escaped(panel_.name), escaped(panel_.expression));
    }
    rulers();
    for (const PictureCell& cell : panel_.cells) write(cell);
    out_ += svg_outlines(panel_, sheet_);
    out_ += svg_jumps(panel_, sheet_);
    // Words interrupt an arrow that has to pass them.
    if (!panel_.cells.empty()) bands();
    elisions();
    out_ += svg_marks(panel_, sheet_);
    return out_ + "</g>\n";
  }

 private:
  [[nodiscard]] Span row(const PictureCell& cell) const {
    return sheet_.rows[static_cast<std::size_t>(cell.row)];
  }
  [[nodiscard]] Span column(const PictureCell& cell) const {
    return sheet_.columns[static_cast<std::size_t>(cell.column)];
  }

  void rulers() {
    if (panel_.cells.empty()) {
      out_ += fmt::format(
          "<text class=\"note\" x=\"0\" y=\"{}\">no places"
          "</text>\n",
          sheet_.cells_y + 14);
      return;
    }
    if (sheet_.labels_y != 0) {
      out_ += fmt::format(
          "<text class=\"ruler end\" x=\"{}\" y=\"{}\">{}</text>\n",
          sheet_.cells_x - 6, sheet_.labels_y, escaped(panel_.row_heading));
    }
    if (sheet_.labels_y != 0 && !panel_.column_heading.empty()) {
      out_ += fmt::format(
          "<text class=\"ruler start\" x=\"{}\" y=\"{}\">{}</text>\n",
          sheet_.columns.back().at + sheet_.columns.back().size + 8,
          sheet_.labels_y, escaped(panel_.column_heading));
    }
    for (std::size_t k = 0; k < panel_.columns.size(); ++k) {
      const PictureTrack& track = panel_.columns[k];
      if (track.elided != 0 || track.label.empty()) continue;
      const Span span = sheet_.columns[k];
      out_ += fmt::format("<text class=\"ruler\" x=\"{}\" y=\"{}\">{}</text>\n",
                          span.at + span.size / 2, sheet_.labels_y,
                          escaped(track.label));
    }
    for (std::size_t k = 0; k < panel_.rows.size(); ++k) {
      const PictureTrack& track = panel_.rows[k];
      if (track.elided != 0) continue;
      const Span span = sheet_.rows[k];
      out_ += fmt::format(
          "<text class=\"ruler end\" x=\"{}\" y=\"{}\">{}</text>\n",
          sheet_.cells_x - 6, span.at + span.size - 8, escaped(track.label));
    }
  }

  void bands() {
    for (std::size_t level = 0; level < panel_.column_bands.size(); ++level) {
      for (const PictureBand& band : panel_.column_bands[level]) {
        const int y = band_y(sheet_, level, band);
        const auto [begin, end] = extent(sheet_.columns, band);
        out_ += fmt::format(
            "<text class=\"band\" x=\"{}\" y=\"{}\">{}</text><path "
            "class=\"brace\" d=\"M{} {}h{}\"/>\n",
            (begin + end) / 2, y, escaped(band.text), begin + 2, y + 3,
            end - begin - 4);
      }
    }
    for (std::size_t level = 0; level < panel_.row_bands.size(); ++level) {
      const int x = sheet_.row_bands_x[level];
      const int right = level + 1 < sheet_.row_bands_x.size()
                            ? sheet_.row_bands_x[level + 1] - 8
                            : ruler_left() - 2;
      for (const PictureBand& band : panel_.row_bands[level]) {
        const auto [begin, end] = extent(sheet_.rows, band);
        out_ += fmt::format(
            "<text class=\"band start\" x=\"{}\" y=\"{}\">{}</text><path "
            "class=\"brace\" d=\"M{} {}v{}\"/>\n",
            x, (begin + end) / 2 + 3, escaped(band.text), right, begin + 2,
            end - begin - 4);
      }
    }
  }

  // Where the labels of rows begin at the earliest.
  [[nodiscard]] int ruler_left() const {
    int width = mono_width(panel_.row_heading, 9);
    for (const PictureTrack& track : panel_.rows) {
      if (track.elided == 0) {
        width = std::max(width, mono_width(track.label, 9));
      }
    }
    return sheet_.cells_x - 8 - width;
  }

  static std::pair<int, int> extent(const std::vector<Span>& spans,
                                    const PictureBand& band) {
    const Span first = spans[static_cast<std::size_t>(band.first)];
    const Span last = spans[static_cast<std::size_t>(band.last)];
    return {first.at, last.at + last.size};
  }

  void write(const PictureCell& cell) {
    const Span x = column(cell);
    const Span y = row(cell);
    const char* kind = "gap";
    std::string style = "gap";
    if (cell.kind == Place::element) {
      kind = "element";
      style = cell.colour >= 0 ? fmt::format("k{}", cell.colour) : "k";
    } else if (cell.kind == Place::padding) {
      kind = "padding";
      style = cell.nonzero ? "wrong" : "pad";
    } else if (cell.kind == Place::other) {
      kind = "other";
    }
    out_ += fmt::format("<g class=\"{}\" data-kind=\"{}\"", style, kind);
    if (cell.kind == Place::element) {
      std::string index;
      for (std::size_t d = 0; d < cell.index.size(); ++d) {
        index += fmt::format("{}{}={}", d == 0 ? "" : ",",
                             picture_.shape[d].name, cell.index[d]);
      }
      out_ += fmt::format(" data-index=\"{}\"",
                          escaped(cell.words.empty() ? index : cell.words));
    }
    if (!panel_.logical) {
      out_ += fmt::format(" data-offset=\"{}\" data-byte=\"{}\"", cell.offset,
                          cell.byte);
    }
    if (!cell.value.empty()) {
      out_ += fmt::format(" data-value=\"{}\"", escaped(cell.value));
    }
    out_ += fmt::format("><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                        x.at, y.at, x.size, y.size);
    if (!cell.label.empty()) {
      out_ +=
          fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x.at + x.size / 2,
                      y.at + y.size - 7, escaped(cell.label));
    }
    out_ += "</g>\n";
  }

  void elisions() {
    const int right = sheet_.columns.empty() ? 0
                                             : sheet_.columns.back().at +
                                                   sheet_.columns.back().size;
    const int bottom = sheet_.rows.empty()
                           ? 0
                           : sheet_.rows.back().at + sheet_.rows.back().size;
    for (std::size_t k = 0; k < panel_.rows.size(); ++k) {
      if (panel_.rows[k].elided == 0) continue;
      const Span span = sheet_.rows[k];
      out_ += fmt::format(
          "<text class=\"left\" data-elided=\"{}\" x=\"{}\" y=\"{}\">\u2026 {} "
          "\u2026</text>\n",
          panel_.rows[k].elided, (sheet_.cells_x + right) / 2,
          span.at + span.size / 2 + 4, escaped(panel_.rows[k].label));
    }
    int below = bottom;
    for (std::size_t k = 0; k < panel_.columns.size(); ++k) {
      if (panel_.columns[k].elided == 0) continue;
      const Span span = sheet_.columns[k];
      const int middle = span.at + span.size / 2;
      const std::string words =
          "\u2026 " + escaped(panel_.columns[k].label) + " \u2026";
      // Upwards where there is room, else below.
      const std::optional<int> quiet =
          quiet_place(panel_, sheet_, panel_.columns[k].label);
      if (quiet) {
        out_ += fmt::format(
            "<text class=\"left\" data-elided=\"{0}\" x=\"{1}\" y=\"{2}\" "
            "transform=\"rotate(-90 {1} {2})\">{3}</text>\n",
            panel_.columns[k].elided, middle + 4, *quiet, words);
        continue;
      }
      below += note_line;
      out_ += fmt::format(
          "<text class=\"left\" x=\"{0}\" y=\"{1}\">\u2026</text>"
          "<text class=\"left\" data-elided=\"{2}\" x=\"{3}\" y=\"{4}\">{5}"
          "</text>\n",
          middle, (sheet_.cells_y + bottom) / 2 + 4, panel_.columns[k].elided,
          (sheet_.cells_x + right) / 2, below, words);
    }
  }

  const PicturePanel& panel_;
  const PanelSheet& sheet_;
  const Picture& picture_;
  std::string out_;
};

}  // namespace

std::string svg_panel(const PicturePanel& panel, const PanelSheet& sheet,
                      const Picture& picture) {
  return Writer(panel, sheet, picture).run();
}

}  // namespace stridewise::draw
