// A tensor in boxes of indices, each small enough to be brought into logical order in
// memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise {

struct Box {
  std::vector<std::int64_t> begin;
  Shape shape;
};

// Boxes of at most `most` elements (at least one index of each dim) that cover
// the shape, cut along dims in whose direction both layouts move far, so that
// each box lies together in both.
[[nodiscard]] std::vector<Box> boxes_of(const Layout& a, const Layout& b,
                                        std::int64_t most);

}  // namespace stridewise
