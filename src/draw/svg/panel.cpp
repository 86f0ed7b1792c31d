// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "draw/svg/sheet.hpp"

namespace stridewise::draw {
namespace {

class Writer {
 public:
  Writer(const PicturePanel& panel, const PanelSheet& sheet,
         const Picture& picture)
      : panel_(panel), sheet_(sheet), picture_(picture) {
    for (std::size_t k = 0; k < panel.cells.size(); ++k) {
      at_[{panel.cells[k].row, panel.cells[k].column}] = k;
    }
  }

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
    elisions();
    outline("block", [](const PictureCell& cell) { return cell.block; });
    outline("tile", [](const PictureCell& cell) -> std::int64_t {
      return cell.in_tile ? 0 : -1;
    });
    jumps();
    marks();
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
      out_ +=
          fmt::format("<text class=\"ruler end\" x=\"{}\" y=\"{}\">{}</text>\n",
                      sheet_.cells_x - 6, span.at + span.size / 2 + 3,
                      escaped(track.label));
    }
    bands();
  }

  void bands() {
    for (std::size_t level = 0; level < panel_.column_bands.size(); ++level) {
      const int y = sheet_.column_bands_y[level];
      for (const PictureBand& band : panel_.column_bands[level]) {
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
    }
    out_ += fmt::format("<g class=\"{}\" data-kind=\"{}\"", style, kind);
    if (cell.kind == Place::element) {
      std::string index;
      for (std::size_t d = 0; d < cell.index.size(); ++d) {
        index += fmt::format("{}{}={}", d == 0 ? "" : ",",
                             picture_.shape[d].name, cell.index[d]);
      }
      out_ += fmt::format(" data-index=\"{}\"", escaped(index));
    }
    if (!panel_.logical) {
      out_ += fmt::format(" data-offset=\"{}\" data-byte=\"{}\"", cell.offset,
                          cell.offset * picture_.element_bytes);
    }
    if (!cell.value.empty()) {
      out_ += fmt::format(" data-value=\"{}\"", escaped(cell.value));
    }
    out_ += fmt::format("><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                        x.at, y.at, x.size, y.size);
    if (!cell.label.empty()) {
      out_ +=
          fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x.at + x.size / 2,
                      y.at + y.size / 2 + 4, escaped(cell.label));
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
    for (std::size_t k = 0; k < panel_.columns.size(); ++k) {
      if (panel_.columns[k].elided == 0) continue;
      const Span span = sheet_.columns[k];
      const int x = span.at + span.size / 2 + 4;
      const int y = (sheet_.cells_y + bottom) / 2;
      // Upwards where there is room, else only the dots.
      const bool fits =
          sans_width(panel_.columns[k].label) + 24 < bottom - sheet_.cells_y;
      out_ += fmt::format(
          "<text class=\"left\" data-elided=\"{}\" x=\"{}\" y=\"{}\"{}>{}{}"
          "</text>\n",
          panel_.columns[k].elided, fits ? x : span.at + span.size / 2,
          fits ? y : y + 4,
          fits ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "",
          "\u2026",
          fits ? " " + escaped(panel_.columns[k].label) + " \u2026" : "");
    }
  }

  // Lines between cells of different groups; a group is a number from 0.
  void outline(const char* style,
               const std::function<std::int64_t(const PictureCell&)>& group) {
    const auto group_at = [&](std::int32_t r, std::int32_t c) {
      const auto found = at_.find({r, c});
      return found == at_.end() ? -1 : group(panel_.cells[found->second]);
    };
    // (y, x) and (x, y) of unit lines, in pixels; neighbours are joined.
    std::map<int, std::set<std::pair<int, int>>> across;
    std::map<int, std::set<std::pair<int, int>>> down;
    for (const PictureCell& cell : panel_.cells) {
      const std::int64_t own = group(cell);
      if (own < 0) continue;
      const Span x = column(cell);
      const Span y = row(cell);
      const int right = x.at + x.size;
      const int bottom = y.at + y.size;
      if (group_at(cell.row - 1, cell.column) != own ||
          apart(panel_.rows, cell.row)) {
        across[y.at].insert({x.at, right});
      }
      if (group_at(cell.row + 1, cell.column) != own ||
          apart(panel_.rows, cell.row + 1)) {
        across[bottom].insert({x.at, right});
      }
      if (group_at(cell.row, cell.column - 1) != own ||
          apart(panel_.columns, cell.column)) {
        down[x.at].insert({y.at, bottom});
      }
      if (group_at(cell.row, cell.column + 1) != own ||
          apart(panel_.columns, cell.column + 1)) {
        down[right].insert({y.at, bottom});
      }
    }
    std::string path;
    for (const auto& line : across) {
      each_joined(line.second, [&](int begin, int end) {
        path += fmt::format("M{} {}h{}", begin, line.first, end - begin);
      });
    }
    for (const auto& line : down) {
      each_joined(line.second, [&](int begin, int end) {
        path += fmt::format("M{} {}v{}", line.first, begin, end - begin);
      });
    }
    if (!path.empty()) {
      out_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
    }
  }

  static bool apart(const std::vector<PictureTrack>& tracks, std::int32_t k) {
    return k >= 0 && static_cast<std::size_t>(k) < tracks.size() &&
           tracks[static_cast<std::size_t>(k)].space != 0;
  }

  template <class Visit>
  static void each_joined(const std::set<std::pair<int, int>>& lines,
                          Visit visit) {
    auto next = lines.begin();
    while (next != lines.end()) {
      const int begin = next->first;
      int end = next->second;
      for (++next; next != lines.end() && next->first <= end; ++next) {
        end = std::max(end, next->second);
      }
      visit(begin, end);
    }
  }

  void tag(const char* style, const std::string& text, int x, int y) {
    const int width = mono_width(text, 8) + 5;
    out_ += fmt::format(
        "<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" "
        "rx=\"2\"/><text x=\"{}\" y=\"{}\">{}</text></g>\n",
        style, x, y, width, x + width / 2, y + 8, escaped(text));
  }

  // Within a row of memory, and anywhere in the logical tensor, a jump is an
  // arrow; where memory goes on in the next row, its tag alone.
  void jumps() {
    for (const PictureJump& jump : panel_.jumps) {
      const PictureCell& from = panel_.cells[jump.from];
      const PictureCell& to = panel_.cells[jump.to];
      const Span fx = column(from);
      const Span fy = row(from);
      const Span tx = column(to);
      const Span ty = row(to);
      std::string path;
      if (from.row == to.row) {
        path = fmt::format("M{} {}H{}", fx.at + fx.size / 2,
                           fy.at + fy.size - 3, tx.at + tx.size / 2);
      } else if (panel_.logical) {
        path = fmt::format("M{} {}L{} {}", fx.at + fx.size / 2,
                           fy.at + fy.size - 4, tx.at + tx.size / 2, ty.at + 4);
      } else {
        continue;
      }
      out_ += fmt::format(
          "<path class=\"halo\" d=\"{0}\"/><path class=\"jump\" d=\"{0}\"/>\n",
          path);
    }
    // Tags after all arrows, so that none is crossed out.
    for (const PictureJump& jump : panel_.jumps) {
      const PictureCell& from = panel_.cells[jump.from];
      const PictureCell& to = panel_.cells[jump.to];
      const bool innermost = &jump == &panel_.jumps.front();
      const PictureCell& at = innermost && from.row == to.row ? from : to;
      tag("tag", jump.name, column(at).at - 1, row(at).at - 6);
    }
  }

  void marks() {
    for (const PictureMark& mark : panel_.marks) {
      const PictureCell& cell = panel_.cells[mark.cell];
      const Span x = column(cell);
      const Span y = row(cell);
      out_ += fmt::format(
          "<rect class=\"marked\" x=\"{}\" y=\"{}\" width=\"{}\" "
          "height=\"{}\"/>\n",
          x.at, y.at, x.size, y.size);
      tag("mark", mark.name, x.at - 3, y.at - 6);
    }
  }

  const PicturePanel& panel_;
  const PanelSheet& sheet_;
  const Picture& picture_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> at_;
  std::string out_;
};

}  // namespace

std::string svg_panel(const PicturePanel& panel, const PanelSheet& sheet,
                      const Picture& picture) {
  return Writer(panel, sheet, picture).run();
}

}  // namespace stridewise::draw
