// Where everything of a picture stands on its sheet, in pixels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

struct Span {
  int at = 0;
  int size = 0;
};

// One panel: its cells, with rulers to the left and above.
struct PanelSheet {
  int x = 0, y = 0, width = 0, height = 0;
  int cells_x = 0, cells_y = 0;  // where rows and columns begin
  std::vector<Span> rows, columns;
  std::vector<int> row_bands_x;     // left edge of each level
  std::vector<int> column_bands_y;  // baseline of each level, above all rows
  int labels_y = 0;                 // baseline of column labels; 0: none
  bool titled = false;
};

struct Sheet {
  int width = 0;
  int panels_bottom = 0;
  std::vector<PanelSheet> panels;
};

// Baseline of a band of columns.
[[nodiscard]] int band_y(const PanelSheet& sheet, std::size_t level,
                         const PictureBand& band);

[[nodiscard]] Sheet measure(const Picture& picture);

// Without the font at hand: what a text of these characters needs at most.
[[nodiscard]] int mono_width(std::string_view text, double size = 10);
[[nodiscard]] int sans_width(std::string_view text, double size = 11.5);

[[nodiscard]] std::string escaped(std::string_view text);

// How many lanes each row of cells has above its labels for a mark and for jumps,
// 0 to 4, and how high so many are.
[[nodiscard]] std::vector<int> row_lanes(const PicturePanel& panel);
[[nodiscard]] int lanes_height(int lanes);

// The middle of these words across the rows where no others stand, and if
// possible no jump passes, as near to the middle of the panel as can be; none:
// they stand below, in a line of their own.
[[nodiscard]] std::optional<int> quiet_place(const PicturePanel& panel,
                                             const PanelSheet& sheet,
                                             std::string_view words);
inline constexpr int note_line = 16;

// The parts of the document.
[[nodiscard]] std::string svg_outlines(const PicturePanel& panel,
                                       const PanelSheet& sheet);
[[nodiscard]] std::string svg_jumps(const PicturePanel& panel,
                                    const PanelSheet& sheet);
[[nodiscard]] std::string svg_marks(const PicturePanel& panel,
                                    const PanelSheet& sheet);
[[nodiscard]] std::string svg_panel(const PicturePanel& panel,
                                    const PanelSheet& sheet,
                                    const Picture& picture);
// Adds what it needs to `height`.
[[nodiscard]] std::string svg_legend(const Picture& picture, const Sheet& sheet,
                                     int& height);

}  // namespace stridewise::draw
