// Kernels for any machine, by vectors of 16 bytes.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/portable.hpp"

#include "engine/kernels/sets.hpp"
#if defined(__aarch64__)
#include "engine/kernels/program128.hpp"
#endif

namespace stridewise::engine::portable {
namespace {

#if defined(STRIDEWISE_LEAST_AVX2)
constexpr std::span<const Kernel> table;
#elif defined(__aarch64__)
constexpr auto table = with_programs<ProgramVector128>(
    Isa::portable,
    common_kernels<Isa::portable, Vector128, Vector128, Vector128, false>());
#else
constexpr auto table =
    common_kernels<Isa::portable, Vector128, Vector128, Vector128, false>();
#endif

}  // namespace

std::span<const Kernel> kernels() { return table; }

}  // namespace stridewise::engine::portable
