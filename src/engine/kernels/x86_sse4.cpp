// SSE4 and SSSE3: vectors of 16 bytes that permute bytes, and stores that pass by the
// caches.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program128.hpp"
#include "engine/kernels/sets.hpp"
#include "engine/kernels/x86.hpp"

namespace stridewise::engine::x86 {
namespace {

constexpr auto table = with_programs<ProgramVector128>(
    Isa::sse4,
    common_kernels<Isa::sse4, Vector128, Vector128, Vector128, true>());

}  // namespace

std::span<const Kernel> sse4_kernels() { return table; }

}  // namespace stridewise::engine::x86
