// Expressions of the emitted code: either a number that is known now, or text.
// Operations on them fold what is known and choose shifts and masks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stridewise::emitter {

// What a text may stand in without parentheses.
enum class Binding : std::uint8_t { anything_else, sum, product, atom };

class Value {
 public:
  Value(std::int64_t number);  // NOLINT: a number is a value
  Value(std::string text, Binding binding);

  [[nodiscard]] std::optional<std::int64_t> known() const { return known_; }
  [[nodiscard]] bool is(std::int64_t number) const { return known_ == number; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_atom() const { return binding_ == Binding::atom; }
  // The text, in parentheses where `needed` is more than it binds.
  [[nodiscard]] std::string within(Binding needed) const;

 private:
  std::string text_;
  Binding binding_;
  std::optional<std::int64_t> known_;
};

[[nodiscard]] Value variable(std::string identifier);

// All operands are at least 0, and so are the results. Pre: known results fit
// 64 bits; divisors are not 0.
[[nodiscard]] Value operator+(const Value& a, const Value& b);
[[nodiscard]] Value operator-(const Value& a, const Value& b);
[[nodiscard]] Value operator*(const Value& a, const Value& b);
[[nodiscard]] Value operator/(const Value& a, const Value& b);
[[nodiscard]] Value operator%(const Value& a, const Value& b);

}  // namespace stridewise::emitter
