// Kernels for any machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/kernels/tile.hpp"

namespace stridewise::engine::portable {

[[nodiscard]] std::span<const Kernel> kernels();

}  // namespace stridewise::engine::portable
