// Digits: what stands between two strides.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "notation/parser.hpp"

namespace stridewise {

// unit { ( "^" | "+" | "-" ) unit }
Result<Digit> Parser::twisted() {
  Result<Digit> digit = unit();
  if (!digit) return digit;
  std::vector<Twist> twists;
  for (;;) {
    const char c = cursor_.peek();
    if (c != '^' && c != '+' && c != '-') break;
    cursor_.accept(c);
    Twist twist;
    twist.kind = c == '^'   ? Twist::Kind::exclusive_or
                 : c == '+' ? Twist::Kind::plus
                            : Twist::Kind::minus;
    Result<Digit> right = unit();
    if (!right) return right;
    twist.digit = *std::move(right);
    twists.push_back(std::move(twist));
  }
  if (!twists.empty()) digit->twists = std::move(twists);
  return digit;
}

// [ "~" ] primary [ "//" p | "%%" p ] { "/" k | "%" k } [ "<" table ">" ]
Result<Digit> Parser::unit() {
  Digit digit;
  digit.reversed = cursor_.accept('~');
  if (auto read = primary(digit); !read) return unexpected(read.error());
  if (auto read = division(digit); !read) return unexpected(read.error());
  if (cursor_.accept('<')) {
    Result<Table> table = this->table();
    if (!table) return unexpected(table.error());
    digit.table = *std::move(table);
  }
  return digit;
}

// dim  or  "#"  or  "(" ... ")"
Result<void> Parser::primary(Digit& digit) {
  if (cursor_.accept('(')) return in_brackets(digit);
  digit.dim = cursor_.accept('#') ? "#" : cursor_.name_here();
  if (digit.dim.empty()) {
    return cursor_.error("expected a dim, not " + found());
  }
  return {};
}

// dim "+" before [ "+" after ] ")"  or  body ")"
Result<void> Parser::in_brackets(Digit& digit) {
  if (auto entered = enter(); !entered) return entered;
  const std::size_t begin = cursor_.position();
  digit.dim = name_before("+");
  if (!digit.dim.empty() && cursor_.at_number()) {
    const Result<std::int64_t> bias = cursor_.number("the bias");
    if (!bias) return unexpected(bias.error());
    digit.bias = *bias;
    if (cursor_.accept('+')) {
      const Result<std::int64_t> after =
          cursor_.number("how many places follow the last");
      if (!after) return unexpected(after.error());
      digit.after = *after;
    }
  } else {
    digit.dim.clear();
    cursor_.go_to(begin);
    Result<Body> body = this->body();
    if (!body) return unexpected(body.error());
    digit.fused = std::vector<Body>{*std::move(body)};
  }
  if (cursor_.at_number()) {
    return cursor_.error(
        "a number is no digit: blocks of 16 of a dim are c/16 and c%16");
  }
  if (!cursor_.accept(')')) return cursor_.error("expected ')'");
  --depth_;
  return {};
}

Result<void> Parser::division(Digit& digit) {
  if (cursor_.peek_is("//") || cursor_.peek_is("%%")) {
    const std::size_t at = cursor_.position();
    digit.share = cursor_.accept("//") ? Share::number : Share::place;
    if (digit.share == Share::place) cursor_.accept("%%");
    if (digit.bias != 0 || digit.after != 0) {
      return cursor_.error_at(at, ErrorCode::invalid_value,
                              "shares are of a dim, not of one with a bias");
    }
    const Result<std::int64_t> shares = positive("a number of shares");
    if (!shares) return unexpected(shares.error());
    digit.shares = *shares;
  }
  while (cursor_.peek() == '/' || cursor_.peek() == '%') {
    const bool divides = cursor_.peek() == '/';
    const std::size_t at = cursor_.position();
    if (cursor_.peek_is("//") || cursor_.peek_is("%%")) {
      return cursor_.error("shares come before '/' and '%', and once");
    }
    cursor_.accept(cursor_.peek());
    const Result<std::int64_t> k =
        positive(divides ? "a divisor" : "a modulus");
    if (!k) return unexpected(k.error());
    Result<Digit> next = divides ? digit.divided_by(*k) : digit.modulo(*k);
    if (!next) {
      return cursor_.error_at(at, next.error().code, next.error().message);
    }
    digit = *std::move(next);
  }
  return {};
}

// ( v { "," v } | name ) ">"
Result<Table> Parser::table() {
  Table table;
  if (cursor_.at_name()) {
    table.name = cursor_.name();
  } else {
    do {
      const Result<std::int64_t> entry =
          cursor_.number("an entry of the table");
      if (!entry) return unexpected(entry.error());
      table.entries.push_back(*entry);
    } while (cursor_.accept(','));
  }
  if (!cursor_.accept('>')) {
    return cursor_.error("expected ',' or '>' in the table, not " + found());
  }
  return table;
}

}  // namespace stridewise
