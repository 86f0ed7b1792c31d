// How far numbers may lie apart that were one before they were stored in two types.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "element/small_float.hpp"
#include "reorder/values/converter.hpp"
#include "stridewise/diff.hpp"

namespace stridewise {
namespace {

// Bits of fraction, and the exponent of the least number above zero.
struct Precision {
  int fraction_bits;
  int least_exponent;
};

Precision precision_of(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::brain_floating:
      return {7, -133};
    case ElementKind::small_floating: {
      const SmallFloat& format = small_float_of(type);
      // Powers of two alone: from one to the next is half of the larger one.
      if (!format.is_signed) return {1, -127};
      return {format.mantissa_bits, 1 - format.bias - format.mantissa_bits};
    }
    default:
      return type.bits == 16   ? Precision{10, -24}
             : type.bits == 32 ? Precision{23, -149}
                               : Precision{52, -1074};
  }
}

Tolerance step_of(const ElementType& type, const Scales& scales) {
  Tolerance step;
  if (type.is_integer()) {
    for (const Quantisation& each : scales.each) {
      step.atol = std::max(step.atol, static_cast<double>(each.scale));
    }
    return step;
  }
  if (type.kind == ElementKind::boolean) return step;
  const Precision precision = precision_of(type);
  step.rtol = std::ldexp(1.0, -precision.fraction_bits);
  step.atol = std::ldexp(1.0, precision.least_exponent);
  return step;
}

}  // namespace

Tolerance tolerance_between(const DiffOptions& options) {
  const ElementType type_b = options.type_b.value_or(options.type);
  const bool scaled =
      !options.scales_a.each.empty() || !options.scales_b.each.empty();
  if (options.type.name == type_b.name && !scaled) return {};
  const Tolerance a = step_of(options.type, options.scales_a);
  const Tolerance b = step_of(type_b, options.scales_b);
  // Of two floats the coarser one has rounded; a step of the other one is within.
  return {.rtol = std::max(a.rtol, b.rtol), .atol = std::max(a.atol, b.atol)};
}

}  // namespace stridewise
