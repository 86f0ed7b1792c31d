// How values change while a tensor moves: from one element type to another and,
// where one side alone is an integer, by a scale and a zero point.
//
//   floats to floats              the nearest value, ties to even (e8: away from zero),
//                                 rounded once
//   integers <-> floats           real = (integer - zero_point) * scale, in f32 where no
//                                 side is f64 or an integer of more than 8 bits, else in
//                                 f64; rounded again where the float has fewer bits
//   integers of two signs         the same number, saturated
//   a type to itself              its bytes, unchanged
//   integers of one signedness    the same number, saturated where it becomes narrower;
//                                 a type below a byte whose ElementType::bits are 8 has
//                                 a byte for each element
//
// Floats are f16, bf16, f32, f64, f8, f6, f4 and e8; integers are those of 1 to 8, 16, 32
// and 64 bits, and of any width among those of one signedness. By way of f64, integers of
// 64 bits are rounded to odd (Boldo, Melquiond 2008), so that what follows rounds once.
//
// The results are the same bits on every machine and instruction set, in the
// default floating-point environment: round to nearest, and neither
// flush-to-zero nor denormals-are-zero (FTZ and DAZ of MXCSR), which some
// programs set. In another one they are unspecified, and still safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// The affine map between integers and real numbers:
// real = (integer - zero_point) * scale.
struct Quantisation {
  float scale = 1;  // finite, > 0
  std::int32_t zero_point =
      0;  // the integer that means 0.0; of its type's range

  friend constexpr bool operator==(const Quantisation&,
                                   const Quantisation&) = default;
};

// The quantisation of a tensor: one for all, or one for each index of a dim, as weights
// have it for each channel.
struct Scales {
  std::string dim = {};  // empty: one for all
  std::vector<Quantisation> each =
      {};  // empty: integers are the numbers themselves
};

// The types of both sides. The quantisation is that of the side which is an
// integer; where none is, or both are, it stays {1, 0}.
struct Values {
  ElementType src;
  ElementType dst;
  Quantisation quantisation = {};

  friend constexpr bool operator==(const Values&, const Values&) = default;
};

// Whether values can change like that. Errors: unsupported, for a pair of types
// that is not above; invalid_value, for a scale that is not finite or not
// positive, for a zero point that the integer type cannot hold, and for a
// quantisation where nothing is quantised.
[[nodiscard]] Result<void> check(const Values& values);

// Converts `count` values that follow each other, one at a time: slow, and the
// oracle of every test. Pre: check(values); src and dst have count elements of
// their types at any alignment and do not overlap. Allocates nothing.
//
// f32 -> f16, bf16   The nearest, ties to even; what is too large becomes
//                    infinity, denormals are kept. A NaN stays one: quiet, with
//                    its sign and the upper bits of its payload.
// f16 -> f32         Exact. A NaN becomes quiet and keeps sign and payload.
// bf16 -> f32        The upper half of the bits, for NaNs too.
// floats to integers q = saturate(round(x / scale) + zero_point). x / scale is
//                    the quotient rounded to f32, or to f64 where a side is wide, no
//                    product with 1 / scale; round() goes to the nearest integer, ties
//                    to even. An infinity saturates; a NaN gives zero_point.
// f32 -> f8 ...      As the type has infinities and NaNs: see docs/notation.md.
// s8, u8 -> f32      (q - zero_point) * scale, rounded to f32 once. Converting
//                    back gives q, unless the product overflows to infinity.
// others             (q - zero_point) * scale, rounded to f64 and then to the float.
void convert_values(const Values& values, const std::byte* src, std::byte* dst,
                    std::int64_t count);

}  // namespace stridewise
