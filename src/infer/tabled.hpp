// Offsets of dims whose indices, or a digit of them, are permuted as no digits say: a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "infer/offsets.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

// A layout with these offsets in which each dim is digits, forwards or backwards, or has one
// digit that a table permutes. nullopt: a step is unknown, a table would have more than 1024
// entries or mostly holes, or memory would begin before the dump.
[[nodiscard]] std::optional<Layout> build_with_tables(const Offsets& offsets,
                                                      const Shape& shape,
                                                      std::int64_t width);

}  // namespace stridewise::inference
