// What one call of a plan's kernel moves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise::draw {

struct Tile {
  // Steps through src, in bytes, largest stride first.
  struct Loop {
    std::int64_t count, stride;
  };

  std::string kernel;
  std::int64_t begin = 0;  // byte of src where it begins
  std::int64_t width = 0;  // bytes moved at once
  std::vector<Loop> loops = {};

  // Does the first call of the kernel read the element at this byte of src?
  [[nodiscard]] bool holds(std::int64_t byte) const;
};

// Of the nest that moves most. Errors: those of Plan::make.
[[nodiscard]] Result<Tile> make_tile(const Layout& src, const Layout& dst);

}  // namespace stridewise::draw
