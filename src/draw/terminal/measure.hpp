// Where everything of a panel stands in a terminal, in characters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "draw/terminal/pen.hpp"
#include "stridewise/draw.hpp"

namespace stridewise::draw {

struct TerminalPanel {
  std::size_t cell = 2;                // width of each
  std::size_t bands = 0;               // before the ruler
  std::vector<std::size_t> row_bands;  // width of each level
  std::size_t ruler = 0;
  // Of each level of column bands: the word that all begin with, where they are
  // too long to say it themselves; else empty.
  std::vector<std::string> heads;
  std::vector<std::size_t> at;  // of each column, and where the next would be

  [[nodiscard]] std::size_t width() const { return at.back() - 1; }
};

[[nodiscard]] TerminalPanel measure(const PicturePanel& panel, const Pen& pen);

// The widest panel.
[[nodiscard]] std::size_t terminal_width(const Picture& picture,
                                         const Pen& pen);

// Leaves out the last columns of panels that are too wide, and says how many.
void crop(Picture& picture, const TerminalStyle& style);

}  // namespace stridewise::draw
