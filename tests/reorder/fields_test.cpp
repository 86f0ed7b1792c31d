// Conversions of layouts that are more than plain digits, against the reference.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "stridewise/element.hpp"
#include "stridewise/explain.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/values.hpp"
#include "support/guarded.hpp"
#include "support/world.hpp"

namespace stridewise::testing {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// Plans for all machines that this one can stand for, by both kinds of stores.
std::vector<Plan> plans_of(const Layout& src, const Layout& dst,
                           PlanOptions options) {
  std::vector<Plan> plans;
  for (const std::string_view machine : machine_names()) {
    for (const Stores stores : {Stores::cached, Stores::streaming}) {
      options.machine = machine;
      options.stores = stores;
      // Of a machine with instructions that this one has not there are no plans.
      if (auto plan = Plan::make(src, dst, options)) plans.push_back(*plan);
    }
  }
  return plans;
}

// What is wrong with a plan that is to give `expected` where `before` was, in words.
std::string wrong_run(const Plan& plan, const Bytes& in, const Bytes& before,
                      const Bytes& expected, unsigned last_bits) {
  const auto side = in.size() % 2 == 0 ? GuardedBytes::Against::front
                                       : GuardedBytes::Against::back;
  const GuardedBytes src(in.size(), side);
  const GuardedBytes dst(before.size(), side);
  std::ranges::copy(in, src.data());
  std::ranges::copy(before, dst.data());
  plan.run(src.data(), dst.data());
  const std::span<std::byte> got = dst.bytes();
  for (std::size_t k = 0; k < got.size(); ++k) {
    // The bits after the last one are nobody's.
    const bool last = last_bits != 0 && k + 1 == got.size();
    const auto own = static_cast<std::byte>(last ? (1U << last_bits) - 1 : 255);
    if ((got[k] & own) != (expected[k] & own)) {
      return fmt::format("byte {} differs\n{}", k, plan.to_string());
    }
  }
  return {};
}

// What is wrong with a conversion, in words.
std::string difference(const Layout& src, const Layout& dst,
                       const PlanOptions& options) {
  const Result<Plan> plan = Plan::make(src, dst, options);
  if (!plan) return plan.error().message;
  const Bytes in = random_bytes(src.size_bytes(), 1);
  const Bytes before = random_bytes(dst.size_bytes(), 2);
  Bytes expected = before;
  if (options.values) {
    reorder_reference(src, dst, in.data(), expected.data(), options.fill,
                      *options.values);
  } else {
    reorder_reference(src, dst, in.data(), expected.data(), options.fill);
  }
  const auto last_bits = static_cast<unsigned>(dst.size_bits() % 8);
  for (const Plan& each : plans_of(src, dst, options)) {
    std::string wrong = wrong_run(each, in, before, expected, last_bits);
    if (!wrong.empty()) return wrong;
  }
  return {};
}
std::string difference(const Layout& src, const Layout& dst, Fill fill) {
  return difference(src, dst, PlanOptions{.fill = fill});
}

// Each part of each layout to rows and back.
TEST(Fields, TheWorldToRowsAndBack) {
  for (const WorldEntry& entry : world()) {
    const Layout whole = layout_of(entry);
    for (const Tensor& tensor : whole.tensors()) {
      const Layout part = *whole.part(tensor.name);
      Axis axis;
      Shape shape = tensor.shape;
      for (Dim& dim : shape) {
        axis.terms.push_back(Term{Digit{dim.name}, {}});
      }
      // Own dims such as k/32 have no name of their own in a text.
      const bool named = std::ranges::none_of(shape, [](const Dim& dim) {
        return dim.name.find('/') != std::string::npos;
      });
      if (!named) continue;
      const Layout rows =
          *Layout::bind(Expression{{axis}}, shape,
                        Binding{.element_bits = tensor.element_bits});
      for (const Fill fill : {Fill::zero, Fill::keep}) {
        EXPECT_EQ(difference(part, rows, fill), "") << entry.name;
        EXPECT_EQ(difference(rows, part, fill), "") << entry.name;
      }
    }
  }
}

RC_GTEST_PROP(Fields, RandomPairs, ()) {
  const Shape shape = random_shape();
  const std::int64_t bits = random_element_bits();
  const std::string from = random_text(shape);
  const std::string to = random_text(shape);
  const auto bind = [&](const std::string& text) {
    const Layout whole = *Layout::bind(*parse_expression(text), shape,
                                       Binding{.element_bits = bits});
    return *whole.part("");
  };
  const Layout src = bind(from);
  const Layout dst = bind(to);
  RC_PRE(src.size_bits() < 1 << 18 && dst.size_bits() < 1 << 18);
  const Fill fill = in_range(0, 1) == 0 ? Fill::zero : Fill::keep;
  RC_LOG() << from << " -> " << to << " of " << print(shape) << ", " << bits;
  const std::string wrong = difference(src, dst, fill);
  RC_LOG() << wrong;
  RC_ASSERT(wrong.empty());
}

// Values that change on the way, of elements whose bits may lie apart on either side.
RC_GTEST_PROP(Fields, RandomPairsWhoseValuesChange, ()) {
  const Shape shape = random_shape();
  const auto type = [](std::int64_t bits, bool is_signed) {
    return *parse_element_type(
        fmt::format("{}{}", is_signed ? 's' : 'u', bits));
  };
  const bool is_signed = in_range(0, 1) == 0;
  const Values values{type(in_range(2, 12), is_signed),
                      type(in_range(2, 12), is_signed)};
  RC_PRE(values.src != values.dst);
  const std::string from = random_text(shape);
  const std::string to = random_text(shape);
  const auto bind = [&](const std::string& text, const ElementType& of) {
    const Layout whole = *Layout::bind(*parse_expression(text), shape,
                                       Binding{.element_bits = of.bits});
    return *whole.part("");
  };
  const Layout src = bind(from, values.src);
  const Layout dst = bind(to, values.dst);
  RC_PRE(src.size_bits() < 1 << 16 && dst.size_bits() < 1 << 16);
  const Fill fill = in_range(0, 1) == 0 ? Fill::zero : Fill::keep;
  RC_LOG() << from << " -> " << to << " of " << print(shape) << ", "
           << values.src.name << " to " << values.dst.name;
  const std::string wrong =
      difference(src, dst, PlanOptions{.fill = fill, .values = values});
  RC_LOG() << wrong;
  RC_ASSERT(wrong.empty());
}

// Those of more than 32 bits are written in parts.
TEST(Fields, WideValuesWhoseBitsLieApart) {
  for (const auto& [from, to] : {std::pair{"f64", "s64"},
                                 {"s64", "f64"},
                                 {"u64", "s64"},
                                 {"f64", "f32"},
                                 {"f32", "f64"},
                                 {"s32", "s64"}}) {
    const Values values{*parse_element_type(from), *parse_element_type(to)};
    for (const char* text : {"a #%2 #/2", "a #/8 #%8", "#/3 a #%3"}) {
      const auto bind = [](const char* layout, const ElementType& type) {
        return *Layout::bind(*parse_expression(layout), {{"a", 9}},
                             Binding{.element_bits = type.bits});
      };
      const Layout whole = bind("a", values.src);
      const Layout apart = bind(text, values.dst);
      const PlanOptions options{.values = values};
      EXPECT_EQ(difference(whole, apart, options), "") << from << text;
      const PlanOptions back{.values = Values{values.dst, values.src}};
      EXPECT_EQ(difference(apart, whole, back), "") << to << text;
    }
  }
}

// More bits than a load takes from within a byte.
TEST(Fields, WideFieldsThatBeginWithinBytes) {
  for (const std::int64_t bits : {57, 60, 64, 120}) {
    const auto bind = [&](const std::string& layout) {
      return *Layout::bind(*parse_expression(layout), {{"a", 9}},
                           Binding{.element_bits = bits});
    };
    const Layout dense = bind("a #");
    const Layout apart = bind(fmt::format("a:{} #", bits + 3));
    for (const Fill fill : {Fill::zero, Fill::keep}) {
      EXPECT_EQ(difference(dense, apart, fill), "") << bits;
      EXPECT_EQ(difference(apart, dense, fill), "") << bits;
    }
  }
}

// Values of more than 32 bits that are no whole bytes are written in two parts.
TEST(Fields, WideValuesThatBeginWithinBytes) {
  const auto bind = [](const ElementType& type) {
    return *Layout::bind(*parse_expression("a"), {{"a", 9}},
                         Binding{.element_bits = type.bits});
  };
  for (const auto& [from, to] : {std::pair{"s47", "s64"},
                                 {"s64", "s47"},
                                 {"u33", "u63"},
                                 {"s8", "s55"}}) {
    const Values values{*parse_element_type(from), *parse_element_type(to)};
    EXPECT_EQ(difference(bind(values.src), bind(values.dst),
                         PlanOptions{.values = values}),
              "")
        << from << " to " << to;
  }
}

// Zeros that no property test meets: after the last of copies that the next row follows at
// once, past a digit that never steps, and after runs that are longer than a call.
TEST(Fields, ZerosOfUnusualRows) {
  const auto bind = [](const char* layout, const Shape& shape) {
    return *Layout::bind(*parse_expression(layout), shape, 1);
  };
  struct Zeros {
    const char* layout;
    Shape shape;
  };
  for (const auto& [layout, shape] :
       {Zeros{"a:8 b:3 c", {{"a", 4}, {"b", 3}, {"c", 2}}},
        {"a:20 b:8 c:3 d", {{"a", 3}, {"b", 2}, {"c", 3}, {"d", 2}}},
        {"c/4 a c%8", {{"c", 3}, {"a", 5}}},
        {"a c/4 c%8", {{"c", 4}, {"a", 5}}},
        {"a:5000064 b", {{"a", 2}, {"b", 5000000}}},
        {"a:70000 b", {{"a", 9}, {"b", 69999}}}}) {
    std::string dense;
    for (const Dim& dim : shape) dense += dim.name + ' ';
    const Layout src = bind(dense.c_str(), shape);
    const Layout dst = bind(layout, shape);
    for (const Fill fill : {Fill::zero, Fill::keep}) {
      EXPECT_EQ(difference(src, dst, fill), "") << layout;
      EXPECT_EQ(difference(dst, src, fill), "") << layout;
    }
  }
}

// A digit that is twisted by another dim belongs to both.
TEST(Fields, TwistsAcrossDims) {
  const Shape shape = {{"a", 8}, {"b", 8}, {"c", 3}};
  const auto bind = [&](const char* layout, std::int64_t bits) {
    return *Layout::bind(*parse_expression(layout), shape,
                         Binding{.element_bits = bits});
  };
  for (const std::int64_t bits : {4, 8, 12, 32}) {
    for (const char* text :
         {"a b^a c", "c a b%4^a%4 b/4", "a/2 c b a%2^b%2", "a b+a c", "b a-b c",
          "k := a b^a; k/5 c k%5", "k := b a^b%4; c k%16 k/16"}) {
      EXPECT_EQ(difference(bind("a b c", bits), bind(text, bits), Fill::zero),
                "")
          << text;
      EXPECT_EQ(difference(bind(text, bits), bind("a b c", bits), Fill::keep),
                "")
          << text;
    }
  }
}

TEST(Fields, PlansCountWhatTheyRead) {
  const Layout src = *Layout::bind(*parse_expression("a #%2 #/2"), {{"a", 99}},
                                   Binding{.element_bits = 12});
  const Layout dst = *Layout::bind(*parse_expression("a #"), {{"a", 99}},
                                   Binding{.element_bits = 12});
  const Plan plan = *Plan::make(src, dst, Fill::keep);
  EXPECT_EQ(plan.bytes_read(), (99 * 12 + 7) / 8);
  EXPECT_EQ(plan.bytes_written(), (99 * 12 + 7) / 8);
}

Layout bound(std::string_view text, std::string_view shape,
             std::int64_t bits = 8) {
  return *Layout::bind(*parse_expression(text), *parse_shape(shape),
                       Binding{.element_bits = bits});
}

struct Case {
  const char* src;
  const char* dst;
  const char* shape;
  std::int64_t bits;
};

// Elements of a few bits whose order is transposed go by way of a memory of words.
TEST(Fields, TransposesOfBits) {
  for (const Case& c : {Case{"k n", "n k", "k=128,n=256", 4},
                        Case{"k n", "n:132 k", "k=129,n=256", 4},
                        Case{"k n", "n k", "k=512,n=260", 1},
                        Case{"k n", "n k", "k=160,n=410", 2},
                        Case{"k n", "n k", "k=32,n=700", 6},
                        Case{"k n", "n k", "k=65,n=513", 4},
                        Case{"o i h w", "o h w i", "o=16,i=90,h=3,w=8", 4},
                        Case{"n h w c", "n c h:9 w", "n=2,h=4,w=8,c=520", 4}}) {
    const Layout src = bound(c.src, c.shape, c.bits);
    const Layout dst = bound(c.dst, c.shape, c.bits);
    for (const Fill fill : {Fill::zero, Fill::keep}) {
      EXPECT_EQ(difference(src, dst, fill), "") << c.dst << ' ' << c.bits;
    }
  }
  // By programs, which not every machine has.
  const bool has_programs =
      std::ranges::any_of(available_kernels(), [](const KernelInfo& kernel) {
        return kernel.name.starts_with("program");
      });
  const Result<Plan> plan = Plan::make(bound("k n", "k=1024,n=1024", 4),
                                       bound("n k", "k=1024,n=1024", 4));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->to_string().find("by way of a memory") != std::string::npos,
            has_programs);
  EXPECT_FALSE(plan->nests().empty());
}

