// Values as memory holds them, as short text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "stridewise/element.hpp"

namespace stridewise::draw {

// Pre: bytes.size() == type.bytes().
[[nodiscard]] std::string print_value(const ElementType& type,
                                      std::span<const std::byte> bytes,
                                      bool big_endian);

// Is any bit set? Pre as above.
[[nodiscard]] bool nonzero(std::span<const std::byte> bytes);

}  // namespace stridewise::draw
