// What a conversion of values may be asked for, before any byte is touched.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reorder/values/converter.hpp"

namespace stridewise {
namespace {

// Every pair has a portable converter, so that table is the list of pairs.
bool supported(const Values& values) {
  return std::ranges::any_of(portable::converters(),
                             [&](const Converter& converter) {
                               return converter.src == values.src.name &&
                                      converter.dst == values.dst.name;
                             });
}

bool is_integer(const ElementType& type) {
  return type.kind == ElementKind::signed_integer ||
         type.kind == ElementKind::unsigned_integer;
}

Result<void> check_quantisation(const Quantisation& quantisation,
                                const ElementType& integer) {
  if (!std::isfinite(quantisation.scale) || quantisation.scale <= 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("scale {} is not a finite number above 0",
                            quantisation.scale));
  }
  const bool is_signed = integer.kind == ElementKind::signed_integer;
  const std::int32_t lowest = is_signed ? -128 : 0;
  const std::int32_t highest = is_signed ? 127 : 255;
  if (quantisation.zero_point < lowest || quantisation.zero_point > highest) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("zero point {} is not one of {}: {} to {}",
                    quantisation.zero_point, integer.name, lowest, highest));
  }
  return {};
}

}  // namespace

Result<void> check(const Values& values) {
  const auto& [src, dst, quantisation] = values;
  if (src != dst && !supported(values)) {
    return fail(ErrorCode::unsupported,
                fmt::format("cannot convert {} to {}: f32 converts to and from "
                            "f16, bf16, s8 and u8, each other type to itself",
                            src.name, dst.name));
  }
  if (src != dst && is_integer(src)) {
    return check_quantisation(quantisation, src);
  }
  if (src != dst && is_integer(dst)) {
    return check_quantisation(quantisation, dst);
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
