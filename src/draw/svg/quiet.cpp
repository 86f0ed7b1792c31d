// Where words about columns that are left out find a place.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "draw/svg/sheet.hpp"

namespace stridewise::draw {

std::optional<int> quiet_place(const PicturePanel& panel,
                               const PanelSheet& sheet,
                               std::string_view words) {
  if (sheet.rows.empty()) return std::nullopt;
  const int length = sans_width(words) + 38;
  const int bottom = sheet.rows.back().at + sheet.rows.back().size;
  const std::vector<int> lanes = row_lanes(panel);
  std::vector<Span> taken_by_words;
  for (std::size_t k = 0; k < panel.rows.size(); ++k) {
    if (panel.rows[k].elided != 0) taken_by_words.push_back(sheet.rows[k]);
  }
  std::vector<Span> all = taken_by_words;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    if (lanes[k] != 0)
      all.push_back({sheet.rows[k].at, lanes_height(lanes[k])});
  }
  const int middle = (sheet.cells_y + bottom) / 2;
  for (const std::vector<Span>& taken : {all, taken_by_words}) {
    for (int away = 0; away < (bottom - sheet.cells_y) / 2; ++away) {
      for (const int y : {middle - away, middle + away}) {
        const int top = y - length / 2;
        const int end = y + length / 2;
        if (top > sheet.cells_y && end < bottom &&
            std::ranges::none_of(taken, [&](Span span) {
              return span.at < end && span.at + span.size > top;
            })) {
          return y;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace stridewise::draw
