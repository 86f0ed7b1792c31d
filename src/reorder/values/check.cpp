// What a conversion of values may be asked for, before any byte is touched.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reorder/values/converter.hpp"

namespace stridewise {
namespace {

// Every pair has a portable converter, so these tables are the list of pairs; but for
// those of which only the width changes.
bool supported(const Values& values) {
  const auto same = [&](const Converter& converter) {
    return converter.src == values.src.name && converter.dst == values.dst.name;
  };
  return changes_width(values) ||
         std::ranges::any_of(portable::converters(), same) ||
         std::ranges::any_of(portable::small_converters(), same);
}

bool is_integer(const ElementType& type) {
  return type.kind == ElementKind::signed_integer ||
         type.kind == ElementKind::unsigned_integer;
}

// The integers of a type of up to 8 bits.
std::pair<std::int32_t, std::int32_t> range_of(const ElementType& integer) {
  const std::int32_t count = 1 << std::min(integer.bits, 8);
  const bool is_signed = integer.kind == ElementKind::signed_integer;
  const std::int32_t lowest = is_signed ? -count / 2 : 0;
  return {lowest, lowest + count - 1};
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

bool changes_width(const Values& values) {
  return values.src.name == values.dst.name ||
         (is_integer(values.src) && values.src.kind == values.dst.kind);
}

Result<void> check(const Values& values) {
  const auto& [src, dst, quantisation] = values;
  if (src != dst && !supported(values)) {
    return fail(ErrorCode::unsupported,
                fmt::format("cannot convert {} to {}: f32 converts to and from "
                            "f16, bf16, f8, f6, f4, e8 and integers of up to 8 "
                            "bits, each other type to itself",
                            src.name, dst.name));
  }
  if (changes_width(values) && quantisation == Quantisation{}) return {};
  if (!changes_width(values) && is_integer(src)) {
    return check_quantisation(quantisation, src);
  }
  if (!changes_width(values) && is_integer(dst)) {
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
