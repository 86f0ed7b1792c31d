// Memory that no cache holds, as a conversion finds what another core or a file wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace stridewise::cli {

// Writes back what the caches hold of these bytes, and forgets it. On machines other than
// x86-64 it writes through more memory than caches hold instead.
void evict(std::span<const std::byte> bytes);

}  // namespace stridewise::cli
