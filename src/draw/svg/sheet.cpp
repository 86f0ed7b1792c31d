// SPDX-License-Identifier: Apache-2.0
#include "draw/svg/sheet.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.hpp"

namespace stridewise::draw {
namespace {

constexpr int margin = 20;
constexpr int title_height = 58;
constexpr int panel_title = 26;
constexpr int row_height = 22;
constexpr int elided_row = 20;
constexpr int elided_column = 30;
constexpr int least_cell = 26;
constexpr int widest_mark = 80;  // that a cell makes room for
constexpr std::array<int, 3> spaces = {0, 5, 12};
constexpr int band_line = 16;
constexpr int panel_gap = 36;
constexpr int page_width = 1320;  // beyond it panels stand below each other

int longest(const std::vector<PictureTrack>& tracks, double size) {
  int width = 0;
  for (const PictureTrack& track : tracks) {
    if (track.elided == 0)
      width = std::max(width, mono_width(track.label, size));
  }
  return width;
}

int lay(const std::vector<PictureTrack>& tracks, int size, int elided_size,
        int at, std::vector<Span>& spans) {
  for (const PictureTrack& track : tracks) {
    at += spans.empty() ? 0 : spaces[static_cast<std::size_t>(track.space)];
    const int own = track.elided != 0 ? elided_size : size;
    spans.push_back({at, own});
    at += own;
  }
  return at;
}

PanelSheet measure_panel(const PicturePanel& panel, bool titled) {
  PanelSheet sheet;
  sheet.titled = titled;
  int cell = least_cell;
  for (const PictureCell& one : panel.cells) {
    cell = std::max(cell, mono_width(one.label) + 7);
  }
  for (const PictureMark& mark : panel.marks) {
    cell = std::max(cell, std::min(mono_width(mark.name, 8) + 8, widest_mark));
  }
  const int labels = longest(panel.columns, 9);
  if (labels > 0) cell = std::max(cell, labels + 6);
  // A band that names one column alone must fit above it.
  for (const auto& level : panel.column_bands) {
    for (const PictureBand& band : level) {
      const int count = band.last - band.first + 1;
      cell =
          std::max(cell, (mono_width(band.text, 10) + 6 + count - 1) / count);
    }
  }

  int x = 0;
  for (const auto& level : panel.row_bands) {
    int width = 0;
    for (const PictureBand& band : level) {
      width = std::max(width, mono_width(band.text, 10));
    }
    sheet.row_bands_x.push_back(x);
    x += width + 12;
  }
  const int heading = mono_width(panel.row_heading, 9);
  x += std::max(longest(panel.rows, 9), heading) + 10;
  sheet.cells_x = x;

  int y = titled ? panel_title : 0;
  for (std::size_t k = 0; k < panel.column_bands.size(); ++k) {
    y += band_line;
    sheet.column_bands_y.push_back(y - 4);
  }
  if (labels > 0 || heading > 0) {
    y += band_line + 2;
    sheet.labels_y = y - 8;
  }
  sheet.cells_y = y;
  sheet.width = lay(panel.columns, cell, elided_column, x, sheet.columns);
  if (!panel.column_heading.empty()) {
    sheet.width += mono_width(panel.column_heading, 9) + 8;
  }
  sheet.height = lay(panel.rows, row_height, elided_row, y, sheet.rows);
  // Marks and jumps have lanes above the labels of their rows.
  const std::vector<int> lanes = row_lanes(panel);
  std::vector<bool> headed(panel.rows.size(), false);
  for (const auto& level : panel.column_bands) {
    for (const PictureBand& band : level) {
      if (band.row > 0) headed[static_cast<std::size_t>(band.row)] = true;
    }
  }
  int added = 0;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    if (headed[k]) {
      added += static_cast<int>(panel.column_bands.size()) * band_line;
    }
    sheet.rows[k].at += added;
    sheet.rows[k].size += lanes_height(lanes[k]);
    added += lanes_height(lanes[k]);
  }
  sheet.height += added;
  for (const PictureTrack& track : panel.columns) {
    if (track.elided == 0 || quiet_place(panel, sheet, track.label)) continue;
    sheet.height += note_line;
  }
  if (titled) {
    sheet.width = std::max(
        sheet.width, sans_width(panel.name + "  " + panel.expression, 13));
  }
  return sheet;
}

}  // namespace

int mono_width(std::string_view text, double size) {
  return static_cast<int>(
      std::ceil(static_cast<double>(columns_of(text)) * size * 0.61));
}

int sans_width(std::string_view text, double size) {
  return static_cast<int>(
      std::ceil(static_cast<double>(columns_of(text)) * size * 0.55));
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

int band_y(const PanelSheet& sheet, std::size_t level,
           const PictureBand& band) {
  if (band.row == 0) return sheet.column_bands_y[level];
  const auto below =
      static_cast<int>(sheet.column_bands_y.size() - level - 1) * band_line;
  return sheet.rows[static_cast<std::size_t>(band.row)].at - 6 - below;
}

Sheet measure(const Picture& picture) {
  Sheet sheet;
  const bool titled = picture.panels.size() > 1;
  int beside = margin;
  int widest = 0;
  for (const PicturePanel& panel : picture.panels) {
    sheet.panels.push_back(measure_panel(panel, titled));
    beside += sheet.panels.back().width + panel_gap;
    widest = std::max(widest, sheet.panels.back().width);
  }
  const bool stacked = beside > page_width;
  int x = margin;
  int y = title_height;
  for (PanelSheet& panel : sheet.panels) {
    panel.x = x;
    panel.y = y;
    sheet.panels_bottom = std::max(sheet.panels_bottom, y + panel.height);
    if (stacked) {
      y += panel.height + panel_gap;
    } else {
      x += panel.width + panel_gap;
    }
  }
  sheet.width = (stacked ? margin + widest : beside - panel_gap) + margin;
  sheet.width =
      std::max({sheet.width, 2 * margin + sans_width(picture.title, 16),
                2 * margin + sans_width(picture.subtitle, 12), 560});
  return sheet;
}

}  // namespace stridewise::draw
