// The machine as one that has every instruction set. Its kernels are the widest
// and the portable ones: those between are tested as themselves.
// SPDX-License-Identifier: Apache-2.0
#define __builtin_cpu_supports(feature) true
#define __builtin_cpu_is(model) false
#define STRIDEWISE_AVX2
#define STRIDEWISE_AVX512
#include "reorder/kernels/isa.cpp"
#include "reorder/kernels/x86.hpp"

namespace stridewise::x86 {

std::span<const Kernel> sse4_kernels() { return {}; }
std::span<const Kernel> avx2_kernels() { return {}; }

}  // namespace stridewise::x86
