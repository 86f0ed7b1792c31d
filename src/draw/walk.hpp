// Where memory order leaves its run, step by step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stridewise/draw.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::draw {

// From the element that ends a run to the one where the next begins. For the
// innermost digit, the whole run.
struct WalkStep {
  std::size_t level = 0;  // of the digit that steps, into Walk::digits
  std::vector<std::int64_t> from_index, to_index;
};

struct Walk {
  std::vector<std::string> digits;  // innermost first
  // At most one a digit, from the first element of memory on. A digit that does
  // not step from there has none.
  std::vector<WalkStep> steps;
};

// Empty where there is no element, or digits interleave: then memory order
// follows no digits.
[[nodiscard]] Walk walk_of(const Layout& layout);

// The run of the innermost digit is named where it begins, a step where it
// lands.
[[nodiscard]] bool is_run(const PictureJump& jump);
[[nodiscard]] std::size_t tagged_cell(const PictureJump& jump);

}  // namespace stridewise::draw
