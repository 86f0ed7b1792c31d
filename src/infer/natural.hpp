// Strides that follow by themselves need not be written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise::inference {

// Leaves out exact strides that are the natural ones of these terms, slowest first.
// `digits` has as many bound ones, for their extents.
inline void hide_natural_strides(std::vector<Term>& terms,
                                 std::span<const LayoutPiece::Digit> digits) {
  std::int64_t space = 1;
  for (std::size_t k = terms.size(); k-- > 0;) {
    if (terms[k].stride.kind == Step::Kind::natural) continue;
    const std::int64_t stride = terms[k].stride.value;
    if (stride == space) terms[k].stride = {};
    space = stride * digits[k].extent;
  }
}

// One axis of these digits, whose strides are exact, slowest first and in the simplest form;
// nullopt: it cannot be, or two elements would meet.
[[nodiscard]] std::optional<Layout> bind_digits(std::vector<Term> terms,
                                                std::vector<FusedIndex> fused,
                                                std::int64_t base,
                                                const Shape& shape,
                                                std::int64_t element_bytes);

}  // namespace stridewise::inference
