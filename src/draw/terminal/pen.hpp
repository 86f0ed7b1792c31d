// The signs that a terminal can show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

// Pre: picture and style outlive it.
class Pen {
 public:
  Pen(const Picture& picture, const TerminalStyle& style);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] bool colours() const { return style_.colours; }

  // A text in the characters of the terminal.
  [[nodiscard]] std::string plain(std::string_view text) const;
  [[nodiscard]] std::string paint(const std::string& text,
                                  const std::string& codes) const;
  [[nodiscard]] std::string colour_codes(std::int32_t colour) const;
  [[nodiscard]] std::string hatching(std::size_t width) const;
  [[nodiscard]] std::string gap() const;
  [[nodiscard]] std::string dots() const;
  // What the tile's cells are put in where nothing can be underlined.
  [[nodiscard]] bool brackets() const;

 private:
  const Picture& picture_;
  const TerminalStyle& style_;
  std::size_t width_;
};

// A text in so many columns: cut, or with spaces on the left ('r'), on both
// sides ('c') or on the right.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width,
                                 char side);

[[nodiscard]] std::string terminal_legend(const Picture& picture,
                                          const Pen& pen);

}  // namespace stridewise::draw
