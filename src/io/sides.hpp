// What two files and two layouts mean together: which tensors move, and as what type each
// side holds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stridewise/io.hpp"

namespace stridewise {

// A memory, and the type of an element of those that its text gives none.
struct Side {
  Layout memory;
  ElementType stored;
};

// One tensor of each side.
struct Pair {
  Layout src;
  Layout dst;
  Values values;
};

struct Sides {
  Side src;
  Side dst;
  std::vector<Pair> pairs;
};

// The type of elements of src: what is asked for or the file tells. A memory of parts
// needs none where its text names them all.
[[nodiscard]] Result<ElementType> src_type(const ConvertOptions& options,
                                           const TensorFile& input);

// Binds both layouts of the options to a shape. Errors: those of binding and of src_type;
// parts that are not chosen or do not match.
[[nodiscard]] Result<Sides> bind_sides(const ConvertOptions& options,
                                       const TensorFile& input,
                                       const Shape& shape);

}  // namespace stridewise
