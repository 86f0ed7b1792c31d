// Proof that a conversion is right, before it is timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "stridewise/layout.hpp"

namespace stridewise::cli {

// Up to this many bytes a side, dst is compared with the slow reference, byte
// for byte. Beyond, a million random elements and a million random places.
inline constexpr std::int64_t most_compared_bytes = 32 << 20;

// Bytes that tell places apart, from 0x04 to 0x43: none is that of padding, and
// read as numbers of any type they are neither NaN nor subnormal, which a
// library that copies through registers may change.
void fill_pattern(std::span<std::byte> bytes);

// True when dst holds the elements of src, and zeros elsewhere.
[[nodiscard]] bool verify(const Layout& src, const Layout& dst,
                          std::span<const std::byte> src_bytes,
                          std::span<const std::byte> dst_bytes);

}  // namespace stridewise::cli
