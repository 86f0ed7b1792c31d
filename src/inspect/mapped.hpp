// Differences that are whole tensors the other way round: several dims in reverse order,
// two dims exchanged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "inspect/samples.hpp"

namespace stridewise::inspect {

// "h and w are in reverse order", "h and w are exchanged"; empty: neither is. One dim
// alone in reverse order is a rearrangement of its indices.
[[nodiscard]] std::string mapped(const Sides& sides);

}  // namespace stridewise::inspect
