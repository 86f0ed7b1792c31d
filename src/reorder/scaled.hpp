// Values whose quantisation hangs on the index of a dim, as that of weights on the
// channel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reorder/values/conversion.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {

class ScaledConversion {
 public:
  // Of a side of this shape whose integers the scales are of; without scales they are the
  // numbers. Errors: types that do not convert; a quantisation that check() refuses; scales
  // of a dim that the shape has not, or of another number than its extent.
  [[nodiscard]] static Result<ScaledConversion> make(Values values,
                                                     const Scales& scales,
                                                     const Shape& shape);

  [[nodiscard]] bool by_index() const { return dim_.has_value(); }
  // Pre: !by_index().
  [[nodiscard]] const Values& values() const { return values_; }

  // The value of the element x.
  void one(std::span<const std::int64_t> x, const std::byte* src,
           std::byte* dst) const;
  // The elements from index `begin` on, of these extents, in logical order on both sides.
  void box(std::span<const std::int64_t> begin, const Shape& extents,
           const std::byte* src, std::byte* dst) const;

 private:
  [[nodiscard]] const Quantisation& at(std::int64_t index) const {
    return dim_ ? each_[static_cast<std::size_t>(index)] : values_.quantisation;
  }

  Values values_;
  std::optional<ValueConversion> conversion_;  // nullopt: the types are one
  std::optional<std::size_t> dim_;
  std::vector<Quantisation> each_;
};

}  // namespace stridewise
