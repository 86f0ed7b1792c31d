// SSE4 and SSSE3: byte permutations, and stores that pass by the caches.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/table.hpp"
#include "reorder/kernels/x86.hpp"

namespace stridewise::x86 {
namespace {

constexpr auto table = with_permuted_lanes<Isa::sse4, Vector128>(
    kernels_of<Isa::sse4, Vector128, Vector128, true>());

}  // namespace

std::span<const Kernel> sse4_kernels() { return table; }

}  // namespace stridewise::x86
