// What the parts of this folder share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/io.hpp"

namespace stridewise {

// "2x17x5x4"
[[nodiscard]] std::string print_extents(std::span<const std::int64_t> extents);

}  // namespace stridewise
