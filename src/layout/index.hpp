// An element's number in logical order (last dim fastest) <-> its index.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise {

[[nodiscard]] inline std::vector<std::int64_t> index_of(const Shape& shape,
                                                        std::int64_t element) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = element % shape[d].extent;
    element /= shape[d].extent;
  }
  return index;
}

// The next index in logical order; of the last one the first.
inline void advance(std::vector<std::int64_t>& index, const Shape& shape) {
  for (std::size_t d = index.size(); d-- > 0;) {
    if (++index[d] < shape[d].extent) return;
    index[d] = 0;
  }
}

}  // namespace stridewise
