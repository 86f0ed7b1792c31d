// How what one side of a comparison stores becomes the values that are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "layout/boxes.hpp"
#include "reorder/scaled.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// The type in which values of two sides are compared: their own where it is one and no
// scale makes it another, s64 of integers, f32 or f64 of what is left. Errors: values
// that are no real numbers beside others, u64 beside integers with a sign.
[[nodiscard]] Result<ElementType> compared_type(const DiffOptions& options);

class Reading {
 public:
  // Errors: those of ScaledConversion::make().
  [[nodiscard]] static Result<Reading> make(const ElementType& stored,
                                            const ElementType& compared,
                                            const Scales& scales,
                                            const Shape& shape);

  [[nodiscard]] bool as_is() const { return !scaled_; }
  [[nodiscard]] bool by_index() const { return scaled_ && scaled_->by_index(); }
  // What a plan has to do to elements on the way; nullopt: nothing, or what it cannot,
  // because each index of a dim has a scale of its own.
  [[nodiscard]] std::optional<Values> fused() const {
    if (as_is() || by_index()) return std::nullopt;
    return scaled_->values();
  }

  // The element of index x, stored there.
  void one(const std::byte* stored, std::span<const std::int64_t> x,
           std::byte* value) const;
  // The elements of a box, in logical order on both sides. Pre: by_index().
  void box(const Box& box, const std::byte* stored, std::byte* values) const {
    scaled_->box(box.begin, box.shape, stored, values);
  }

 private:
  std::size_t bytes_ = 0;  // of a stored element
  std::optional<ScaledConversion> scaled_;
};

}  // namespace stridewise::inspect
