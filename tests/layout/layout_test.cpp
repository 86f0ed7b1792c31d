// Sizes, reasons and limits of bound layouts, on examples worked by hand.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/layout.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Index = std::vector<std::int64_t>;

Result<Layout> layout_of(std::string_view text, std::string_view shape,
                         std::int64_t element_bytes = 4) {
  return Layout::bind(*parse_expression(text), *parse_shape(shape),
                      element_bytes);
}

std::string defect(std::string_view text, std::string_view shape) {
  const Result<Layout> layout = layout_of(text, shape);
  if (!layout) return "not bound: " + layout.error().message;
  return layout->valid() ? "valid" : layout->defect()->message;
}

TEST(Layout, SizeCountsARowPitchInFull) {
  EXPECT_EQ(layout_of("h:8 w", "h=3,w=5")->places(), 24);
  // A stride of a dim of one index is never taken, and adds no memory.
  EXPECT_EQ(layout_of("h:1000 w", "h=1,w=5")->places(), 5);
  EXPECT_EQ(layout_of("n h:1000 w", "n=2,h=1,w=5")->places(), 10);
  // An alignment does: what vendors round up, they round up for one row too.
  EXPECT_EQ(layout_of("h:^64B w", "h=1,w=5")->places(), 16);
  EXPECT_EQ(layout_of("c/32:640 c%32", "c=20")->places(), 640);
  EXPECT_EQ(layout_of("@96 h w", "h=3,w=5")->places(), 111);
  // Last position + 1 where that is more than extent x stride.
  EXPECT_EQ(layout_of("h:3 w:2", "h=2,w=3")->places(), 8);
}

TEST(Layout, AlignmentRoundsBytesNotElements) {
  const Layout layout = *layout_of("c:^128B h w", "c=3,h=4,w=5", 4);
  EXPECT_EQ(layout.terms()[0].stride, 32);
  EXPECT_EQ(layout_of("c:^128B h w", "c=3,h=4,w=5", 1)->terms()[0].stride, 128);
  // 6 bytes hold no whole number of 4-byte elements: the next multiple does.
  EXPECT_EQ(layout_of("c:^6B w", "c=3,w=5", 4)->terms()[0].stride, 6);
}

TEST(Layout, PitchOfAnAxis) {
  const Layout layout = *layout_of("row=h |384B| w", "h=3,w=5");
  EXPECT_EQ(layout.size_bytes(), 3 * 384);
  EXPECT_EQ(layout.offset(Index{2, 4}), 2 * 96 + 4);
  EXPECT_EQ(layout_of("row=h |^256B| w", "h=3,w=5")->size_bytes(), 3 * 256);
}

TEST(Layout, PitchErrors) {
  EXPECT_THAT(layout_of("row=h |16B| w", "h=3,w=5").error().message,
              HasSubstr("takes 20 bytes, more than the 16"));
  EXPECT_THAT(layout_of("row=h |22B| w", "h=3,w=5").error().message,
              HasSubstr("not a multiple of the element's 4 bytes"));
}

TEST(Layout, BiasLeavesHolesBeforeTheFirstElement) {
  const Layout layout = *layout_of("npu=(c+2)%4 | (c+2)/4 w", "c=5,w=3");
  EXPECT_EQ(layout.places(), 4 * 2 * 3);
  Index index(2);
  EXPECT_EQ(layout.element_at(0, index), Place::padding);
  EXPECT_EQ(layout.offset(Index{0, 0}), 2 * 6);
  EXPECT_EQ(layout.element_at(3, index), Place::element);
  EXPECT_THAT(index, ElementsAre(2, 0));
}

TEST(Layout, PaddingAndGapsAreToldApart) {
  const Layout layout = *layout_of("h:8 c/4 c%4", "h=2,c=3");
  Index index(2);
  EXPECT_EQ(layout.element_at(2, index), Place::element);
  EXPECT_EQ(layout.element_at(3, index), Place::padding);
  EXPECT_EQ(layout.element_at(4, index), Place::gap);
  EXPECT_EQ(layout.element_at(15, index), Place::gap);
}

