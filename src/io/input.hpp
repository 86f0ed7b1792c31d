// What a conversion reads: a file, what it means, and how it moves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "io/sides.hpp"
#include "stridewise/io.hpp"

namespace stridewise {

struct Input {
  TensorFile file;
  Sides sides;
  MemoryWindow window;
  std::vector<Plan> plans;         // one a pair of sides
  std::int64_t missing_bytes = 0;  // that the file leaves out at its end
  bool swaps = false;              // bytes of each element, where they are then
};

// Opens options.in and plans all that is to move, so that nothing fails later. Errors:
// the file cannot be read or is not what the options say; a conversion that is none.
[[nodiscard]] Result<Input> open_input(const ConvertOptions& options);

// Whether an array holds elements of such a side, not the bytes of its memory.
[[nodiscard]] bool holds_elements(const LayoutSource& layout, const Side& side);

}  // namespace stridewise
