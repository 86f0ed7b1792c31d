// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "notation/cursor.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {

// The parser of the notation, by recursive descent; docs/notation.md has the grammar.
class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text) {}

  Result<Expression> expression();

 private:
  Result<std::vector<FusedIndex>> fused_indices();
  Result<Axis> axis();
  Result<Step> pitch();
  Result<Body> body();
  Result<void> items(Body& body);
  Result<Term> term();
  Result<Term> copies();
  Result<Term> cut(Term term);
  Result<Step> stride();
  Result<std::vector<Part>> parts();
  Result<Part> part();
  bool head(Part& part);
  Result<std::vector<Slice>> slices();
  Result<Digit> twisted();
  Result<Digit> unit();
  Result<void> primary(Digit& digit);
  Result<void> in_brackets(Digit& digit);
  Result<void> division(Digit& digit);
  Result<Table> table();

  // A name that is followed by that text is taken, with the text; else nothing is.
  std::string name_before(std::string_view text);
  [[nodiscard]] bool at_digit();
  Result<std::int64_t> positive(std::string_view what);
  Result<std::int64_t> byte_count(std::string_view what);
  [[nodiscard]] std::string found();
  // Brackets in brackets and parts in parts, so deep that no layout needs them.
  Result<void> enter();

  Cursor cursor_;
  int depth_ = 0;
};

}  // namespace stridewise
