// What programs ask of vectors of 16 bytes: a source is a piece of src and a mask.
// Included where those permute bytes by masks that are data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/bits/bit_vector128.hpp"

namespace stridewise::engine {
namespace {

struct ProgramVector128 : BitVector128 {
  static constexpr std::int64_t vector_bytes = 16;
  struct Source {
    std::int64_t at;
    type mask;
  };

  [[gnu::always_inline]] static Source source(const std::byte* table) {
    Source source;  // NOLINT: read whole
    std::memcpy(&source.at, table, 8);
    source.mask = load(table + 16);
    return source;
  }
  [[gnu::always_inline]] static type first(const Source& from,
                                           const std::byte* src) {
    return shuffle_bytes(from.mask, load(src + from.at));
  }
  [[gnu::always_inline]] static type more(type v, const Source& from,
                                          const std::byte* src) {
    return either(v, first(from, src));
  }
  [[gnu::always_inline]] static void store_part(std::byte* dst, type v,
                                                std::uint64_t /*stored*/) {
    store(dst, v);
  }
};

}  // namespace
}  // namespace stridewise::engine
