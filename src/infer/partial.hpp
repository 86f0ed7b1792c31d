// Dumps that have a part of the tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "infer/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

// Whether the elements that the dump has, which are all right, say more than the layout
// takes: a few elements at an end of any dump are those of some layout. An element says as
// much as its value does, at most which place of the dump it is; the layout takes the place of
// the first element and of one more in each dim. O(1) elements are looked at.
[[nodiscard]] bool enough_present(const InferData& data, const Layout& layout,
                                  std::int64_t elements, std::int64_t present);

}  // namespace stridewise::inference
