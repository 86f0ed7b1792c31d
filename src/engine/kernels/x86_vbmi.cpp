// AVX-512 with VBMI: bytes are permuted across whole vectors.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program.hpp"
#include "engine/kernels/sets.hpp"
#include "engine/kernels/x86.hpp"
#include "engine/kernels/x86_programs.hpp"
#include "engine/kernels/x86_whole.hpp"

namespace stridewise::engine::x86 {
namespace {

constexpr auto table = std::to_array<Kernel>({
    kernel<Zip<Vector512Whole, 1>, true>(Isa::avx512_vbmi, Kind::zip, 1),
    kernel<Unzip<Vector512Whole, 1>, true>(Isa::avx512_vbmi, Kind::unzip, 1),
    program_kernel<ProgramVector512>(Isa::avx512_vbmi),
});

}  // namespace

std::span<const Kernel> vbmi_kernels() { return table; }

}  // namespace stridewise::engine::x86
