// Lines of the emitted code, and what differs between the languages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/subject.hpp"
#include "stridewise/emit.hpp"

namespace stridewise::emitter {

struct Dialect {
  std::string prologue;   // of the file
  std::string qualifier;  // of each function
  std::string integer;    // the type of indices
};
[[nodiscard]] Dialect dialect_of(EmitLanguage language, std::int32_t bits);

// Whether `text` has `word` as a whole word.
[[nodiscard]] bool mentions(const std::string& text, const std::string& word);

// The body of a function.
class Body {
 public:
  explicit Body(std::string integer) : integer_(std::move(integer)) {}

  // One statement; long ones are broken after operators.
  void line(const std::string& text);
  void constant(const std::string& name, const Value& value);
  // Lines as they are.
  void raw(const std::string& lines) { text_ += lines; }
  void indent(int steps) { depth_ += steps; }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& integer() const { return integer_; }

 private:
  std::string integer_;
  std::string text_;
  int depth_ = 1;
};

// The whole function: before its body the constants that it uses, and a void
// use of each parameter that it does not.
[[nodiscard]] std::string function(const Dialect& dialect,
                                   const std::string& result,
                                   const std::string& name,
                                   const std::vector<std::string>& parameters,
                                   const Subject& subject, const Body& body);

// The sum of digit * stride, plus `base`; strides of the axis or of the whole
// memory.
[[nodiscard]] Value sum_of(const Subject& subject,
                           const std::vector<SubjectTerm>& terms,
                           const Value& base, bool by_axis);

// Writes what finds the index at the parameter `offset`.
void write_inverse(const Subject& subject, Body& body);

}  // namespace stridewise::emitter
