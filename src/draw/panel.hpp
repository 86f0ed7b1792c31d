// One memory as a panel of a picture: cells, counts, blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/colour.hpp"
#include "draw/grid.hpp"
#include "stridewise/draw.hpp"

namespace stridewise::draw {

// Elements, padding and gaps of all places; told apart by arithmetic where
// strides nest, by asking for every place where there are few.
void count_places(const Layout& layout, PicturePanel& panel);

// The digits that lie together at the end of memory, and what they span.
struct Block {
  std::string name;              // "c%16"; empty: there is none to outline
  std::int64_t span = 1;         // places from its first to its last
  std::vector<BoundTerm> outer;  // digits of the last axis around it
  std::int64_t base = 0;
  std::int64_t extent = 0;  // of the last axis

  // Which block a place lies in: the place where it begins; -1: in none.
  [[nodiscard]] std::int64_t of(std::int64_t place, std::int64_t along) const;
};
[[nodiscard]] Block block_of(const Layout& layout);

// Rows, columns and cells of a layout's memory; labels and colours are not
// chosen yet.
[[nodiscard]] Result<PicturePanel> make_panel(const Layout& layout,
                                              const GridOptions& options);

}  // namespace stridewise::draw
