// Expressions that are built by hand, whatever their members hold: bind() refuses them, or
// their text means them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include "stridewise/notation.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {
namespace {

constexpr int expressions = 20000;

// What members are, with a few values that no text has.
std::int64_t any_number() {
  static constexpr auto odd = std::to_array<std::int64_t>(
      {-1, -7, std::int64_t{1} << 62, INT64_MAX, INT64_MIN});
  return in_range(0, 19) == 0 ? odd[static_cast<std::size_t>(in_range(0, 4))]
                              : in_range(0, 6);
}

std::string any_name() {
  static constexpr auto names = std::to_array<const char*>(
      {"a", "b", "c", "a", "b", "#", "k", "", "a b", "1", "a/2", "_", "T"});
  return names[static_cast<std::size_t>(in_range(0, std::ssize(names) - 1))];
}

bool one_in(std::int64_t count) { return in_range(1, count) == 1; }

Step any_step() {
  if (one_in(2)) return {};
  return {static_cast<Step::Kind>(in_range(0, 3)),
          one_in(6) ? -in_range(1, 9) : any_number()};
}

Table any_table() {
  Table table;
  for (std::int64_t k = in_range(0, 3); k > 0; --k) {
    table.entries.push_back(any_number());
  }
  if (one_in(3)) table.name = any_name();
  return table;
}

Body any_body(int depth);

Digit any_digit(int depth) {
  Digit digit{any_name()};
  if (one_in(4)) digit.bias = any_number();
  if (one_in(3)) digit.div = any_number();
  if (one_in(3)) digit.mod = any_number();
  if (one_in(8)) digit.after = any_number();
  if (one_in(6)) {
    digit.share = static_cast<Share>(in_range(0, 2));
    digit.shares = any_number();
  }
  digit.reversed = one_in(6);
  if (one_in(6)) digit.table = any_table();
  if (depth > 0 && one_in(6)) {
    digit.dim.clear();
    digit.fused = std::vector<Body>{any_body(depth - 1)};
  }
  if (depth > 0 && one_in(6)) {
    digit.twists = std::vector<Twist>{
        {static_cast<Twist::Kind>(in_range(0, 2)), any_digit(depth - 1)}};
  }
  return digit;
}

Term any_term(int depth) {
  Term term;
  if (one_in(10)) {
    term.copies = any_number();
  } else if (one_in(10)) {
    term.digit.dim = any_name();
    term.cuts = {any_number(), any_number()};
  } else {
    term.digit = any_digit(depth);
  }
  term.stride = any_step();
  return term;
}

Part any_part(int depth) {
  Part part;
  if (one_in(2)) part.name = any_name();
  if (one_in(4)) part.slices = {{any_name(), any_number(), in_range(-1, 9)}};
  if (one_in(3)) part.type = one_in(2) ? "u16" : any_name();
  part.body = any_body(depth);
  return part;
}

NestedList<Part> any_parts(int depth) {
  if (depth == 0 || !one_in(5)) return {};
  std::vector<Part> parts;
  for (std::int64_t k = in_range(1, 2); k > 0; --k) {
    parts.push_back(any_part(depth - 1));
  }
  return parts;
}

std::vector<Term> any_terms(int depth) {
  std::vector<Term> terms;
  for (std::int64_t k = in_range(0, 3); k > 0; --k) {
    terms.push_back(any_term(depth));
  }
  return terms;
}

Body any_body(int depth) {
  Body body;
  if (one_in(5)) body.base = any_number();
  body.base_in_bytes = one_in(6);
  body.terms = any_terms(depth);
  body.parts = any_parts(depth);
  return body;
}

Expression any_expression() {
  Expression expression;
  for (std::int64_t k = in_range(1, 3); k > 0; --k) {
    Axis axis;
    if (one_in(3)) axis.name = any_name();
    if (one_in(5)) axis.base = any_number();
    axis.base_in_bytes = one_in(6);
    axis.terms = any_terms(2);
    if (one_in(2)) axis.pitch = any_step();
    axis.parts = any_parts(2);
    expression.axes.push_back(std::move(axis));
  }
  if (one_in(6)) expression.fused.push_back({any_name(), any_body(1)});
  return expression;
}

TEST(BuiltByHand, RefusedOrMeantByTheirText) {
  // STRIDEWISE_SEED repeats what a message names.
  const char* const asked = std::getenv("STRIDEWISE_SEED");
  const auto seed = asked == nullptr
                        ? std::random_device{}()
                        : static_cast<std::uint32_t>(std::stoul(asked));
  const Shape shape = {{"a", 6}, {"b", 5}, {"c", 4}};
  const Binding binding{.element_bits = 8, .tables = {{"T", {1, 0, 2, 3}}}};
  const UnrecordedDraws draws(seed);
  int bound = 0;
  for (int k = 0; k < expressions; ++k) {
    const Expression built = any_expression();
    if (!Layout::bind(built, shape, binding)) continue;
    ++bound;
    const std::string text = print(built);
    const Result<Expression> read = parse_expression(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message << ", seed "
                      << seed << ", number " << k;
    ASSERT_TRUE(*read == built)
        << text << ", seed " << seed << ", number " << k;
    ASSERT_EQ(print(*read), text);
  }
  // Else nothing was tested.
  EXPECT_GT(bound, expressions / 50);
}

}  // namespace
}  // namespace stridewise::testing
