// Runs whose values change on the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/tile.hpp"
#include "reorder/values/conversion.hpp"

namespace stridewise::engine {

// How values change.
struct Conversion {
  const ValueConversion& values;
  const Quantisation& quantisation;
};

// The runs of a tile of copies, whose columns are values; zeros == 0.
void convert_runs(const Tile& tile, const Conversion& conversion, bool streams);

}  // namespace stridewise::engine
