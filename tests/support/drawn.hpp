// What tests of pictures share: a layout from its text, and what each cell of a
// panel must say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::testing {

inline Layout bound(const std::string& text, const std::string& shape,
                    std::int64_t element_bytes = 4) {
  const Result<LayoutSource> source = resolve_layout(text);
  EXPECT_TRUE(source.has_value()) << text;
  const Result<Layout> layout =
      source->bind(*parse_shape(shape, source->dims), element_bytes);
  EXPECT_TRUE(layout.has_value()) << text << ' ' << shape;
  return layout.value();
}

// Every cell says what element_at says, and none stands on another.
inline void expect_true_cells(const PicturePanel& panel, const Layout& layout) {
  std::vector<std::int64_t> index(layout.shape().size());
  std::set<std::pair<int, int>> taken;
  std::set<std::int64_t> places;
  for (const PictureCell& cell : panel.cells) {
    ASSERT_GE(cell.offset, 0);
    ASSERT_LT(cell.offset, layout.places());
    const Place kind = layout.element_at(cell.offset, index);
    ASSERT_EQ(cell.kind, kind);
    if (kind == Place::element) {
      ASSERT_EQ(cell.index, index);
      std::vector<std::int64_t> at(layout.axes().size());
      layout.coordinates_of(index, at);
      ASSERT_EQ(cell.coords, at);
    } else {
      ASSERT_TRUE(cell.index.empty());
      ASSERT_EQ(cell.colour, -1);
    }
    ASSERT_TRUE(taken.insert({cell.row, cell.column}).second);
    ASSERT_TRUE(places.insert(cell.offset).second);
    ASSERT_EQ(panel.rows.at(static_cast<std::size_t>(cell.row)).elided, 0);
    ASSERT_EQ(panel.columns.at(static_cast<std::size_t>(cell.column)).elided,
              0);
  }
}

}  // namespace stridewise::testing