TEST(Layout, InterleavedStridesThatDoNotCollideAreValid) {
  const Layout layout = *layout_of("h:3 w:2", "h=2,w=3");
  ASSERT_TRUE(layout.valid());
  Index index(2);
  EXPECT_EQ(layout.element_at(5, index), Place::element);
  EXPECT_THAT(index, ElementsAre(1, 1));
  EXPECT_EQ(layout.element_at(1, index), Place::gap);
}

TEST(Layout, DigitsThatDoNotFormAChainAreSearched) {
  // A prime number of banks: x%5 and x/4 together tell x apart.
  const Layout layout = *layout_of("bank=x%5 | x/4", "x=37");
  ASSERT_TRUE(layout.valid());
  Index index(1);
  for (std::int64_t x = 0; x < 37; ++x) {
    ASSERT_EQ(layout.element_at(layout.offset(Index{x}), index),
              Place::element);
    EXPECT_EQ(index[0], x);
  }
}

TEST(Layout, ReasonsOfInvalidLayouts) {
  EXPECT_EQ(defect("n c w", "n=2,c=3,w=4"), "valid");
  EXPECT_THAT(defect("n c", "n=2,c=3,w=4"),
              HasSubstr("dim w is not covered: no digit"));
  EXPECT_THAT(defect("c/16 w", "c=17,w=4"),
              HasSubstr("put c=0 and c=1 in one place"));
  EXPECT_THAT(defect("c%16 w", "c=17,w=4"),
              HasSubstr("put c=0 and c=16 in one place"));
  EXPECT_EQ(defect("c%16 w", "c=16,w=4"), "valid");
  EXPECT_THAT(defect("h:4 w", "h=3,w=5"), HasSubstr("h=0,w=4 and h=1,w=0"));
  EXPECT_THAT(defect("h:0 w", "h=3,w=5"),
              HasSubstr("put h=0 and h=1 in one place"));
  EXPECT_EQ(defect("h:0 w", "h=1,w=5"), "valid");
}

TEST(Layout, CollisionsOfHugeTensorsAreNamedToo) {
  EXPECT_THAT(defect("n:100000 c", "n=1000000,c=100001"),
              HasSubstr("n=0,c=100000 and n=1,c=0"));
  EXPECT_THAT(defect("n:6 c:4 w", "n=1000000000,c=2,w=4"),
              HasSubstr("share a place"));
}

TEST(Layout, ADigitThatCannotVaryMayHaveAnyStride) {
  // (a+9)/6 is 1 for every a of the shape, and takes no space.
  const Layout layout = *layout_of("(a+9)/6:0 b", "a=1,b=3");
  ASSERT_TRUE(layout.valid());
  Index index(2);
  EXPECT_EQ(layout.element_at(2, index), Place::element);
  EXPECT_THAT(index, ElementsAre(0, 2));
}

TEST(Layout, WhatTakesTooLongIsRefusedNotTried) {
  // Valid or not, none of these may keep a caller waiting.
  for (const char* text :
       {"(i+1152921504606846976)%64 (i+1152921504606846976)/16:0",
        "i i:0 i:0 i:0", "i:1000 i%2:1 i%2:1 i%2:1 i%2:1 i%2:1 i%2:1 i%2:1",
        "(i+8)%17:100000000000 i%13:7000000000 i%11:600000000 i%7:80000000 "
        "i%5:10000000 i%3:3000000 i%2:1000000"}) {
    for (const char* extent : {"i=2", "i=64", "i=100000", "i=480000"}) {
      const Result<Layout> layout = layout_of(text, extent, 1);
      ASSERT_TRUE(layout) << layout.error().message;
      if (!layout->valid()) continue;
      Index index(1);
      for (std::int64_t p = 0; p < 64; ++p) {
        (void)layout->element_at(p * 997 % layout->places(), index);
      }
    }
  }
  const Result<Layout> wide =
      layout_of("n:3 c%1000000000000", "n=1000000000000,c=3", 1);
  Index index(2);
  EXPECT_EQ(wide->element_at(1500000000000, index), Place::element);
  EXPECT_THAT(index, ElementsAre(500000000000, 0));
}

