// Random layouts that say all that the notation can: random lines, whose strides, pitches,
// bases and digits are then made others. Many are not valid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/world.hpp"

namespace stridewise::testing {

// A line and the entries of the tables that it names.
struct RandomLine {
  std::string text;
  Binding binding;
};

// "... (a/2 b a%2) ..." as "k := a/2 b a%2; ... k ...": the same, or what is told by it.
inline std::string with_name(const std::string& text) {
  const std::size_t begin = text.find("(a/");
  if (begin == std::string::npos) return text;
  const std::string fused =
      text.substr(begin, text.find(')', begin) + 1 - begin);
  std::string named = text;
  for (std::size_t at = named.find(fused); at != std::string::npos;
       at = named.find(fused)) {
    named.replace(at, fused.size(), "k");
  }
  return fmt::format("k := {}; {}", fused.substr(1, fused.size() - 2), named);
}

// The first table of the text as one that is given beside it.
inline RandomLine with_table(std::string text, Binding binding) {
  const std::size_t begin = text.find('<');
  if (begin == std::string::npos) return {std::move(text), std::move(binding)};
  const std::size_t end = text.find('>', begin);
  std::vector<std::int64_t>& entries = binding.tables["T"];
  for (std::size_t at = begin; at < end;
       at = text.find_first_of(",>", at + 1)) {
    entries.push_back(std::stoll(text.substr(at + 1)));
  }
  text.replace(begin, end + 1 - begin, "<T>");
  return {std::move(text), std::move(binding)};
}

// Digits, and a scalar of another type for each value of the outer ones.
inline std::string random_record(const Shape& shape) {
  const std::string digits = random_digits_text(shape);
  const std::size_t space = digits.find(' ');
  if (space == std::string::npos || digits.find('(') != std::string::npos) {
    return digits;
  }
  return fmt::format("{} {{ s:{} = - ; {} }}", digits.substr(0, space),
                     in_range(0, 1) == 0 ? "u16" : "u4",
                     digits.substr(space + 1));
}

inline RandomLine random_line(const Shape& shape, std::int64_t bits) {
  std::string text =
      in_range(0, 9) == 0 ? random_record(shape) : random_text(shape);
  if (in_range(0, 2) == 0) text = with_name(text);
  Binding binding{.element_bits = bits};
  if (in_range(0, 2) == 0) return with_table(text, std::move(binding));
  return {text, std::move(binding)};
}

// The terms of one axis on two or three.
inline void part_axes(Expression& expression) {
  Axis& only = expression.axes.front();
  const auto count = static_cast<std::int64_t>(only.terms.size());
  for (std::int64_t more = in_range(1, 2); more > 0 && count > 1; --more) {
    Axis& last = expression.axes.back();
    if (last.terms.size() < 2) return;
    const auto at =
        in_range(1, static_cast<std::int64_t>(last.terms.size()) - 1);
    Axis next = last;
    next.base = 0;
    next.terms.erase(next.terms.begin(), next.terms.begin() + at);
    last.terms.resize(static_cast<std::size_t>(at));
    last.parts = {};
    const std::int64_t kind = in_range(0, 3);
    if (kind == 1) last.pitch = random_alignment();
    if (kind == 2) last.pitch = {Step::Kind::exact, in_range(1, 200)};
    expression.axes.push_back(std::move(next));
  }
}

// A stride of `natural` bits, or more, forwards or backwards.
inline Step random_step(std::int64_t natural, std::int64_t bits) {
  const std::int64_t sign = in_range(0, 4) == 0 ? -1 : 1;
  const std::int64_t more = in_range(0, 1) == 0 ? 0 : in_range(1, 5);
  if (natural % 8 == 0 && in_range(0, 2) == 0) {
    return {Step::Kind::bytes, sign * (natural / 8 + more)};
  }
  return {Step::Kind::exact, sign * (natural / bits + more)};
}

// Other strides, as they would be or wider, for the digits of one piece.
inline void widen_piece(Expression& expression, const Layout& layout) {
  const std::vector<LayoutPiece> pieces = layout.pieces();
  if (pieces.size() != 1 || expression.axes.size() != 1) return;
  std::vector<Term>& terms = expression.axes.front().terms;
  if (pieces.front().digits.size() != terms.size()) return;
  std::int64_t unit = layout.element_bits();
  for (const Term& term : terms) {
    if (print(term).find('#') != std::string::npos) unit = 1;
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const std::int64_t kind = in_range(0, 5);
    if (kind == 0) terms[k].stride = random_alignment();
    if (kind == 1) {
      terms[k].stride = random_step(pieces.front().digits[k].stride_bits, unit);
    }
  }
}

// Digits that are read beside others: halos, exclusive or.
inline void twist_digits(Expression& expression, const Shape& shape) {
  const std::int64_t bias = in_range(0, 3), after = in_range(0, 2);
  const bool halo = in_range(0, 4) == 0;
  for (Axis& axis : expression.axes) {
    for (Term& term : axis.terms) {
      Digit& digit = term.digit;
      if (halo && digit.dim == shape.back().name && digit.bias == 0 &&
          digit.share == Share::none && digit.table.empty()) {
        digit.bias = bias;
        digit.after = after;
      }
      const bool two_powers = digit.mod == 2 || digit.mod == 4;
      if (shape.size() > 1 && digit.dim == shape.front().name && two_powers &&
          !halo && digit.table.empty() && digit.twists.empty() &&
          in_range(0, 1) == 0) {
        Digit by{shape.back().name};
        by.mod = digit.mod;
        digit.twists = std::vector<Twist>{{Twist::Kind::exclusive_or, by}};
      }
    }
  }
}

struct RandomLayout {
  std::string text;
  Binding binding;
  Layout layout;
};

// One that can be read, of the tensor without a name; nullopt where the draw gives none.
inline std::optional<RandomLayout> random_layout(const Shape& shape,
                                                 std::int64_t bits) {
  const RandomLine line = random_line(shape, bits);
  Result<Expression> expression = parse_expression(line.text);
  if (!expression) return std::nullopt;
  if (in_range(0, 1) == 0) twist_digits(*expression, shape);
  if (in_range(0, 1) == 0) part_axes(*expression);
  if (in_range(0, 3) == 0) expression->axes.back().base = in_range(0, 9);
  if (in_range(0, 5) == 0) {
    expression->axes.back().base = in_range(0, 20);
    expression->axes.back().base_in_bytes = true;
  }
  const auto bound = [&](const Expression& of) {
    return Layout::bind(of, shape, line.binding);
  };
  if (in_range(0, 1) == 0) {
    if (const auto natural = bound(*expression); natural) {
      widen_piece(*expression, *natural);
    }
  }
  const Result<Layout> whole = bound(*expression);
  if (!whole) return std::nullopt;
  const Result<Layout> layout = whole->part("");
  // A part may have dims of its own, as k/32.
  if (!layout || layout->unreadable() || layout->shape() != shape) {
    return std::nullopt;
  }
  return RandomLayout{print(*expression), line.binding, *layout};
}

}  // namespace stridewise::testing
