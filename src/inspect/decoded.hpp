// Tensors in layouts that are more than plain digits, and elements that no language has as
// numbers: as rows of numbers that it has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inspect {

// Whether the comparisons read it as it is.
[[nodiscard]] bool reads_as_is(const Layout& layout, const ElementType& type);

struct Decoded {
  Layout layout;  // its dims in order; "k/32" is k_32
  ElementType type;
  std::vector<std::byte> memory;
};

// Pre: the layout can be read. Errors: bytes of another size than the layout's. O(elements)
// time and memory.
[[nodiscard]] Result<Decoded> decode(const Layout& layout,
                                     const ElementType& type,
                                     std::span<const std::byte> bytes);

}  // namespace stridewise::inspect
