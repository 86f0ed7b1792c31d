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

}  // namespace stridewise
