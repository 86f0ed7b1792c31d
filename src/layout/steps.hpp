// Strides and pitches as numbers of bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise::detail {

// The bits of one step of `step`, whose right neighbours take `natural` bits. `unit`:
// the bits of an element of the axis; 0 where elements of several widths lie there.
// Negative for a step backwards. Errors: overflow; elements where none have a width.
[[nodiscard]] Result<std::int64_t> stride_bits(const Step& step,
                                               const std::string& name,
                                               std::int64_t natural,
                                               std::int64_t unit);

// The bits of one step of an axis left of `natural` bits.
[[nodiscard]] Result<std::int64_t> pitch_bits(const Step& pitch,
                                              const std::string& axis,
                                              std::int64_t natural,
                                              std::int64_t element_bits);

// The space of terms, which are added from the last to the first.
class Space {
 public:
  // `inner`: the bits that lie right of all terms.
  explicit Space(std::int64_t inner) : inner_(inner), last_(inner) {}

  [[nodiscard]] std::int64_t natural() const {
    return space_ > inner_ ? space_ : inner_;
  }
  // Error overflow.
  [[nodiscard]] Result<void> add(std::int64_t extent, std::int64_t stride,
                                 const std::string& name);
  // All bits: the larger of the largest extent x stride and the last place + 1.
  [[nodiscard]] std::int64_t size() const {
    return space_ > last_ ? space_ : last_;
  }

 private:
  std::int64_t inner_;
  std::int64_t space_ = 0;
  std::int64_t last_;
};

}  // namespace stridewise::detail
