// Which digit gives cells their colour, and the colours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stridewise/draw.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise::draw {

struct Colouring {
  std::string name;  // of the digit; empty: no colours
  std::size_t dim = 0;
  Digit digit = {};
  std::int64_t extent = 0;  // values of the digit
  bool ordered = false;
  std::vector<PictureColour> colours;

  // Index of an element -> into `colours`, or -1.
  [[nodiscard]] std::int32_t of(std::span<const std::int64_t> index) const;
};

// So many colours that are told apart; from nine on, steps of a scale.
[[nodiscard]] std::vector<PictureColour> colours_of(std::int64_t count);

// `text`: a dim, a digit, "none", or empty for a choice by the layout's digits.
[[nodiscard]] Result<Colouring> make_colouring(const Layout& layout,
                                               const std::string& text);

}  // namespace stridewise::draw