// Blocks and what they leave over, which share bytes, or lie between zeros.
TEST(Fields, BlocksThatMeetWithinBytes) {
  for (const Case& c :
       {Case{"~c", "@1 c", "c=200", 4}, Case{"n c", "@3 c n", "n=5,c=201", 4},
        Case{"n ~c", "@3 n:204 c", "n=5,c=201", 4},
        Case{"c n", "n:241 c", "n=5,c=201", 4},
        Case{"c n", "n:306 c", "n=6,c=300", 2},
        Case{"n ~c", "@144 n:208 c", "n=2,c=200", 4},
        Case{"n ~c", "n:210 c", "n=3,c=200", 4},
        Case{"n ~c", "@5 n:1003 c:5", "n=3,c=200", 1},
        Case{"(a/4 b a%4)/2 |^13B| @11B (a/4 b a%4)%2",
             "@9 b/6 a%%4 b%6/2 b%2 a//4 ~#", "a=8,b=18", 8}}) {
    const Layout src = bound(c.src, c.shape, c.bits);
    const Layout dst = bound(c.dst, c.shape, c.bits);
    for (const Fill fill : {Fill::zero, Fill::keep}) {
      EXPECT_EQ(difference(src, dst, fill), "") << c.src << " -> " << c.dst;
      EXPECT_EQ(difference(dst, src, fill), "") << c.dst << " -> " << c.src;
    }
  }
}

