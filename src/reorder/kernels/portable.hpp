// Kernels for any machine: 128-bit vectors in the compilers' own vector
// extension, which every target they know lowers to something good.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/kernels/kernel.hpp"

namespace stridewise::portable {

void copy(const Tile& tile);
void fill(const Tile& tile);

// Instantiated for widths 1, 2, 4, 8 and 16.
template <int width>
void transpose(const Tile& tile);
template <int width>
void strided(const Tile& tile);

}  // namespace stridewise::portable
