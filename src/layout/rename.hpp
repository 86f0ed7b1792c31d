// Other names for the dims of an expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "stridewise/layout.hpp"

namespace stridewise::detail {

using NewNames = std::map<std::string, std::string, std::less<>>;

// Wherever a dim is named: digits, twists, fused bodies, slices, parts.
[[nodiscard]] Expression renamed(Expression expression, const NewNames& names);

}  // namespace stridewise::detail
