// Kernels for any machine, by vectors of 16 bytes.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/portable.hpp"

#include "engine/kernels/sets.hpp"

namespace stridewise::engine::portable {
namespace {

constexpr auto table =
    common_kernels<Isa::portable, Vector128, Vector128, Vector128, false>();

}  // namespace

std::span<const Kernel> kernels() { return table; }

}  // namespace stridewise::engine::portable
