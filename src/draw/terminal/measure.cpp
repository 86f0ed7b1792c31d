// SPDX-License-Identifier: Apache-2.0
#include "draw/terminal/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "draw/axis.hpp"

namespace stridewise::draw {
namespace {

constexpr std::size_t dots_width = 3;

std::size_t longest(const std::vector<PictureTrack>& tracks) {
  std::size_t width = 0;
  for (const PictureTrack& track : tracks) {
    if (track.elided == 0) width = std::max(width, track.label.size());
  }
  return width;
}

void place_columns(const PicturePanel& panel, TerminalPanel& sheet) {
  sheet.at.clear();
  std::size_t at = sheet.bands + sheet.ruler + 1;
  for (const PictureTrack& track : panel.columns) {
    if (track.space == 2 && !sheet.at.empty()) ++at;
    sheet.at.push_back(at);
    at += 1 + (track.elided != 0 ? dots_width : sheet.cell);
  }
  sheet.at.push_back(at);
}

std::size_t room(const TerminalPanel& sheet, const PictureBand& band) {
  return sheet.at[static_cast<std::size_t>(band.last) + 1] -
         sheet.at[static_cast<std::size_t>(band.first)] - 1;
}

// "npu" of "npu 0", "npu 1"; "c" of "c=0", "c=1".
std::string common_head(const std::vector<PictureBand>& level) {
  const std::string& first = level.front().text;
  const std::size_t end = first.find_last_of(" =");
  if (end == std::string::npos || end == 0) return "";
  const std::string_view head = std::string_view(first).substr(0, end + 1);
  for (const PictureBand& band : level) {
    if (!band.text.starts_with(head)) return "";
  }
  return std::string(head.substr(0, end));
}

// A band keeps its number; the word before it may stand once, at the ruler.
void fit_bands(const PicturePanel& panel, TerminalPanel& sheet) {
  sheet.heads.assign(panel.column_bands.size(), "");
  for (std::size_t k = 0; k < panel.column_bands.size(); ++k) {
    const std::vector<PictureBand>& level = panel.column_bands[k];
    if (std::ranges::all_of(level, [&](const PictureBand& band) {
          return band.text.size() <= room(sheet, band);
        })) {
      continue;
    }
    sheet.heads[k] = common_head(level);
    const std::size_t head =
        sheet.heads[k].empty() ? 0 : sheet.heads[k].size() + 1;
    sheet.ruler = std::max(sheet.ruler, sheet.heads[k].size());
    for (const PictureBand& band : level) {
      const auto count = static_cast<std::size_t>(band.last - band.first + 1);
      const std::size_t text = band.text.size() - head;
      sheet.cell = std::max(sheet.cell, (text + count) / count - 1);
    }
    place_columns(panel, sheet);
  }
}

void crop(PicturePanel& panel, std::size_t keep) {
  // What is left out, from left to right: columns of cells, and what was left
  // out before.
  std::string text;
  std::int64_t all = 0;
  std::int64_t cells = 0;
  const auto tell = [&](const std::string& words) {
    text += (text.empty() ? "" : ", ") + words;
  };
  const auto tell_cells = [&] {
    if (cells == 0) return;
    tell(
        fmt::format("{} more column{}", grouped(cells), cells == 1 ? "" : "s"));
    cells = 0;
  };
  for (std::size_t k = keep; k < panel.columns.size(); ++k) {
    const PictureTrack& track = panel.columns[k];
    all += std::max<std::int64_t>(1, track.elided);
    if (track.elided == 0) {
      ++cells;
    } else {
      tell_cells();
      tell(track.label);
    }
  }
  tell_cells();
  panel.columns.resize(keep);
  panel.columns.push_back({.label = text, .elided = all});
  const auto end = static_cast<std::int32_t>(keep);
  for (std::vector<PictureBand>& level : panel.column_bands) {
    std::erase_if(level,
                  [&](const PictureBand& band) { return band.first >= end; });
    for (PictureBand& band : level) band.last = std::min(band.last, end - 1);
  }
  // Jumps and marks name cells by their number.
  constexpr std::size_t gone = ~std::size_t{0};
  std::vector<std::size_t> number(panel.cells.size(), gone);
  std::vector<PictureCell> kept;
  for (std::size_t k = 0; k < panel.cells.size(); ++k) {
    if (panel.cells[k].column >= end) continue;
    number[k] = kept.size();
    kept.push_back(std::move(panel.cells[k]));
  }
  panel.cells = std::move(kept);
  for (PictureJump& jump : panel.jumps) {
    jump.from = number[jump.from];
    jump.to = number[jump.to];
  }
  std::erase_if(panel.jumps, [](const PictureJump& jump) {
    return jump.from == gone || jump.to == gone;
  });
  for (PictureMark& mark : panel.marks) mark.cell = number[mark.cell];
  std::erase_if(panel.marks,
                [](const PictureMark& mark) { return mark.cell == gone; });
}

}  // namespace

TerminalPanel measure(const PicturePanel& panel, const Pen& pen) {
  TerminalPanel sheet;
  for (const PictureCell& one : panel.cells) {
    // The sign of what should be zero, and the brackets of a tile.
    const std::size_t signs = one.nonzero                     ? 1
                              : one.in_tile && pen.brackets() ? 2
                                                              : 0;
    sheet.cell = std::max(sheet.cell, one.label.size() + signs);
  }
  sheet.cell = std::max(sheet.cell, longest(panel.columns));
  // Names of jumps stand above neighbours, too.
  constexpr std::size_t short_name = 8;
  for (const PictureJump& jump : panel.jumps) {
    sheet.cell =
        std::max(sheet.cell, std::min(short_name, columns_of(jump.name)));
  }
  sheet.ruler = std::max(panel.row_heading.size(), longest(panel.rows));
  for (const std::vector<PictureBand>& level : panel.row_bands) {
    std::size_t width = 0;
    for (const PictureBand& band : level) {
      width = std::max(width, band.text.size());
    }
    sheet.row_bands.push_back(width + 1);
    sheet.bands += width + 1;
  }
  // Rather no words at the side than no cells.
  if (sheet.bands + sheet.ruler + 2 * dots_width + 2 > pen.width()) {
    sheet.row_bands.assign(panel.row_bands.size(), 0);
    sheet.bands = 0;
  }
  place_columns(panel, sheet);
  fit_bands(panel, sheet);
  // One cell fits in any case, if need be cut; with it, dots for the others.
  const std::size_t others = panel.columns.size() > 1 ? 1 + dots_width : 0;
  const std::size_t taken = sheet.at.front() + others;
  const std::size_t most =
      pen.width() > taken + 2 ? pen.width() - taken : std::size_t{2};
  if (sheet.cell > most) sheet.cell = most;
  place_columns(panel, sheet);
  return sheet;
}

std::size_t terminal_width(const Picture& picture, const Pen& pen) {
  std::size_t width = 0;
  for (const PicturePanel& panel : picture.panels) {
    width = std::max(width, measure(panel, pen).width());
  }
  return width;
}

void crop(Picture& picture, const TerminalStyle& style) {
  const Pen pen(picture, style);
  for (PicturePanel& panel : picture.panels) {
    const TerminalPanel sheet = measure(panel, pen);
    if (sheet.width() <= pen.width() || panel.columns.size() < 2) continue;
    std::size_t keep = panel.columns.size() - 1;
    while (keep > 1 && (sheet.at[keep] + dots_width > pen.width() ||
                        panel.columns[keep - 1].elided != 0)) {
      --keep;
    }
    crop(panel, keep);
  }
}

}  // namespace stridewise::draw
