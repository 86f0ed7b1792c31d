// Axes, bodies and parts. The digits are in digit.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "notation/parser.hpp"

#include <fmt/format.h>

#include <utility>

#include "stridewise/element.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

constexpr int max_depth = 64;

}  // namespace

Result<void> Parser::enter() {
  if (++depth_ <= max_depth) return {};
  return cursor_.error_at(
      cursor_.position(), ErrorCode::unsupported,
      fmt::format("more than {} brackets in brackets", max_depth));
}

// "expected X" errors speak of what stands there.
std::string Parser::found() {
  const char c = cursor_.peek();
  if (c == '\0') return "the end";
  if (c < ' ' || c > '~') return "a character that is not printable ASCII";
  return fmt::format("'{}'", c);
}

Result<std::int64_t> Parser::positive(std::string_view what) {
  cursor_.skip_space();
  const std::size_t at = cursor_.position();
  Result<std::int64_t> value = cursor_.number(what);
  if (value && *value == 0) {
    return cursor_.error_at(at, ErrorCode::invalid_value,
                            std::string(what) + " must not be 0");
  }
  return value;
}

// k "B"
Result<std::int64_t> Parser::byte_count(std::string_view what) {
  Result<std::int64_t> value = positive(what);
  if (value && !cursor_.accept_bytes()) {
    return cursor_.error(
        fmt::format("{} is in bytes: a number and then B", what));
  }
  return value;
}

std::string Parser::name_before(std::string_view text) {
  if (!cursor_.at_name()) return {};
  const std::size_t begin = cursor_.position();
  std::string name(cursor_.name());
  if (cursor_.accept(text)) return name;
  cursor_.go_to(begin);
  return {};
}

bool Parser::at_digit() {
  const char c = cursor_.peek();
  return cursor_.at_name() || c == '(' || c == '#' || c == '~';
}

// { name ":=" body ";" }
Result<std::vector<FusedIndex>> Parser::fused_indices() {
  std::vector<FusedIndex> list;
  for (;;) {
    FusedIndex fused;
    fused.name = name_before(":=");
    if (fused.name.empty()) return list;
    Result<Body> body = this->body();
    if (!body) return unexpected(body.error());
    fused.body = *std::move(body);
    if (!cursor_.accept(';')) {
      return cursor_.error(fmt::format(
          "expected ';' after the digits of {}, not {}", fused.name, found()));
    }
    list.push_back(std::move(fused));
  }
}

// [ name "=" ] body
Result<Axis> Parser::axis() {
  Axis axis;
  axis.name = name_before("=");
  Result<Body> body = this->body();
  if (!body) return unexpected(body.error());
  axis.base = body->base;
  axis.base_in_bytes = body->base_in_bytes;
  axis.terms = std::move(body->terms);
  axis.parts = std::move(body->parts);
  return axis;
}

// [ "@" base [ "B" ] ] ( "-" | item { item } )
Result<Body> Parser::body() {
  Body body;
  if (cursor_.accept('@')) {
    const Result<std::int64_t> base = cursor_.number("a base");
    if (!base) return unexpected(base.error());
    body.base = *base;
    // "@0B" and "@0" are one thing; keep one form so that printing is exact.
    body.base_in_bytes = cursor_.accept_bytes() && *base != 0;
  }
  if (cursor_.accept('-')) return body;
  if (auto read = items(body); !read) return unexpected(read.error());
  if (body.terms.empty() && body.parts.empty()) {
    return cursor_.error("expected a dim (or '-' for an empty axis), not " +
                         found());
  }
  return body;
}

Result<void> Parser::items(Body& body) {
  for (;;) {
    const char c = cursor_.peek();
    if (c == '{') {
      Result<std::vector<Part>> parts = this->parts();
      if (!parts) return unexpected(parts.error());
      body.parts = *std::move(parts);
      return {};
    }
    if (c != '*' && !at_digit()) return {};
    Result<Term> term = c == '*' ? copies() : this->term();
    if (!term) return unexpected(term.error());
    body.terms.push_back(*std::move(term));
  }
}

// "*" k [ ":" stride ]
Result<Term> Parser::copies() {
  cursor_.accept('*');
  Term term;
  const Result<std::int64_t> count = positive("a number of copies");
  if (!count) return unexpected(count.error());
  term.copies = *count;
  const Result<Step> step = stride();
  if (!step) return unexpected(step.error());
  term.stride = *step;
  return term;
}

// digit [ ":" stride ]  or  dim "!" k { "," k }
Result<Term> Parser::term() {
  Term term;
  Result<Digit> digit = twisted();
  if (!digit) return unexpected(digit.error());
  term.digit = *std::move(digit);
  if (cursor_.peek() == '!') return cut(std::move(term));
  const Result<Step> step = stride();
  if (!step) return unexpected(step.error());
  term.stride = *step;
  return term;
}

Result<Term> Parser::cut(Term term) {
  if (term.digit != Digit{term.digit.dim}) {
    return cursor_.error("a cut is of a dim alone: dim!k");
  }
  cursor_.accept('!');
  do {
    const Result<std::int64_t> size = positive("the size of a piece");
    if (!size) return unexpected(size.error());
    term.cuts.push_back(*size);
  } while (cursor_.accept(','));
  return term;
}

