// The parser and the printer of the notation.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "notation/cursor.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// "expected X" errors speak of what stands there.
std::string found(Cursor& cursor) {
  const char c = cursor.peek();
  if (c == '\0') return "the end";
  if (c < ' ' || c > '~') return "a character that is not printable ASCII";
  return fmt::format("'{}'", c);
}

Result<std::int64_t> positive(Cursor& cursor, std::string_view what) {
  cursor.skip_space();
  const std::size_t at = cursor.position();
  Result<std::int64_t> value = cursor.number(what);
  if (value && *value == 0) {
    return cursor.error_at(at, ErrorCode::invalid_value,
                           std::string(what) + " must not be 0");
  }
  return value;
}

// k "B"
Result<std::int64_t> byte_count(Cursor& cursor, std::string_view what) {
  Result<std::int64_t> value = positive(cursor, what);
  if (value && !cursor.accept_bytes()) {
    return cursor.error(
        fmt::format("{} is in bytes: a number and then B", what));
  }
  return value;
}

// dim { "/" k | "%" k }  or  "(" dim "+" bias ")" { "/" k | "%" k }
Result<Digit> parse_digit(Cursor& cursor) {
  Digit digit;
  const bool biased = cursor.accept('(');
  if (!cursor.at_name()) {
    return cursor.error("expected a dim, not " + found(cursor));
  }
  digit.dim = cursor.name();
  if (biased) {
    if (!cursor.accept('+')) {
      return cursor.error("expected '+' and a bias after (" + digit.dim);
    }
    const Result<std::int64_t> bias = cursor.number("the bias");
    if (!bias) return unexpected(bias.error());
    digit.bias = *bias;
    if (!cursor.accept(')')) return cursor.error("expected ')'");
  }
  while (cursor.peek() == '/' || cursor.peek() == '%') {
    const bool divides = cursor.peek() == '/';
    const std::size_t at = cursor.position();
    cursor.accept(cursor.peek());
    const Result<std::int64_t> k =
        positive(cursor, divides ? "a divisor" : "a modulus");
    if (!k) return unexpected(k.error());
    Result<Digit> next = divides ? digit.divided_by(*k) : digit.modulo(*k);
    if (!next) {
      return cursor.error_at(at, next.error().code, next.error().message);
    }
    digit = *std::move(next);
  }
  return digit;
}

Result<Term> parse_term(Cursor& cursor) {
  Result<Digit> digit = parse_digit(cursor);
  if (!digit) return unexpected(digit.error());
  Term term{*std::move(digit), {}};
  if (cursor.accept(':')) {
    if (cursor.accept('^')) {
      const Result<std::int64_t> unit = byte_count(cursor, "an alignment");
      if (!unit) return unexpected(unit.error());
      term.stride = Step{Step::Kind::aligned, *unit};
    } else {
      const Result<std::int64_t> stride = cursor.number("a stride");
      if (!stride) return unexpected(stride.error());
      term.stride = Step{Step::Kind::exact, *stride};
    }
  }
  return term;
}

Result<Axis> parse_axis(Cursor& cursor) {
  Axis axis;
  if (cursor.at_name()) {
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.name();
    if (cursor.accept('=')) {
      axis.name = name;
    } else {
      cursor.go_to(begin);
    }
  }
  if (cursor.accept('@')) {
    const Result<std::int64_t> base = cursor.number("a base");
    if (!base) return unexpected(base.error());
    axis.base = *base;
    axis.base_in_bytes = cursor.accept_bytes();
  }
  if (cursor.accept('-')) return axis;
  while (cursor.at_name() || cursor.peek() == '(') {
    Result<Term> term = parse_term(cursor);
    if (!term) return unexpected(term.error());
    axis.terms.push_back(*std::move(term));
  }
  if (axis.terms.empty()) {
    return cursor.error("expected a dim (or '-' for an empty axis), not " +
                        found(cursor));
  }
  return axis;
}

// After a '|': the rest of "|384B|" or "|^256B|", or nothing.
Result<Step> parse_pitch(Cursor& cursor) {
  const bool aligned = cursor.accept('^');
  if (!aligned && !cursor.at_number()) return Step{};
  const Result<std::int64_t> bytes = byte_count(cursor, "a pitch");
  if (!bytes) return unexpected(bytes.error());
  if (!cursor.accept('|')) {
    return cursor.error("expected '|' to close the pitch");
  }
  return Step{aligned ? Step::Kind::aligned : Step::Kind::exact, *bytes};
}

std::string print_axis(const Axis& axis) {
  std::string text;
  if (!axis.name.empty()) text += axis.name + "=";
  if (axis.base != 0) {
    text += fmt::format("@{}{} ", axis.base, axis.base_in_bytes ? "B" : "");
  }
  if (axis.terms.empty()) return text + "-";
  for (std::size_t k = 0; k < axis.terms.size(); ++k) {
    const Term& term = axis.terms[k];
    if (k > 0) text += ' ';
    text += print(term.digit);
    if (term.stride.kind == Step::Kind::exact) {
      text += fmt::format(":{}", term.stride.value);
    } else if (term.stride.kind == Step::Kind::aligned) {
      text += fmt::format(":^{}B", term.stride.value);
    }
  }
  return text;
}

}  // namespace

Result<Expression> parse_expression(std::string_view text) {
  Cursor cursor(text);
  Expression expression;
  for (;;) {
    Result<Axis> axis = parse_axis(cursor);
    if (!axis) return unexpected(axis.error());
    // "@0B" and "@0" are one thing; keep one form so that printing is exact.
    if (axis->base == 0) axis->base_in_bytes = false;
    expression.axes.push_back(*std::move(axis));
    if (cursor.at_end()) return expression;
    if (!cursor.accept('|')) {
      return cursor.error("expected a dim, ':' or '|', not " + found(cursor));
    }
    const Result<Step> pitch = parse_pitch(cursor);
    if (!pitch) return unexpected(pitch.error());
    expression.axes.back().pitch = *pitch;
  }
}

std::string print(const Digit& digit) {
  std::string text = digit.bias == 0
                         ? digit.dim
                         : fmt::format("({}+{})", digit.dim, digit.bias);
  if (digit.mod != 0) text += fmt::format("%{}", digit.div * digit.mod);
  if (digit.div != 1) text += fmt::format("/{}", digit.div);
  return text;
}

std::string print(const Expression& expression) {
  std::string text;
  for (std::size_t k = 0; k < expression.axes.size(); ++k) {
    if (k > 0) {
      const Step& pitch = expression.axes[k - 1].pitch;
      switch (pitch.kind) {
        case Step::Kind::natural:
          text += " | ";
          break;
        case Step::Kind::exact:
          text += fmt::format(" |{}B| ", pitch.value);
          break;
        case Step::Kind::aligned:
          text += fmt::format(" |^{}B| ", pitch.value);
          break;
      }
    }
    text += print_axis(expression.axes[k]);
  }
  return text;
}

}  // namespace stridewise
