// Proof that a conversion is right, before it is timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bench/problem.hpp"

namespace stridewise::cli {

// Up to this many bytes a side, dst is compared with the slow reference, byte
// for byte. Beyond, a million random elements and a million random places.
inline constexpr std::int64_t most_compared_bytes = 32 << 20;

// What src holds: values from -150 to 150 where they change on the way, or all
// integers of 8 bits. Else bytes that tell places apart, from 0x04 to 0x43: none is
// that of padding, and read as numbers of any type they are neither NaN nor
// subnormal, which a library that copies through registers may change.
void fill_src(const BoundProblem& problem, std::span<std::byte> bytes);

// True when dst holds the elements of src, or what they are converted to, and zeros
// elsewhere.
[[nodiscard]] bool verify(const BoundProblem& problem,
                          std::span<const std::byte> src_bytes,
                          std::span<const std::byte> dst_bytes);

}  // namespace stridewise::cli
