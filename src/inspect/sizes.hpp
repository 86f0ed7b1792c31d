// Bytes that must be those of a layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inspect {

[[nodiscard]] Result<void> check_bytes(const Layout& layout,
                                       std::span<const std::byte> bytes,
                                       const ElementType& type,
                                       std::string_view name);

}  // namespace stridewise::inspect
