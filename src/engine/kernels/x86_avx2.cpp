// AVX2: vectors of 32 bytes, two to a line.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program256.hpp"
#include "engine/kernels/sets.hpp"
#include "engine/kernels/x86.hpp"
#include "engine/kernels/x86_vectors.hpp"

namespace stridewise::engine::x86 {
namespace {

constexpr auto table = with_programs<ProgramVector256>(
    Isa::avx2,
    common_kernels<Isa::avx2, Vector256, Vector256, Vector256, true>());

}  // namespace

std::span<const Kernel> avx2_kernels() { return table; }

}  // namespace stridewise::engine::x86
