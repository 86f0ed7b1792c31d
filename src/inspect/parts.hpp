// The layout of a box of a tensor, and the box in logical order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "layout/boxes.hpp"

namespace stridewise::inspect {

// The layout of a box alone, in the memory of the whole: index 0 is the box's
// begin.
[[nodiscard]] Result<Layout> part_of(const Layout& layout, const Box& box);

// Dims in logical order without gaps.
[[nodiscard]] Result<Layout> logical_order(const Shape& shape,
                                           std::int64_t element_bytes);

}  // namespace stridewise::inspect
