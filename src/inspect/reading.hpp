// How what one side of a comparison stores becomes the values that are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inspect/parts.hpp"
#include "reorder/values/conversion.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// The type in which values of two sides are compared: their own where it is one and no
// scale makes it another, s64 of integers, f32 or f64 of what is left. Errors: values
// that are no real numbers beside others, u64 beside integers with a sign.
[[nodiscard]] Result<ElementType> compared_type(const DiffOptions& options);

class Reading {
 public:
  // Pre: check() passes for the types and each quantisation.
  // Errors: scales of a dim that the shape has not, or of another number than its extent.
  [[nodiscard]] static Result<Reading> make(const ElementType& stored,
                                            const ElementType& compared,
                                            const Scales& scales,
                                            const Shape& shape);

  [[nodiscard]] bool as_is() const { return !conversion_; }
  // What a plan has to do to elements on the way; nullopt: nothing, or what it cannot,
  // because each index of a dim has a scale of its own.
  [[nodiscard]] std::optional<Values> fused() const;
  [[nodiscard]] bool by_index() const { return dim_.has_value(); }

  // The element of index x, stored there.
  void one(const std::byte* stored, std::span<const std::int64_t> x,
           std::byte* value) const;
  // The elements of a box, in logical order on both sides.
  void box(const Box& box, const std::byte* stored, std::byte* values) const;

 private:
  Values values_;
  std::optional<ValueConversion> conversion_;
  std::optional<std::size_t> dim_;
  std::vector<Quantisation> each_;
};

}  // namespace stridewise::inspect
