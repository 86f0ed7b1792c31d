// A position in a text that is being parsed, and the three tokens of every
// grammar here: names, numbers and single characters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/identifier.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(byte(at_)) != 0) ++at_;
  }
  [[nodiscard]] bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  // The next character that is not space; 0 at the end.
  [[nodiscard]] char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  // Whether that text comes next, after space.
  [[nodiscard]] bool peek_is(std::string_view text) {
    skip_space();
    return text_.substr(at_).starts_with(text);
  }
  bool accept(std::string_view text) {
    if (!peek_is(text)) return false;
    at_ += text.size();
    return true;
  }
  // The unit 'B' right after a number, and no name that begins with it.
  bool accept_bytes() {
    if (at_ >= text_.size() || text_[at_] != 'B') return false;
    if (at_ + 1 < text_.size() && continues_identifier(text_[at_ + 1])) {
      return false;
    }
    ++at_;
    return true;
  }
  [[nodiscard]] bool at_name() { return begins_identifier(peek()); }
  [[nodiscard]] bool at_number() {
    return std::isdigit(static_cast<unsigned char>(peek())) != 0;
  }
  // Letters, digits and '_' from here; empty when not at_name().
  std::string_view name() {
    if (!at_name()) return {};
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // The same as a string, after space.
  std::string name_here() {
    skip_space();
    return std::string(name());
  }
  // A decimal number without sign. `what` names it in errors.
  Result<std::int64_t> number(std::string_view what) {
    if (!at_number()) {
      return error("expected " + std::string(what) + ", a number");
    }
    const std::size_t begin = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && std::isdigit(byte(at_)) != 0; ++at_) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'},
                                 &value)) {
        return error_at(begin, ErrorCode::overflow,
                        std::string(what) + " does not fit 64 bits");
      }
    }
    return value;
  }

  [[nodiscard]] unexpected<Error> error_at(std::size_t position, ErrorCode code,
                                           std::string message) const {
    return unexpected<Error>(Error{code, std::move(message), std::string(text_),
                                   static_cast<std::int64_t>(position)});
  }
  [[nodiscard]] unexpected<Error> error(std::string message) {
    skip_space();
    return error_at(at_, ErrorCode::syntax, std::move(message));
  }

 private:
  [[nodiscard]] unsigned char byte(std::size_t k) const {
    return static_cast<unsigned char>(text_[k]);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace stridewise
