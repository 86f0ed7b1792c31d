// Which instruction sets the kernels may use, and what else is known of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace stridewise {

// In order: each includes those before it. sse4 stands for SSSE3 and SSE4.1,
// avx2 for AVX2 and F16C, avx512 for F, BW, DQ and VL.
enum class Isa : std::uint8_t { portable, sse4, avx2, avx512, avx512_vbmi };

[[nodiscard]] std::string_view isa_name(Isa isa);

// The best that this machine and this build have.
[[nodiscard]] Isa machine_isa();

// The least that this build has kernels for: more than portable where it was made for
// one machine.
[[nodiscard]] Isa least_isa();

// The best of the machine, or what the environment variable STRIDEWISE_ISA names
// where that is less, but no less than the least. Asked once. Less than least_isa():
// this machine cannot run this build.
[[nodiscard]] Isa best_isa();

// Whether streaming stores ask for the page of dst that comes next: on Zen 4 conversions of
// 256 MiB take 0.87 of the time so, on Granite Rapids 1.06. Known before main() begins.
extern const bool asks_for_pages;

}  // namespace stridewise
