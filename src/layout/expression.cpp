// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {

Result<Digit> Digit::divided_by(std::int64_t k) const {
  if (k < 1) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("cannot divide {} by {}; it must be positive", dim, k));
  }
  Digit digit = *this;
  if (mod != 0) {
    if (mod % k != 0 && k < mod) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("/{} does not divide the {} values of this digit "
                              "of {}",
                              k, mod, dim));
    }
    digit.mod = std::max<std::int64_t>(mod / k, 1);
  }
  const Checked new_div = mul(div, k);
  if (!new_div) {
    return fail(ErrorCode::overflow,
                fmt::format("the divisor of {} overflows 64 bits", dim));
  }
  digit.div = *new_div;
  return digit;
}

Result<Digit> Digit::modulo(std::int64_t k) const {
  if (k < 1) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("cannot take {} modulo {}; it must be positive", dim, k));
  }
  Digit digit = *this;
  if (mod != 0 && k < mod && mod % k != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("%{} does not divide the {} values of this digit "
                            "of {}",
                            k, mod, dim));
  }
  if (mod == 0 || k < mod) digit.mod = k;
  if (!mul(digit.div, digit.mod)) {
    return fail(
        ErrorCode::overflow,
        fmt::format("the period of a digit of {} overflows 64 bits", dim));
  }
  return digit;
}

std::vector<std::string> Expression::dims() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    for (const Term& term : axis.terms) {
      if (std::ranges::find(names, term.digit.dim) == names.end()) {
        names.push_back(term.digit.dim);
      }
    }
  }
  return names;
}

Result<std::int64_t> element_count(const Shape& shape) {
  Checked count = 1;
  bool empty = false;
  for (const Dim& dim : shape) {
    if (dim.extent < 0) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("the extent of {} is negative: {}", dim.name,
                              dim.extent));
    }
    empty = empty || dim.extent == 0;
    count = mul(count, std::max<std::int64_t>(dim.extent, 1));
  }
  if (!count) {
    return fail(ErrorCode::overflow,
                "the number of elements overflows 64 bits");
  }
  return empty ? 0 : *count;
}

}  // namespace stridewise
