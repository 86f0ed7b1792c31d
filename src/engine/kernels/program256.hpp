// What programs ask of vectors of 32 bytes: a source is a piece of src a lane, and a mask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>

#include "engine/kernels/bits/bit_vector256.hpp"

namespace stridewise::engine {
namespace {

struct ProgramVector256 : BitVector256 {
  static constexpr std::int64_t vector_bytes = 32;
  struct Source {
    std::int64_t low, high;
    type mask;
  };

  [[gnu::always_inline]] static Source source(const std::byte* table) {
    Source source;  // NOLINT: read whole
    std::memcpy(&source.low, table, 8);
    std::memcpy(&source.high, table + 8, 8);
    source.mask = load(table + 32);
    return source;
  }
  [[gnu::always_inline]] static type first(const Source& from,
                                           const std::byte* src) {
    return shuffle_bytes(from.mask, join(src + from.low, src + from.high));
  }
  [[gnu::always_inline]] static type more(type v, const Source& from,
                                          const std::byte* src) {
    return either(v, first(from, src));
  }
  // A lane.
  [[gnu::always_inline]] static void store_part(std::byte* dst, type v,
                                                std::uint64_t /*stored*/) {
    store_some<1>(dst, v, 0);
  }
};

}  // namespace
}  // namespace stridewise::engine
