// Digits of all dims -> one expression in the notation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "infer/digits.hpp"
#include "infer/offsets.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

struct Built {
  Layout layout;
  std::int64_t start_byte = 0;  // of the layout's memory, where the dump begins
  std::vector<Chain> chains;    // one a dim; strides in bytes
};

// The simplest layout with these offsets that takes the dump's bytes: natural
// strides where they are, customary alignments before plain numbers, padding
// where the size asks for it. nullopt: the steps of a dim (then `stuck` is its
// number) are no sum of digits.
[[nodiscard]] std::optional<Built> build(const Offsets& offsets,
                                         const Shape& shape,
                                         std::int64_t element_bytes,
                                         std::int64_t dump_bytes,
                                         std::size_t& stuck);

}  // namespace stridewise::inference
