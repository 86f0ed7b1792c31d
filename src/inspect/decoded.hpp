// Tensors in layouts that are more than plain digits, and elements that no language has as
// numbers: as rows of numbers that it has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inspect {

// Whether plans read it element by element: plain digits, elements of whole bytes.
[[nodiscard]] bool reads_as_is(const Layout& layout);

// "k_32" for the dim "k/32" of a part: a name that a layout of its own can have.
[[nodiscard]] std::string plain_name(std::string dim);

struct Decoded {
  Layout layout;  // its dims in order; "k/32" is k_32
  ElementType type;
  std::unique_ptr<std::byte[]> memory;

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {memory.get(), static_cast<std::size_t>(layout.size_bytes())};
  }
};

// Pre: the layout can be read. Errors: bytes of another size than the layout's; more
// elements than there is memory for. O(elements) time and memory.
[[nodiscard]] Result<Decoded> decode(const Layout& layout,
                                     const ElementType& type,
                                     std::span<const std::byte> bytes);

// Memory that is zero, or nullptr where there is none.
[[nodiscard]] std::unique_ptr<std::byte[]> zeros(std::int64_t bytes);

// k_32 of a text about decoded dims is k/32 where the shape has that dim.
[[nodiscard]] std::string with_own_names(std::string text, const Shape& shape);

}  // namespace stridewise::inspect
