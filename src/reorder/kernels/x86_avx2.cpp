// AVX2: vectors of 32 bytes, two to a line.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/table.hpp"
#include "reorder/kernels/x86.hpp"
#include "reorder/kernels/x86_vectors.hpp"

namespace stridewise::x86 {
namespace {

constexpr auto table = with_permuted_lanes<Isa::avx2, Vector256>(
    kernels_of<Isa::avx2, Vector256, Vector256, true>());

}  // namespace

std::span<const Kernel> avx2_kernels() { return table; }

}  // namespace stridewise::x86
