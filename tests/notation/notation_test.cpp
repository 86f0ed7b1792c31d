// SPDX-License-Identifier: Apache-2.0
#include "stridewise/notation.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/generators.hpp"

namespace stridewise {
namespace {

using ::testing::HasSubstr;

struct Fault {
  std::string text;
  std::int64_t position;
  std::string message;
};

class ExpressionFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(ExpressionFaults, PointAtThePlace) {
  const Result<Expression> parsed = parse_expression(GetParam().text);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().position, GetParam().position) << GetParam().text;
  EXPECT_THAT(parsed.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Notation, ExpressionFaults,
    ::testing::Values(
        Fault{"", 0, "expected a dim"}, Fault{"n c/ h", 5, "a divisor"},
        Fault{"n c/0", 4, "must not be 0"},
        Fault{"i%10/4", 4, "does not divide the 10 values"},
        Fault{"n |", 3, "expected a dim"},
        Fault{"n |384| c", 6, "is in bytes: a number and then B"},
        Fault{"n |384B c", 8, "to close the pitch"},
        Fault{"n |0B| c", 3, "must not be 0"},
        Fault{"(c-2)%4", 3, "expected a dim"},
        Fault{"(c+2%4", 4, "expected ')'"}, Fault{"(2+c)", 1, "expected a dim"},
        Fault{"c:x", 2, "a stride"}, Fault{"c:^16 w", 6, "is in bytes"},
        Fault{"n & c", 2, "expected a dim, ':' or '|'"},
        Fault{"n:-x", 3, "a stride"}, Fault{"row= | c", 5, "expected a dim"},
        Fault{"n:99999999999999999999", 2, "does not fit 64 bits"},
        Fault{"k := c h w k/16", 15, "expected ';' after the digits of k"},
        Fault{"k := ; k/16", 5, "expected a dim"},
        Fault{"c<1,2", 5, "expected ',' or '>'"},
        Fault{"c<>", 2, "an entry of the table"},
        Fault{"c^", 2, "expected a dim"}, Fault{"c//0 c%%0", 3, "not be 0"},
        Fault{"c/2//2", 3, "shares come before"},
        Fault{"(c+1)//2", 5, "not of one with a bias"},
        Fault{"*0 c", 1, "must not be 0"}, Fault{"c!0", 2, "must not be 0"},
        Fault{"c/2!4", 3, "a cut is of a dim alone"},
        Fault{"c!4,", 4, "the size of a piece"},
        Fault{"n { d:f16 = -", 13, "expected ';' and another part, or '}'"},
        Fault{"n { d:f99 = - }", 4, "unknown dtype 'f99'"},
        Fault{"n { q[k 8..4] = k }", 11, "ends where it begins"},
        Fault{"n { q[k 8] = k }", 9, "expected '..'"},
        Fault{"n { q[3..4] = k }", 6, "expected a dim or '#'"},
        Fault{"n { a = n } c", 12, "expected a dim, ':' or '|'"},
        Fault{"n { }", 4, "expected a dim"}));

TEST(Notation, ReadsLeftToRight) {
  const Expression e = *parse_expression("i%16/4 i/4%4");
  EXPECT_EQ(e.axes[0].terms[0], e.axes[0].terms[1]);
}

TEST(Notation, SpaceIsFree) {
  EXPECT_EQ(*parse_expression("npu=( c + 2 ) % 64|n(c+2)/64 : ^128B h w"),
            *parse_expression(" npu = (c+2)%64 | n (c+2)/64:^128B h w "));
  EXPECT_EQ(*parse_expression("(c+0)%4"), *parse_expression("c%4"));
}

TEST(Notation, AUnitIsNoDim) {
  EXPECT_EQ(parse_expression("@4 B c")->axes[0].terms.size(), 2U);
  EXPECT_EQ(parse_expression("@4Batch")->axes[0].terms[0].digit.dim, "Batch");
  EXPECT_TRUE(parse_expression("@4B B c")->axes[0].base_in_bytes);
}

TEST(Notation, PrintsWhatDocumentsWrite) {
  for (const char* text :
       {"n c h w", "n c/8 h w c%8", "o/16 i/16 h w i%16/4 o%16 i%4",
        "row=n h | pixel=c/4 w | lane=c%4", "n:120 c:30 h:8 w",
        "npu=(c+2)%64 | n (c+2)/64:^128B h w",
        "npu=c%64 |524288B| @96 n c/64 h w", "row=- | pixel=w/4 | lane=w%4",
        "n |^256B| @96B c"}) {
    EXPECT_EQ(print(*parse_expression(text)), text);
  }
}

// Each text of the collection is what it is read as, printed.
TEST(Notation, PrintsTheWorld) {
  const auto all =
      nlohmann::json::parse(std::ifstream(STRIDEWISE_TEST_DATA "/world.json"));
  ASSERT_GE(all.size(), 120U);
  for (const auto& entry : all) {
    const auto text = entry["expression"].get<std::string>();
    const Result<Expression> parsed = parse_expression(text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const Result<Expression> again = parse_expression(print(*parsed));
    ASSERT_TRUE(again) << print(*parsed);
    EXPECT_EQ(*again, *parsed) << text;
    EXPECT_EQ(print(*again), print(*parsed));
  }
}

TEST(Notation, PrintsDigitsOfDigits) {
  for (const char* text :
       {"k := c/4 h w c%4; k/16 n/16 n%16 k%16", "(c/4 h c%4)%16 ~w",
        "r c%64/8^r%8 c%8", "a-b+c^d", "g<0,2,3,1> h<T>", "i//2 *3 | i%%2 j",
        "i//4%2 i%%4", "(h+1+1) (w+0+2) (c+8)/16", "k!16 n/8 k n%8",
        "d!4,2,1 d", "*4:64 m", "h:-6 w:-8B c:40B", "~n%128/32",
        "n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }",
        "p:^576B { t { nope:f8 = d ; rope:bf16 = r } ; scale:e8 = t:8B d/64 }",
        "{ [n 0..64] = k n ; [n 64.., k 0..8] = k n }",
        "{ q[# 0..4]:u6 = k # ; q[# 4..6]:u6 = k # }"}) {
    const Result<Expression> parsed = parse_expression(text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    EXPECT_EQ(print(*parsed), text);
  }
}

// 10,000 brackets end in an error, not in a stack that overflows.
TEST(Notation, BracketsInBracketsAreBounded) {
  for (const char* bracket : {"(", "n {", "n { a = ", "~("}) {
    std::string text;
    for (int k = 0; k < 10000; ++k) text += bracket;
    const Result<Expression> parsed = parse_expression(text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::unsupported) << bracket;
  }
}

TEST(Notation, LongTextsGetAShortCaret) {
  const Result<Expression> parsed = parse_expression(
      std::string(10000, ' ') + "n c& h" + std::string(10000, ' '));
  ASSERT_FALSE(parsed);
  const std::string shown = parsed.error().to_string();
  EXPECT_LT(shown.size(), 400U);
  const std::size_t line = shown.rfind('\n');
  const std::size_t text = shown.rfind('\n', line - 1);
  EXPECT_EQ(shown[text + (shown.find('^', line) - line)], '&');
}

RC_GTEST_PROP(Notation, ParseOfPrintIsTheSame, ()) {
  const Shape shape = testing::random_shape();
  Expression e = testing::arbitrary_expression(shape);
  for (std::size_t k = 0; k < e.axes.size(); ++k) {
    e.axes[k].base_in_bytes =
        e.axes[k].base != 0 && testing::in_range(0, 1) == 0;
    if (k + 1 < e.axes.size() && testing::in_range(0, 1) == 0) {
      e.axes[k].pitch = {testing::in_range(0, 1) == 0 ? Step::Kind::exact
                                                      : Step::Kind::aligned,
                         testing::in_range(1, 1000)};
    }
  }
  const std::string text = print(e);
  RC_LOG() << text;
  const Result<Expression> back = parse_expression(text);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == e);
  RC_ASSERT(print(*back) == text);
}

// ------------------------------------------------------------------ tags ---

std::string tag(std::string_view text) {
  const Result<Tag> parsed = parse_tag(text);
  if (!parsed) return "error: " + parsed.error().message;
  std::string dims;
  for (const std::string& dim : parsed->dims) dims += dim;
  return dims + ": " + print(parsed->expression);
}

TEST(Tag, CanonicalAndFriendly) {
  EXPECT_EQ(tag("nchw"), "nchw: n c h w");
  EXPECT_EQ(tag("nChw16c"), "nchw: n c/16 h w c%16");
  EXPECT_EQ(tag("aBcd16b"), "abcd: a b/16 c d b%16");
  EXPECT_EQ(tag("hwio"), "oihw: h w i o");
  EXPECT_EQ(tag("OIhw4i16o4i"), "oihw: o/16 i/16 h w i%16/4 o%16 i%4");
  EXPECT_EQ(tag("gOIhw4i16o4i"), "goihw: g o/16 i/16 h w i%16/4 o%16 i%4");
  EXPECT_EQ(tag("Goihw16g"), "goihw: g/16 o i h w g%16");
  EXPECT_EQ(tag("ntc"), "tnc: n t c");
  EXPECT_EQ(tag("ldgoi"), "ldigo: l d g o i");
  EXPECT_EQ(tag("ABcd8b8a2b"), "abcd: a/8 b/16 c d b%16/2 a%8 b%2");
}

TEST(Tag, WhatIsNone) {
  EXPECT_THAT(tag("nchh"), HasSubstr("comes again"));
  EXPECT_THAT(tag("nchw16c"), HasSubstr("it is written 'C'"));
  EXPECT_THAT(tag("OhwI24o"), HasSubstr("no block of 'i' follows"));
  EXPECT_THAT(tag("nChw0c"), HasSubstr("2 or more"));
  EXPECT_THAT(tag("nChw16"), HasSubstr("lower-case letter"));
  EXPECT_THAT(tag("nChw16o"), HasSubstr("no dim of the tag"));
  EXPECT_THAT(tag("acd"), HasSubstr("not the dims of one tensor"));
  EXPECT_THAT(tag("nChw99999999999999999999c"), HasSubstr("64 bits"));
  EXPECT_THAT(tag("nChw4611686018427387904c4c"), HasSubstr("overflow"));
}

// ---------------------------------------------------------------- numbers ---

TEST(Numbers, ShapesByNameAndByPosition) {
  const std::vector<std::string> dims = {"n", "c"};
  EXPECT_EQ(*parse_shape("2x3", dims), (Shape{{"n", 2}, {"c", 3}}));
  EXPECT_EQ(*parse_shape("c=3, n=2", dims), (Shape{{"n", 2}, {"c", 3}}));
  EXPECT_EQ(*parse_shape("c=3,n=2"), (Shape{{"c", 3}, {"n", 2}}));
  EXPECT_FALSE(parse_shape("2x3"));
  EXPECT_FALSE(parse_shape("2x3x4", dims));
  EXPECT_FALSE(parse_shape("n=2", dims));
  EXPECT_FALSE(parse_shape("n=2,n=3", dims));
  EXPECT_FALSE(parse_shape("n=2,h=3", dims));
  EXPECT_FALSE(parse_shape("n=-2,c=3", dims));
  EXPECT_FALSE(parse_shape("", dims));
}

TEST(Numbers, IndicesStayWithinTheShape) {
  const Shape shape = {{"n", 2}, {"c", 3}};
  EXPECT_EQ(*parse_index("c=2,n=1", shape), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(*parse_index("1,2", shape), (std::vector<std::int64_t>{1, 2}));
  EXPECT_THAT(parse_index("n=1,c=3", shape).error().message,
              HasSubstr("c=3 is outside 0..2"));
}

}  // namespace
}  // namespace stridewise
