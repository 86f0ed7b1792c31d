// AVX-512: vectors of a line.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/sets.hpp"
#include "engine/kernels/x86.hpp"
#include "engine/kernels/x86_vectors.hpp"
#include "engine/kernels/x86_whole.hpp"

namespace stridewise::engine::x86 {
namespace {

constexpr auto table =
    common_kernels<Isa::avx512, Vector512, Vector256, Vector512Whole, true>();

}  // namespace

std::span<const Kernel> avx512_kernels() { return table; }

}  // namespace stridewise::engine::x86
