// One element as a number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "stridewise/element.hpp"

namespace stridewise::inspect {

struct Value {
  double real = 0;
  double imaginary = 0;

  [[nodiscard]] bool nan() const;
  [[nodiscard]] bool finite() const;
};

[[nodiscard]] Value value_at(const ElementType& type, const std::byte* at);

// How many floats lie between the two, of a floating type; else 0. The largest
// number where it does not fit.
[[nodiscard]] std::int64_t ulp_distance(const ElementType& type,
                                        const std::byte* a, const std::byte* b);

[[nodiscard]] bool has_nan(const ElementType& type);

}  // namespace stridewise::inspect
