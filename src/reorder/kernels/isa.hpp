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

// Whether the machine works on vectors of 512 bits half by half, as Zen 4 does: then
// those of 256 bits may be faster where not memory but the caches set the pace.
[[nodiscard]] bool halves_vectors();

// How many long rows at once the machine reads ahead by itself, and better than where
// it is asked to: on Zen 5 conversions from memory are 1.2 times as fast so, on Zen 4
// they take 1.1 to 1.4 times as long.
[[nodiscard]] std::int64_t rows_read_ahead();

// Whether what streams from memory is best read in other ways than from the last cache, as
// on Zen 4. Few rows at once and whole, though columns of dst are written by shorter
// pieces then: transposes of 100 MiB and more, by pairs of lines instead of four, take
// 0.85 of the time. Short rows asked for: images 0.75, but from the cache 1.1.
[[nodiscard]] bool tells_memory_apart() noexcept;

// Whether the machine reads ahead in few pages at once, as Intel's do in 32: then rows
// from memory are best asked for by some lines of one at once, and few are read side by
// side. On Granite Rapids transposes of 256 MiB take 0.5 to 0.8 of the time so.
[[nodiscard]] bool reads_ahead_by_pages() noexcept;

// What follows from that, known before main() begins; until then nothing is asked for.
// Whether streaming stores ask for the page of dst that comes next (streaming.hpp).
extern const bool asks_for_pages;
// How far ahead src is asked for where it is read in order, shared out among the rows that
// are; 0: the machine reads ahead far enough.
extern const std::int64_t in_order_ahead;

}  // namespace stridewise
