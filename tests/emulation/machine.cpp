// The machine as one that has every instruction set. Its kernels are the widest
// and the portable ones: those between are tested as themselves.
// SPDX-License-Identifier: Apache-2.0
#define STRIDEWISE_AVX2
#define STRIDEWISE_AVX512
#include "engine/kernels/x86.hpp"
#include "machine/isa.cpp"

namespace stridewise {

const Processor& processor() {
  static constexpr Processor all{
      .sse4 = true, .avx2 = true, .avx512 = true, .vbmi = true};
  return all;
}

}  // namespace stridewise

namespace stridewise::engine::x86 {

std::span<const Kernel> sse4_kernels() { return {}; }
std::span<const Kernel> avx2_kernels() { return {}; }

}  // namespace stridewise::engine::x86