TEST(Layout, UndecidedIsToldFromWrong) {
  const Result<Layout> coprime =
      layout_of("a=i%1000003 | i%1000033", "i=1000036000099", 1);
  EXPECT_EQ(coprime->defect()->code, ErrorCode::unsupported);
  EXPECT_EQ(layout_of("h:4 w", "h=3,w=5")->defect()->code,
            ErrorCode::invalid_layout);
}

TEST(Layout, ExpressionsBuiltByHandAreChecked) {
  const auto fails = [](const Term& term) {
    return !Layout::bind(Expression{{Axis{.terms = {term}}}}, {{"i", 10}}, 1);
  };
  EXPECT_TRUE(fails({Digit{"i", 0, 0, 0}, {}}));
  EXPECT_TRUE(fails({Digit{"i", -5, 1, 0}, {}}));
  EXPECT_TRUE(fails({Digit{"i", 0, 1, -2}, {}}));
  EXPECT_FALSE(fails({Digit{"i", 0, 1, 0}, {Step::Kind::exact, -3}}));
  EXPECT_TRUE(fails({Digit{"i", 0, 1, 4}, {Step::Kind::bytes, INT64_MIN}}));
  EXPECT_TRUE(fails({Digit{"i", 0, 1, 0}, {Step::Kind::aligned, 0}}));
  EXPECT_FALSE(
      Layout::bind(Expression{{Axis{.base = -7, .terms = {{Digit{"i"}, {}}}}}},
                   {{"i", 2}}, 1));
}

TEST(Layout, BothDirectionsAtAnySize) {
  const Layout layout =
      *layout_of("n c/16 h w c%16", "n=1048576,c=1000,h=1024,w=1024", 1);
  const Index index = {1048575, 999, 1023, 1022};
  Index back(4);
  EXPECT_EQ(layout.element_at(layout.offset(index), back), Place::element);
  EXPECT_EQ(back, index);
}

TEST(Layout, OverflowIsAnErrorNotAWrap) {
  // Sizes are counted in bits, of which there are at most 2^62.
  const std::string huge = "n=576460752303423488";
  EXPECT_EQ(layout_of("n", huge, 1)->size_bytes(), 576460752303423488);
  EXPECT_EQ(layout_of("n", huge, 2).error().code, ErrorCode::overflow);
  EXPECT_EQ(layout_of("n", "n=4611686018427387904", 1).error().code,
            ErrorCode::overflow);
  EXPECT_EQ(layout_of("n c", huge + ",c=4", 1).error().code,
            ErrorCode::overflow);
  EXPECT_EQ(layout_of("n:4611686018427387904 c", "n=3,c=2", 1).error().code,
            ErrorCode::overflow);
  EXPECT_EQ(layout_of("(n+9223372036854775807)%4", "n=3", 1).error().code,
            ErrorCode::overflow);
  EXPECT_EQ(layout_of("n:^9223372036854775807B c", "n=3,c=2", 4).error().code,
            ErrorCode::overflow);
  EXPECT_EQ(layout_of("@9223372036854775807 n", "n=3", 1).error().code,
            ErrorCode::overflow);
}

TEST(Layout, EmptyTensorsTakeNothing) {
  const Layout layout = *layout_of("n c/8 w c%8", "n=2,c=0,w=3");
  EXPECT_EQ(layout.elements(), 0);
  EXPECT_EQ(layout.size_bytes(), 0);
  EXPECT_TRUE(layout.valid());
}

