// AVX-512 (F, BW, DQ, VL): vectors of a whole cache line.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/table.hpp"
#include "reorder/kernels/x86.hpp"
#include "reorder/kernels/x86_vectors.hpp"

namespace stridewise::x86 {
namespace {

constexpr auto table = kernels_of<Isa::avx512, Vector512, Vector256, true>();

}  // namespace

std::span<const Kernel> avx512_kernels() { return table; }

}  // namespace stridewise::x86
