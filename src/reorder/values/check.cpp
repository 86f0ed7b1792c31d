// What a conversion of values may be asked for, before any byte is touched.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "element/small_float.hpp"
#include "reorder/values/converter.hpp"

namespace stridewise {
namespace {

// Whether values of the type are numbers that others convert to.
bool is_number(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::signed_integer:
    case ElementKind::unsigned_integer: {
      const std::int32_t bits = own_bits(type);
      return bits <= 8 || bits == 16 || bits == 32 || bits == 64;
    }
    case ElementKind::floating:
      return type.bits <= 64;
    case ElementKind::brain_floating:
    case ElementKind::small_floating:
      return true;
    case ElementKind::boolean:
    case ElementKind::complex_floating:
      break;
  }
  return false;
}

// The least and largest integers of a type, as far as 64 bits with a sign hold them.
std::pair<std::int64_t, std::int64_t> range_of(const ElementType& integer) {
  const std::int32_t bits = own_bits(integer);
  const bool is_signed = integer.kind == ElementKind::signed_integer;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >>
                            (64 - std::min(bits + (is_signed ? 0 : 1), 64));
  return {is_signed ? -most - 1 : 0, most};
}

Result<void> check_quantisation(const Quantisation& quantisation,
                                const ElementType& integer) {
  if (!std::isfinite(quantisation.scale) || quantisation.scale <= 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("scale {} is not a finite number above 0",
                            quantisation.scale));
  }
  const auto [lowest, highest] = range_of(integer);
  if (quantisation.zero_point < lowest || quantisation.zero_point > highest) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("zero point {} is not one of {}: {} to {}",
                    quantisation.zero_point, integer.name, lowest, highest));
  }
  return {};
}

}  // namespace

std::int32_t own_bits(const ElementType& type) {
  if (type.kind == ElementKind::small_floating) {
    const SmallFloat& format = small_float_of(type);
    return format.exponent_bits + format.mantissa_bits +
           (format.is_signed ? 1 : 0);
  }
  if (!type.is_integer()) return type.bits;
  std::int32_t bits = 0;
  for (const char c : type.name.substr(1)) bits = 10 * bits + (c - '0');
  return bits;
}

bool needs_double(const ElementType& type) {
  return type.name == "f64" || (type.is_integer() && own_bits(type) > 8);
}

bool changes_width(const Values& values) {
  return values.src.name == values.dst.name ||
         (values.src.is_integer() && values.src.kind == values.dst.kind);
}

Result<void> check(const Values& values) {
  const auto& [src, dst, quantisation] = values;
  const bool numbers = is_number(src) && is_number(dst);
  if (src != dst && !changes_width(values) && !numbers) {
    return fail(ErrorCode::unsupported,
                fmt::format("cannot convert {} to {}: f16, bf16, f32, f64, f8, "
                            "f6, f4, e8 and integers of 1 to 8, 16, 32 and 64 "
                            "bits convert to each other, each other type to "
                            "itself",
                            src.name, dst.name));
  }
  if (changes_width(values) && quantisation == Quantisation{}) return {};
  if (src.is_integer() != dst.is_integer()) {
    return check_quantisation(quantisation, src.is_integer() ? src : dst);
  }
  if (quantisation != Quantisation{}) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("scale {} and zero point {}, but {} to {} quantises "
                    "nothing: leave them at 1 and 0",
                    quantisation.scale, quantisation.zero_point, src.name,
                    dst.name));
  }
  return {};
}

}  // namespace stridewise
