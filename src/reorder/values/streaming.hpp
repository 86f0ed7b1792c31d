// What converters ask for before they need it. Included by the file of an instruction set
// alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/isa.hpp"

namespace stridewise {
namespace {

constexpr std::int64_t line = 64;

[[gnu::always_inline]] inline std::int64_t to_next_line(const std::byte* at) {
  return -reinterpret_cast<std::intptr_t>(at) & (line - 1);
}

// Asks for the lines of so many bytes of src, which are read soon: past the L1 cache,
// which would not keep them until then.
template <std::int64_t bytes>
[[gnu::always_inline]] inline void ask_for(const std::byte* from) {
#pragma GCC unroll 8
  for (std::int64_t at = 0; at < bytes; at += line) {
    __builtin_prefetch(from + at, 0, 2);
  }
}

// Streaming stores wait where they come to another page of dst until its address is
// found: a line of the page that follows is asked for, while one is written.
[[gnu::always_inline]] inline void ask_page_after(const std::byte* to,
                                                  std::uintptr_t bytes) {
  constexpr std::uintptr_t page_bytes = 4096;
  if (reinterpret_cast<std::uintptr_t>(to) % page_bytes < bytes &&
      asks_for_pages) {
    __builtin_prefetch(to + page_bytes, 0, 0);
  }
}

}  // namespace
}  // namespace stridewise
