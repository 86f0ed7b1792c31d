// The floats of 4 to 8 bits that accelerators know, by their formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stridewise/element.hpp"

namespace stridewise {

// What a code means: sign, exponent and mantissa, from the highest bit down.
//   value = (-1)^sign * 2^(exponent - bias) * 1.mantissa; exponent 0: denormal
// Sources: OCP 8-bit Floating Point Specification 1.0; OCP Microscaling Formats 1.0;
// the table of formats in the documentation of ml_dtypes.
struct SmallFloat {
  enum class Specials : std::uint8_t {
    ieee,           // the highest exponent is infinity (mantissa 0) and NaN
    nan_only,       // fn: all ones is NaN, no infinity
    negative_zero,  // fnuz: what would be -0 is NaN, no infinity
    none,           // every code is finite
  };
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  bool is_signed = true;
};

// Pre: the type is of kind small_floating.
[[nodiscard]] const SmallFloat& small_float_of(const ElementType& type);

// The value of a code, exactly. Pre: code < 2^bits of the type.
[[nodiscard]] float decode_small_float(const SmallFloat& format,
                                       std::uint32_t code);

// The code nearest to a value, ties to even (of e8, which has no mantissa, away from zero).
// What is too large becomes infinity where there is one, else NaN where there is one, else
// the largest. A NaN stays one and keeps its sign; where there is none it becomes -0, or
// +0 if its sign is set. In e8 what has no power of two, zero and below, is NaN.
[[nodiscard]] std::uint32_t encode_small_float(const SmallFloat& format,
                                               float value);

}  // namespace stridewise
