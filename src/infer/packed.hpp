// Elements of less than their bytes in the dump: nibbles, bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stridewise/infer.hpp"

namespace stridewise::inference {

// Appends each place of a stream of `bits` bits, lowest first, as `width` bytes of its own.
// Bits at the end that are no whole place are left out. Pre: bits <= 8 * width <= 64.
void append_places(std::span<const std::byte> stream, std::int64_t bits,
                   std::int64_t width, std::vector<std::byte>& places);

// The elements without the bits that do not count, such as those of a sign. Pre: as above.
[[nodiscard]] std::vector<std::byte> without_high_bits(
    std::span<const std::byte> elements, std::int64_t bits, std::int64_t width);

// decide() of a dump that is a stream of `packed_bits` bits each, without records.
[[nodiscard]] InferReport decide_packed(std::span<const InferPair> pairs,
                                        const InferOptions& options,
                                        std::int64_t elements);

}  // namespace stridewise::inference