TEST(Layout, ShapesThatAreNone) {
  EXPECT_FALSE(Layout::bind(*parse_expression("n"), {{"n", -1}}, 4));
  EXPECT_FALSE(Layout::bind(*parse_expression("n"), {{"n", 2}}, 0));
  EXPECT_FALSE(Layout::bind(*parse_expression("n"), {{"n", 2}, {"n", 2}}, 4));
  EXPECT_THAT(layout_of("n c", "n=2").error().message, HasSubstr("dim 'c'"));
  EXPECT_THAT(layout_of("a=n | a=c", "n=2,c=2").error().message,
              HasSubstr("two axes are named 'a'"));
}

// Names stand in code and in pages as they are.
TEST(Layout, NamesAreIdentifiers) {
  const Digit n{"n"};
  const auto bound = [&](const std::string& dim, const std::string& axis) {
    const Expression expression{{Axis{.name = axis, .terms = {{n}}}}};
    return Layout::bind(expression, {{"n", 2}, {dim, 3}}, 4);
  };
  for (const char* good : {"a", "_", "_1", "M_PI", "a9_"}) {
    // A dim that no digit covers is no error here.
    EXPECT_TRUE(bound(good, good)) << good;
  }
  for (const std::string& bad :
       {std::string("</script><script>"), std::string("1a"), std::string("a b"),
        std::string("a;"), std::string("a-b"), std::string("caf\xc3\xa9"),
        std::string("a\0b", 3), std::string("a\n"), std::string("")}) {
    const auto named = bound(bad, "axis");
    ASSERT_FALSE(named) << bad;
    EXPECT_EQ(named.error().code, ErrorCode::invalid_value);
    // An axis without a name gets one by its position.
    if (!bad.empty()) {
      EXPECT_FALSE(bound("c", bad)) << bad;
    }
  }
}

TEST(Layout, NamesOfTablesAreIdentifiers) {
  Expression expression = *parse_expression("n<T>");
  const auto bound = [&](const std::string& name) {
    expression.axes[0].terms[0].digit.table.name = name;
    return Layout::bind(expression, {{"n", 2}},
                        Binding{.element_bits = 8, .tables = {{name, {1, 0}}}});
  };
  EXPECT_TRUE(bound("T"));
  EXPECT_FALSE(bound("T> b\nint system(<"));
}

// What is built by hand is what its text says, or no layout.
TEST(Layout, WhatNoTextSaysIsRefused) {
  const Shape shape = {{"a", 2}, {"b", 4}};
  const auto refused = [&](auto change) {
    Expression expression = *parse_expression("a b");
    change(expression.axes[0]);
    return !Layout::bind(expression, shape, 1);
  };
  const Digit b{"b"};
  EXPECT_FALSE(refused([](Axis&) {}));
  EXPECT_TRUE(refused([](Axis& axis) { axis.pitch = {Step::Kind::exact, 8}; }));
  EXPECT_TRUE(refused([](Axis& axis) { axis.terms[0].cuts = {0}; }));
  EXPECT_TRUE(refused([](Axis& axis) {
    axis.terms[0].cuts = {1};
    axis.terms[0].stride = {Step::Kind::exact, 8};
  }));
  EXPECT_TRUE(refused([](Axis& axis) {
    axis.terms[0].digit.table = {{1, 0}, "T"};
  }));
  EXPECT_TRUE(refused([&](Axis& axis) {
    Digit twisted = b;
    twisted.twists = std::vector<Twist>{{Twist::Kind::plus, b}};
    axis.terms[0].digit.twists =
        std::vector<Twist>{{Twist::Kind::plus, twisted}};
  }));
  EXPECT_TRUE(refused([](Axis& axis) {
    Body body;
    body.terms = axis.terms;
    axis.terms.resize(1);
    axis.terms[0].digit = {.bias = 2, .fused = std::vector<Body>{body}};
  }));
}

