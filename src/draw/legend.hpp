// What a picture says about itself in words, for every renderer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

struct LegendItem {
  enum class Swatch : std::uint8_t {
    none,
    colour,  // Picture::colours[colour]
    padding,
    gap,
    block,
    tile,
    wrong,
  };
  Swatch swatch = Swatch::none;
  std::int32_t colour = 0;
  std::string text;
  bool of_colours = false;  // of no use where there are none
};

// Lines of items.
[[nodiscard]] std::vector<std::vector<LegendItem>> legend(
    const Picture& picture);

}  // namespace stridewise::draw
