// A shared object that has the static library within it.
// SPDX-License-Identifier: Apache-2.0
#include <stridewise/stridewise.hpp>

// The bytes that a tensor takes in a layout; -1 where the text is none.
std::int64_t plugin_size(const char* layout, const stridewise::Shape& shape) {
  const auto bound = stridewise::bind_layout(layout, shape, 4);
  return bound ? bound->size_bytes() : -1;
}
