// Kernels for any machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reorder/kernels/kernel.hpp"

namespace stridewise::portable {

[[nodiscard]] std::span<const Kernel> kernels();

}  // namespace stridewise::portable
