// The types of GGUF files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace stridewise {

// A type of GGUF: plain elements, or blocks of them along the fastest dim.
struct GgufType {
  std::uint32_t number;
  std::string_view name;
  std::int64_t block;        // elements of a block; 1: plain elements
  std::int64_t block_bytes;  // of a block
  // Plain elements: the name of our type. Blocks: that of the catalogue's layout; empty
  // where it has none.
  std::string_view ours;
};

// nullptr: not known.
[[nodiscard]] const GgufType* gguf_type(std::uint32_t number);

}  // namespace stridewise