// [ ":" ( k | "-" k ) [ "B" ] | ":" "^" k "B" ]
Result<Step> Parser::stride() {
  if (!cursor_.accept(':')) return Step{};
  if (cursor_.accept('^')) {
    const Result<std::int64_t> unit = byte_count("an alignment");
    if (!unit) return unexpected(unit.error());
    return Step{Step::Kind::aligned, *unit};
  }
  const bool backwards = cursor_.accept('-');
  const Result<std::int64_t> stride = cursor_.number("a stride");
  if (!stride) return unexpected(stride.error());
  const bool bytes = cursor_.accept_bytes();
  return Step{bytes ? Step::Kind::bytes : Step::Kind::exact,
              backwards ? -*stride : *stride};
}

// "{" part { ";" part } "}"
Result<std::vector<Part>> Parser::parts() {
  if (auto entered = enter(); !entered) return unexpected(entered.error());
  cursor_.accept('{');
  std::vector<Part> list;
  do {
    Result<Part> part = this->part();
    if (!part) return unexpected(part.error());
    list.push_back(*std::move(part));
  } while (cursor_.accept(';'));
  if (!cursor_.accept('}')) {
    return cursor_.error("expected ';' and another part, or '}', not " +
                         found());
  }
  --depth_;
  return list;
}

// [ [ name ] [ slices ] [ ":" type ] "=" ] body
Result<Part> Parser::part() {
  Part part;
  cursor_.skip_space();
  const std::size_t begin = cursor_.position();
  if (!head(part)) {
    // A slice can be of a part alone: its faults are told where they are.
    cursor_.go_to(begin);
    (void)cursor_.name();
    if (cursor_.peek() == '[') {
      if (auto list = slices(); !list) return unexpected(list.error());
      return cursor_.error("expected ':' and a type, or '=', not " + found());
    }
    cursor_.go_to(begin);
    part = {};
  }
  if (!part.type.empty()) {
    if (const auto type = parse_element_type(part.type); !type) {
      return cursor_.error_at(begin, type.error().code, type.error().message);
    }
  }
  Result<Body> body = this->body();
  if (!body) return unexpected(body.error());
  part.body = *std::move(body);
  return part;
}

// Whether what stands before a part's "=" was read.
bool Parser::head(Part& part) {
  part.name = cursor_.name_here();
  if (cursor_.peek() == '[') {
    Result<std::vector<Slice>> list = slices();
    if (!list) return false;
    part.slices = *std::move(list);
  }
  if (cursor_.accept(':')) {
    part.type = cursor_.name_here();
    if (part.type.empty()) return false;
  }
  return cursor_.accept('=');
}

// "[" dim lo ".." [ hi ] { "," dim lo ".." [ hi ] } "]"
Result<std::vector<Slice>> Parser::slices() {
  cursor_.accept('[');
  std::vector<Slice> list;
  do {
    Slice slice;
    slice.dim = cursor_.accept('#') ? "#" : cursor_.name_here();
    if (slice.dim.empty()) {
      return cursor_.error("expected a dim or '#', not " + found());
    }
    const Result<std::int64_t> low = cursor_.number("where the slice begins");
    if (!low) return unexpected(low.error());
    slice.low = *low;
    if (!cursor_.accept("..")) {
      return cursor_.error("expected '..' and where the slice ends");
    }
    if (cursor_.at_number()) {
      const std::size_t at = cursor_.position();
      const Result<std::int64_t> high = cursor_.number("where the slice ends");
      if (!high) return unexpected(high.error());
      if (*high <= slice.low) {
        return cursor_.error_at(at, ErrorCode::invalid_value,
                                "the slice ends where it begins, or before");
      }
      slice.high = *high;
    }
    list.push_back(std::move(slice));
  } while (cursor_.accept(','));
  if (!cursor_.accept(']')) return cursor_.error("expected ',' or ']'");
  return list;
}

// After a '|': the rest of "|384B|" or "|^256B|", or nothing.
Result<Step> Parser::pitch() {
  const bool aligned = cursor_.accept('^');
  if (!aligned && !cursor_.at_number()) return Step{};
  const Result<std::int64_t> bytes = byte_count("a pitch");
  if (!bytes) return unexpected(bytes.error());
  if (!cursor_.accept('|')) {
    return cursor_.error("expected '|' to close the pitch");
  }
  return Step{aligned ? Step::Kind::aligned : Step::Kind::exact, *bytes};
}

Result<Expression> Parser::expression() {
  Expression expression;
  Result<std::vector<FusedIndex>> fused = fused_indices();
  if (!fused) return unexpected(fused.error());
  expression.fused = *std::move(fused);
  for (;;) {
    Result<Axis> axis = this->axis();
    if (!axis) return unexpected(axis.error());
    expression.axes.push_back(*std::move(axis));
    if (cursor_.at_end()) return expression;
    if (!cursor_.accept('|')) {
      return cursor_.error("expected a dim, ':' or '|', not " + found());
    }
    const Result<Step> pitch = this->pitch();
    if (!pitch) return unexpected(pitch.error());
    expression.axes.back().pitch = *pitch;
  }
}

Result<Expression> parse_expression(std::string_view text) {
  return Parser(text).expression();
}

}  // namespace stridewise
