// Strides as arrays have them: numpy(240,80,20,4) in bytes, torch(60,20,5,1) and
// dlpack(60,20,5,1) in elements.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>

#include "dialects/read.hpp"
#include "notation/cursor.hpp"

namespace stridewise::dialects {
namespace {

constexpr std::size_t most_letters = 26;

// A tuple of numbers that no other dialect has: which unit they are in is not told.
bool is_bare_tuple(std::string_view text) {
  const std::size_t comma = text.find(',');
  return text.starts_with('(') && text.ends_with(')') &&
         comma != std::string_view::npos &&
         text.find_first_not_of("0123456789,-() ") == std::string_view::npos;
}

Result<DialectText> read(Cursor cursor, Step::Kind unit, KnownDims known) {
  std::vector<std::int64_t> strides;
  if (!cursor.accept('(')) return cursor.error("expected '(' and the strides");
  const bool tuple = cursor.accept('(');  // numpy((240, 80))
  while (cursor.peek() != ')') {
    const bool negative = cursor.accept('-');
    const Result<std::int64_t> stride = cursor.number("a stride");
    if (!stride) return unexpected(stride.error());
    strides.push_back(negative ? -*stride : *stride);
    if (strides.size() > most_letters) {
      return cursor.error(fmt::format("more than {} dims", most_letters));
    }
    if (!cursor.accept(',')) break;
  }
  if (!cursor.accept(')') || (tuple && !cursor.accept(')'))) {
    return cursor.error("expected ',' or ')'");
  }
  if (!cursor.at_end()) return cursor.error("expected the end");
  DialectText made = of_rank(strides.size(), known);
  std::vector<Term> terms;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    terms.push_back(
        {.digit = {.dim = made.dims[d]}, .stride = {unit, strides[d]}});
  }
  made.expression = memory_of(std::move(terms));
  return made;
}

}  // namespace

Reading read_strides(std::string_view text, KnownDims known) {
  for (const auto& [name, unit] :
       {std::pair{std::string_view("numpy"), Step::Kind::bytes},
        {"torch", Step::Kind::exact},
        {"dlpack", Step::Kind::exact}}) {
    if (!text.starts_with(name)) continue;
    Cursor cursor(text);
    cursor.go_to(name.size());
    if (cursor.peek() == '(') return read(cursor, unit, known);
  }
  if (!is_bare_tuple(text)) return std::nullopt;
  return Result<DialectText>(unexpected(Error{
      ErrorCode::syntax,
      fmt::format("are these strides in bytes, as NumPy has them, or in "
                  "elements, as torch and DLPack have them? Write numpy{0} or "
                  "torch{0}",
                  text),
      std::string(text), 0}));
}

}  // namespace stridewise::dialects
