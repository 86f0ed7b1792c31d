// SPDX-License-Identifier: Apache-2.0
#include "inspect/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "inspect/judge_functions.hpp"
#include "inspect/value.hpp"
#include "machine/isa.hpp"

namespace stridewise::inspect {

namespace {

const JudgeFunctions* best_functions(const ElementType& type) {
#if defined(STRIDEWISE_LEAST_AVX2)
  return avx2::judge_functions(type);
#else
#if defined(STRIDEWISE_AVX2)
  if (best_isa() >= Isa::avx2) return avx2::judge_functions(type);
#endif
  return portable::judge_functions(type);
#endif
}

// |a - b| of integers of 64 bits.
std::uint64_t apart_at(const ElementType& type, const std::byte* a,
                       const std::byte* b) {
  if (type.kind == ElementKind::signed_integer) {
    return apart(load<std::int64_t>(a), load<std::int64_t>(b));
  }
  return apart(load<std::uint64_t>(a), load<std::uint64_t>(b));
}

}  // namespace

Judge::Judge(const ElementType& type, const Tolerance& tolerance)
    : type_(type), tolerance_(tolerance), functions_(best_functions(type)) {}

bool Judge::all_pass(const std::byte* a, const std::byte* b,
                     std::int64_t count) const {
  // Integers of other bits are other numbers.
  if (!has_nan(type_) && tolerance_.rtol == 0 && tolerance_.atol == 0) {
    return std::memcmp(a, b, static_cast<std::size_t>(count * type_.bytes())) ==
           0;
  }
  return functions_->all_pass(tolerance_, a, b, count);
}

void Judge::mark(const std::byte* a, const std::byte* b, std::int64_t count,
                 Marks& marks) const {
  functions_->mark(tolerance_, a, b, count, marks);
}

bool Judge::rounds() const { return !has_nan(type_) && type_.bits == 64; }

bool Judge::larger(const std::byte* a, const std::byte* b,
                   const std::byte* than_a, const std::byte* than_b) const {
  return apart_at(type_, a, b) > apart_at(type_, than_a, than_b);
}

Difference Judge::describe(const std::byte* a, const std::byte* b) const {
  // With no tolerance, so that what differs has its errors.
  Marks marks;
  functions_->mark({}, a, b, 1, marks);
  Difference d;
  d.a = value_at(type_, a).real;
  d.b = value_at(type_, b).real;
  d.abs = marks.abs[0];
  const double size =
      std::hypot(value_at(type_, b).real, value_at(type_, b).imaginary);
  d.rel = size > 0 && std::isfinite(d.abs)
              ? d.abs / size
              : std::numeric_limits<double>::infinity();
  d.ulp = marks.max_ulp;
  d.a_text = print_value(type_, a);
  d.b_text = print_value(type_, b);
  d.abs_text = rounds() ? fmt::format("{}", apart_at(type_, a, b))
                        : fmt::format("{}", d.abs);
  return d;
}

}  // namespace stridewise::inspect
