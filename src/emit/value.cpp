// SPDX-License-Identifier: Apache-2.0
#include "emit/value.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace stridewise::emitter {
namespace {

// log2 where a number is a power of two that is known.
std::optional<int> shift_of(const Value& value) {
  const auto number = static_cast<std::uint64_t>(value.known().value_or(0));
  if (!std::has_single_bit(number)) return std::nullopt;
  return std::countr_zero(number);
}

bool both_known(const Value& a, const Value& b) {
  return a.known().has_value() && b.known().has_value();
}

}  // namespace

Value::Value(std::int64_t number)
    : text_(fmt::format("{}", number)),
      binding_(Binding::atom),
      known_(number) {}

Value::Value(std::string text, Binding binding)
    : text_(std::move(text)), binding_(binding) {}

std::string Value::within(Binding needed) const {
  return binding_ < needed ? "(" + text_ + ")" : text_;
}

Value variable(std::string identifier) {
  return {std::move(identifier), Binding::atom};
}

Value operator+(const Value& a, const Value& b) {
  if (both_known(a, b)) return *a.known() + *b.known();
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return {a.within(Binding::sum) + " + " + b.within(Binding::sum),
          Binding::sum};
}

Value operator-(const Value& a, const Value& b) {
  if (both_known(a, b)) return *a.known() - *b.known();
  if (b.is(0)) return a;
  return {a.within(Binding::sum) + " - " + b.within(Binding::product),
          Binding::sum};
}

Value operator*(const Value& a, const Value& b) {
  if (both_known(a, b)) return *a.known() * *b.known();
  if (a.is(0) || b.is(0)) return 0;
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return {a.within(Binding::product) + " * " + b.within(Binding::atom),
          Binding::product};
}

Value operator/(const Value& a, const Value& b) {
  if (both_known(a, b)) return *a.known() / *b.known();
  if (b.is(1)) return a;
  if (const auto shift = shift_of(b)) {
    return {fmt::format("{} >> {}", a.within(Binding::atom), *shift),
            Binding::anything_else};
  }
  return {a.within(Binding::atom) + " / " + b.within(Binding::atom),
          Binding::anything_else};
}

Value operator%(const Value& a, const Value& b) {
  if (both_known(a, b)) return *a.known() % *b.known();
  if (b.is(1)) return 0;
  if (shift_of(b)) {
    return {fmt::format("{} & {}", a.within(Binding::atom), *b.known() - 1),
            Binding::anything_else};
  }
  return {a.within(Binding::atom) + " % " + b.within(Binding::atom),
          Binding::anything_else};
}

}  // namespace stridewise::emitter
