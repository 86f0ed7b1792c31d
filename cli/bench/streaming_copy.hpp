// A copy whose stores pass by the caches (non-temporal): dst's lines are not
// read first. Beyond the caches it is what one pass over memory can reach.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace stridewise::cli {

// Pre: src and dst do not overlap.
using Copy = void (*)(const std::byte* src, std::byte* dst, std::size_t bytes);

// By the widest streaming stores of this machine; nullptr where it has none.
[[nodiscard]] Copy streaming_copy();

// One a file, each with its compiler flags.
void streaming_copy_avx2(const std::byte* src, std::byte* dst,
                         std::size_t bytes);
void streaming_copy_avx512(const std::byte* src, std::byte* dst,
                           std::size_t bytes);

}  // namespace stridewise::cli
