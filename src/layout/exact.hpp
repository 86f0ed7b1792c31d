// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/layout.hpp"

namespace stridewise {

// The layout's expression with every stride and pitch as the number that it has:
// bound to other extents, the same indices keep their places.
[[nodiscard]] Expression exact_expression(const Layout& layout);

}  // namespace stridewise
