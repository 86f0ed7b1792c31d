// The kernels of each x86 instruction set, compiled in a file of their own with its flags.
// Call what they point to only where the machine has the set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/kernels/tile.hpp"

namespace stridewise::engine::x86 {

[[nodiscard]] std::span<const Kernel> sse4_kernels();
[[nodiscard]] std::span<const Kernel> avx2_kernels();
[[nodiscard]] std::span<const Kernel> avx512_kernels();
[[nodiscard]] std::span<const Kernel> vbmi_kernels();

}  // namespace stridewise::engine::x86