TEST(Layout, ExpressionsAreEqualWhereTheirTextsAre) {
  const Expression expression = *parse_expression("a |8B| b");
  Expression other = expression;
  other.axes[0].terms[0].stride.value = 7;
  other.axes[0].pitch.kind = Step::Kind::bytes;
  other.axes[1].base_in_bytes = true;
  EXPECT_EQ(other, expression);
  EXPECT_EQ(*parse_expression(print(other)), other);
  other.axes[1].base = 1;
  EXPECT_NE(other, expression);
}

TEST(Layout, OffsetTakesNumbers) {
  const Layout layout = *layout_of("n c/16 h w c%16", "n=2,c=17,h=5,w=4");
  const std::vector<std::int64_t> index = {1, 16, 4, 3};
  EXPECT_EQ(layout.offset(index), 1264);
  EXPECT_EQ(layout.offset(1, 16, 4, 3), 1264);
  EXPECT_EQ(layout.offset({1, 16, 4, 3}), 1264);
  const std::size_t n = 1;
  const std::int32_t c = 16;
  EXPECT_EQ(layout.offset(n, c, 4L, '\3'), 1264);
  EXPECT_EQ(layout_of("x", "x=5")->offset(3), 3);
  EXPECT_EQ(layout.offset(1, 16, 4), -1);
  EXPECT_EQ(layout.offset({1, 16, 4, 3, 0}), -1);
  EXPECT_EQ(layout.offset(), -1);
}

TEST(Layout, AxisNames) {
  const Layout layout = *layout_of("npu=c%4 | h | c/4 w", "c=5,h=2,w=3");
  EXPECT_EQ(layout.axes()[0].name, "npu");
  EXPECT_EQ(layout.axes()[1].name, "axis1");
  EXPECT_EQ(layout.axes()[2].name, "offset");
}

TEST(Layout, ABaseInBytesBecomesSteps) {
  const Layout layout = *layout_of("npu=c |1024B| @96B w", "c=2,w=3");
  EXPECT_EQ(layout.axes()[1].base, 24);
  EXPECT_EQ(print(layout.expression()), "npu=c |1024B| @24 w");
  const Layout within = *layout_of("@6B w", "w=3");
  EXPECT_EQ(within.size_bytes(), 18);
  EXPECT_EQ(within.bit_of(Index{1}), 80);
  EXPECT_EQ(within.place_bits(), 16);
  EXPECT_EQ(print(within.expression()), "@6B w");
}

TEST(Digit, RemaindersAndQuotientsOfDigits) {
  const Digit i{"i"};
  EXPECT_EQ(*i.modulo(16)->divided_by(4), (Digit{"i", 0, 4, 4}));
  EXPECT_EQ(*i.divided_by(4)->modulo(4), (Digit{"i", 0, 4, 4}));
  EXPECT_EQ(*i.modulo(4)->divided_by(8), (Digit{"i", 0, 8, 1}));
  EXPECT_FALSE(i.modulo(10)->divided_by(4));
  EXPECT_FALSE(i.modulo(10)->modulo(4));
  EXPECT_EQ(*i.modulo(4)->modulo(10), *i.modulo(4));
  EXPECT_FALSE(i.divided_by(0));
  EXPECT_EQ(i.divided_by(1LL << 62)->divided_by(4).error().code,
            ErrorCode::overflow);
}

// A share's period is one of the dim, which may be long.
TEST(Layout, PeriodsOfSharesFit) {
  const Shape shape = {{"i", std::int64_t{1} << 62}};
  const auto bound = Layout::bind(*parse_expression("i//1 %2"), shape, 1);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::overflow);
}

// A stride whose bits are more than 64 bits count is an error of the layout.
TEST(Layout, StridesOfTooManyBits) {
  Expression expression = *parse_expression("x=a:8B | b");
  expression.axes[0].terms[0].stride.value =
      std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t extent : {1, 2}) {
    EXPECT_FALSE(Layout::bind(expression, {{"a", extent}, {"b", 2}}, 4));
  }
}

}  // namespace
}  // namespace stridewise