// A run that is long is no program of its bytes.
TEST(Fields, LongRunsArePlannedAtOnce) {
  const char* const shape = "n=3,c=2000001";
  const Result<Plan> plan =
      Plan::make(bound("n c", shape, 4), bound("@2 n:2000102 c", shape, 4));
  ASSERT_TRUE(plan);
  for (const PlanNest& nest : plan->nests()) {
    EXPECT_EQ(nest.kernel.find("program"), std::string::npos) << nest.kernel;
  }
}

// What is read need not be one-to-one; what is written must be.
TEST(Fields, LayoutsThatAreOnlyRead) {
  const Layout rows = bound("h w", "h=3,w=5");
  for (const char* text :
       {"h:0 w", "h w:0", "h:1 w:1", "@10 h:-5 w", "h:-5 w:-1"}) {
    const Layout src = bound(text, "h=3,w=5");
    EXPECT_EQ(difference(src, rows, Fill::zero), "") << text;
  }
  const Result<Plan> refused =
      Plan::make(rows, bound("h:1 w:1", "h=3,w=5"), Fill::zero);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "dst: two elements share a place: h=0,w=1 and h=1,w=0");
  const Result<Plan> unnamed =
      Plan::make(bound("w", "h=3,w=5"), rows, Fill::zero);
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().message,
            "src: dim h is not covered: no digit of the layout names it");
}

}  // namespace
}  // namespace stridewise::testing
