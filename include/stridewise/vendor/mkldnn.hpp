// MKL-DNN's (oneDNN's) memory descriptors: padded dims, strides, size and
// sub-memory, by the vendor's rules. Layouts themselves are tags
// (notation.hpp); this says what the vendor's library would answer.
// Source: mkl-dnn v0.16, oneDNN 2.6 memory_desc.cpp; checked against libdnnl.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stridewise/result.hpp"

namespace stridewise::mkldnn {

struct MemoryDesc {
  std::vector<std::int64_t> dims;         // logical order
  std::vector<std::int64_t> padded_dims;  // rounded up to whole blocks
  std::vector<std::int64_t> strides;      // elements, from block to block
  std::vector<std::int64_t> inner_dims;  // of each inner block, outermost first
  std::vector<std::int64_t> inner_blocks;
  std::int64_t offset0 = 0;  // elements

  friend bool operator==(const MemoryDesc&, const MemoryDesc&) = default;
};

// Descriptor of a tag; no dims give the empty descriptor. Errors: a tag that
// is none, another number of dims, a negative dim, overflow.
[[nodiscard]] Result<MemoryDesc> describe(std::string_view tag,
                                          std::span<const std::int64_t> dims);

// Plain memory with the caller's strides; none: dense. Stride 0 broadcasts.
// Error: elements overlap.
[[nodiscard]] Result<MemoryDesc> describe_strided(
    std::span<const std::int64_t> dims, std::span<const std::int64_t> strides);

// v0_16 counts stride x blocks of every dim; v2 takes no stride of a dim with
// one block. Neither is "last element + 1": row pitches count in full.
enum class SizeRule : std::uint8_t { v0_16, v2 };
[[nodiscard]] Result<std::int64_t> size_bytes(const MemoryDesc& desc,
                                              std::int64_t element_bytes,
                                              SizeRule rule = SizeRule::v2);

// The part of `desc` of extent `dims` at `offsets`. Errors: out of range
// (invalid_value); not on whole blocks (unsupported): offsets must be multiples
// of the blocks, and extents too unless they are under a block or end at the
// border.
[[nodiscard]] Result<MemoryDesc> submemory(
    const MemoryDesc& desc, std::span<const std::int64_t> dims,
    std::span<const std::int64_t> offsets);

}  // namespace stridewise::mkldnn
