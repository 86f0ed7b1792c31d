// Kernels for any machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reorder/kernels/kernel.hpp"

namespace stridewise::portable {

// None where the build is for machines that have better ones.
[[nodiscard]] std::span<const Kernel> kernels();
// For what no other kind can do; no instruction set has better.
[[nodiscard]] std::span<const Kernel> strided_kernels();

}  // namespace stridewise::portable
