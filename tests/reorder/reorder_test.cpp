// Plans against the reference, on random pairs of layouts.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/reorder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <span>
#include <string>
#include <thread>

#include "stridewise/catalogue.hpp"
#include "support/generators.hpp"
#include "support/guarded.hpp"
#include "support/values.hpp"

namespace stridewise {
namespace {

using testing::GuardedBytes;
using ::testing::HasSubstr;
using testing::in_range;

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::int64_t size, std::uint64_t seed) {
  Bytes bytes(static_cast<std::size_t>(size));
  for (std::byte& b : bytes) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    b = static_cast<std::byte>(seed >> 56);
  }
  return bytes;
}

struct Pair {
  Layout src, dst;

  [[nodiscard]] std::string describe() const {
    return print(src.expression()) + " -> " + print(dst.expression()) + " of " +
           print(src.shape());
  }
};

Pair random_pair() {
  const Shape shape = testing::random_shape();
  const std::int64_t width = testing::random_element_bytes();
  Shape other = shape;  // the same dims in another order
  testing::shuffle(other);
  return {testing::random_valid_layout(shape, width),
          testing::random_valid_layout(other, width)};
}

// Runs on threads of the test's own, so that a race detector sees them all.
void threaded_for(std::int64_t count,
                  const std::function<void(std::int64_t)>& body) {
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t k = next++; k < count; k = next++) body(k);
  };
  std::thread a(work);
  std::thread b(work);
  work();
  a.join();
  b.join();
}

RC_GTEST_PROP(Reorder, EqualsTheReference, ()) {
  const Pair pair = random_pair();
  RC_LOG() << pair.describe();
  const Bytes src = random_bytes(pair.src.size_bytes(), 1);
  for (const Fill fill : {Fill::zero, Fill::keep}) {
    // What dst held before must show through exactly where it is kept.
    Bytes expected = random_bytes(pair.dst.size_bytes(), 2);
    Bytes actual = expected;
    const Bytes before = expected;
    reorder_reference(pair.src, pair.dst, src.data(), expected.data(), fill);
    const Result<Plan> plan = Plan::make(pair.src, pair.dst, fill);
    RC_ASSERT(plan.has_value());
    plan->run(src.data(), actual.data());
    RC_ASSERT(actual == expected);
    Bytes threaded = before;
    plan->run(src.data(), threaded.data(), threaded_for);
    RC_ASSERT(threaded == expected);
  }
}

RC_GTEST_PROP(Reorder, StaysWithinBothBuffers, ()) {
  const Pair pair = random_pair();
  RC_LOG() << pair.describe();
  const auto side = in_range(0, 1) == 0 ? GuardedBytes::Against::front
                                        : GuardedBytes::Against::back;
  const GuardedBytes src(static_cast<std::size_t>(pair.src.size_bytes()), side);
  const GuardedBytes dst(static_cast<std::size_t>(pair.dst.size_bytes()), side);
  Plan::make(pair.src, pair.dst)->run(src.data(), dst.data());
}

RC_GTEST_PROP(Reorder, ThereAndBackIsTheIdentity, ()) {
  const Pair pair = random_pair();
  RC_LOG() << pair.describe();
  const Bytes src = random_bytes(pair.src.size_bytes(), 3);
  Bytes dst(static_cast<std::size_t>(pair.dst.size_bytes()));
  Bytes back = src;  // its padding is random: kept
  Plan::make(pair.src, pair.dst)->run(src.data(), dst.data());
  Plan::make(pair.dst, pair.src, Fill::keep)->run(dst.data(), back.data());
  RC_ASSERT(back == src);
}

RC_GTEST_PROP(Reorder, PaddingOfSrcReachesNothing, ()) {
  const Pair pair = random_pair();
  RC_LOG() << pair.describe();
  Bytes clean = random_bytes(pair.src.size_bytes(), 4);
  Bytes dirty = clean;
  std::vector<std::int64_t> index(pair.src.shape().size());
  const std::int64_t width = pair.src.element_bytes();
  for (std::int64_t p = 0; p < pair.src.places(); ++p) {
    if (pair.src.element_at(p, index) == Place::element) continue;
    for (std::int64_t b = 0; b < width; ++b) {
      dirty[static_cast<std::size_t>(p * width + b)] ^= std::byte{0xff};
    }
  }
  const Plan plan = *Plan::make(pair.src, pair.dst);
  Bytes a = random_bytes(pair.dst.size_bytes(), 5);
  Bytes b = random_bytes(pair.dst.size_bytes(), 6);
  plan.run(clean.data(), a.data());
  plan.run(dirty.data(), b.data());
  RC_ASSERT(a == b);
}

// Pairs of types that convert, with a quantisation where one side is integers.
Values random_values() {
  static constexpr std::array<std::array<std::string_view, 2>, 8> pairs = {{
      {"f32", "f16"},
      {"f16", "f32"},
      {"f32", "bf16"},
      {"bf16", "f32"},
      {"f32", "s8"},
      {"s8", "f32"},
      {"f32", "u8"},
      {"u8", "f32"},
  }};
  const auto k = static_cast<std::size_t>(in_range(0, 7));
  Values values = testing::values_of(pairs[k][0], pairs[k][1]);
  if (k >= 4) values.quantisation = {0.75F, k % 4 < 2 ? -3 : 7};
  return values;
}

void check_converting(const Shape& shape) {
  const Values values = random_values();
  Shape other = shape;
  testing::shuffle(other);
  const Pair pair = {testing::random_valid_layout(shape, values.src.bytes()),
                     testing::random_valid_layout(other, values.dst.bytes())};
  RC_LOG() << pair.describe() << " " << values.src.name << " -> "
           << values.dst.name;
  const Bytes src = random_bytes(pair.src.size_bytes(), 7);
  for (const Fill fill : {Fill::zero, Fill::keep}) {
    for (const Stores stores : {Stores::cached, Stores::streaming}) {
      Bytes expected = random_bytes(pair.dst.size_bytes(), 8);
      Bytes actual = expected;
      reorder_reference(pair.src, pair.dst, src.data(), expected.data(), fill,
                        values);
      const Result<Plan> plan = Plan::make(
          pair.src, pair.dst,
          PlanOptions{.fill = fill, .stores = stores, .values = values});
      // Blocks that divide each other in no way are pieces without end.
      if (!plan.has_value()) {
        RC_ASSERT(plan.error().code == ErrorCode::unsupported);
        return;
      }
      plan->run(src.data(), actual.data(), threaded_for);
      RC_ASSERT(actual == expected);
    }
  }
}

RC_GTEST_PROP(Reorder, ConvertsValuesAsTheReferenceDoes, ()) {
  check_converting(testing::random_shape());
}

// Tiles that no stage holds whole.
RC_GTEST_PROP(Reorder, ConvertsValuesOfLongDimsAsTheReferenceDoes, ()) {
  Shape shape = {{"a", in_range(1, 700)}, {"b", in_range(1, 40)}};
  if (in_range(0, 1) == 1) shape.push_back({"c", in_range(1, 9)});
  testing::shuffle(shape);
  check_converting(shape);
}

// Real layouts, several stages long: each kind of kernel has some, of rows that
// follow each other in src and of those that a table tells, with zeros that are
// converted to zeros and with others.
void check_converting(const Shape& shape, std::string_view from,
                      std::string_view to, const Values& values) {
  const Layout src =
      resolve_layout(from)->bind(shape, values.src.bytes()).value();
  const Layout dst =
      resolve_layout(to)->bind(shape, values.dst.bytes()).value();
  const Bytes bytes = random_bytes(src.size_bytes(), 9);
  for (const Fill fill : {Fill::zero, Fill::keep}) {
    Bytes expected = random_bytes(dst.size_bytes(), 10);
    const Bytes before = expected;
    reorder_reference(src, dst, bytes.data(), expected.data(), fill, values);
    for (const Stores stores : {Stores::cached, Stores::streaming}) {
      Bytes actual = before;
      const auto plan = Plan::make(
          src, dst,
          PlanOptions{.fill = fill, .stores = stores, .values = values});
      ASSERT_TRUE(plan.has_value()) << plan.error().message;
      plan->run(bytes.data(), actual.data(), threaded_for);
      EXPECT_TRUE(actual == expected)
          << from << " " << values.src.name << " -> " << to << " "
          << values.dst.name << "\n"
          << plan->to_string();
    }
  }
}

std::vector<Values> some_values() {
  return {testing::values_of("f32", "f16"), testing::values_of("bf16", "f32"),
          testing::values_of("f32", "u8", {0.5F, 1}),
          testing::values_of("s8", "f32", {0.5F, 1}),
          testing::values_of("u8", "f32", {0.25F, 0})};
}

TEST(Reorder, ConvertsLargeTensors) {
  for (const auto& [from, to] :
       {std::pair{"nchw", "nhwc"}, std::pair{"nhwc", "nchw"},
        std::pair{"nchw", "nChw16c"}, std::pair{"nChw8c", "nchw"},
        std::pair{"nchw", "mace.channel"}, std::pair{"mace.channel", "nhwc"},
        std::pair{"nchw", "nchw"}, std::pair{"nhwc", "okk.aligned(start=3)"},
        std::pair{"nChw4c", "nChw16c"}, std::pair{"n:9999 c h w", "nhwc"},
        std::pair{"nChw16c", "nhwc"}, std::pair{"chwn", "nchw"},
        std::pair{"nhcw", "nchw"}, std::pair{"nchw", "n:99999 c h w"},
        std::pair{"nhwc", "n c:9999 h w"}, std::pair{"nchw", "n h w c:99"}}) {
    for (const Values& values : some_values()) {
      check_converting({{"n", 2}, {"c", 67}, {"h", 9}, {"w", 15}}, from, to,
                       values);
    }
  }
}

TEST(Reorder, ConvertsImagesOfFewChannels) {
  for (const std::int64_t channels : {1, 3, 4, 12}) {
    for (const std::int64_t width : {7, 40}) {
      for (const auto& [from, to] :
           {std::pair{"nhwc", "nChw4c"}, std::pair{"nChw4c", "nhwc"},
            std::pair{"nhwc", "nchw"}, std::pair{"nchw", "nhwc"},
            std::pair{"nchw", "nChw8c"}, std::pair{"nChw16c", "nchw"},
            std::pair{"nhwc", "mace.channel"},
            std::pair{"nChw4c", "nChw16c"}}) {
        for (const Values& values : some_values()) {
          check_converting({{"n", 9}, {"c", channels}, {"h", 7}, {"w", width}},
                           from, to, values);
        }
      }
    }
  }
}

// One channel beyond a block, and blocks that others hold some of.
TEST(Reorder, PadsAfterElementsAndAfterRowsOfRuns) {
  for (const std::int64_t width : {1, 2, 4, 8, 16}) {
    for (const int channels : {1, 4, 8, 12, 17, 20, 28}) {
      for (const auto& [from, to] :
           {std::pair{"nhwc", "nChw16c"}, std::pair{"nhwc", "nChw4c"},
            std::pair{"nChw4c", "nChw16c"}, std::pair{"nChw8c", "nChw16c"},
            std::pair{"nChw4c", "nChw8c"}, std::pair{"nChw16c", "nChw8c"}}) {
        const Shape shape = {{"n", 3}, {"c", channels}, {"h", 13}, {"w", 11}};
        const Layout src = resolve_layout(from)->bind(shape, width).value();
        const Layout dst = resolve_layout(to)->bind(shape, width).value();
        const Bytes bytes = random_bytes(src.size_bytes(), 21);
        Bytes expected(static_cast<std::size_t>(dst.size_bytes()));
        reorder_reference(src, dst, bytes.data(), expected.data());
        for (const Stores stores : {Stores::cached, Stores::streaming}) {
          Bytes actual = random_bytes(dst.size_bytes(), 22);
          const Plan plan =
              *Plan::make(src, dst, PlanOptions{.stores = stores});
          plan.run(bytes.data(), actual.data());
          EXPECT_TRUE(actual == expected)
              << from << " -> " << to << " " << channels << " x " << width;
        }
      }
    }
  }
}

// What a stage holds of them is less than lines or kernels want whole: long columns
// that stream, rows that interleave and gaps between them, a last row alone.
TEST(Reorder, ConvertsWhatFitsNoStageWhole) {
  const auto converts = [](std::string_view shape, std::string_view from,
                           std::string_view to) {
    for (const Values& values : some_values()) {
      check_converting(parse_shape(shape).value(), from, to, values);
    }
  };
  for (const int channels : {161, 200, 400, 511}) {
    const std::string shape = fmt::format("n=2,c={},h=14,w=14", channels);
    converts(shape, "nchw", "nhwc");
    converts(shape, "nhwc", "nchw");
  }
  converts("a=21,b=999,c=5", "a b:13 c", "b c a");
  converts("a=8,b=999,c=4", "a b:12 c", "b c a");
  converts("n=4,c=4,h=4,w=462", "n c/12 h w c%12", "w c n h");
  converts("x=3,y=171,c=300", "x y c", "c y x");
  converts("x=3,y=171,c=300", "c y x", "x y c");
  converts("o=300,i=140,h=3,w=3", "h w i o", "o i h w");
  // Loops that cross: what is nearer than the next row reaches beyond it.
  converts("a=9,b=2,c=6", "a:26 b:32 c", "a c b");
  converts("o=16,i=2,h=4,w=8", "o:9999 i:24 h:16 w", "h w o i");
  converts("a=100,b=2,c=2", "a:6 b:8 c", "c a b");
}

TEST(Reorder, ConvertsWeights) {
  for (const std::int64_t side : {1, 3}) {
    for (const auto& [from, to] :
         {std::pair{"oihw", "OIhw4i16o4i"}, std::pair{"OIhw4i16o4i", "oihw"},
          std::pair{"oihw", "hwio"}, std::pair{"hwio", "oihw"},
          std::pair{"oihw", "OIhw16i16o"}, std::pair{"hwio", "OIhw16i16o"},
          std::pair{"OIhw16i16o", "hwio"}, std::pair{"oihw", "OIhw8i16o2i"},
          std::pair{"oihw", "OIhw16i64o4i"},
          std::pair{"o:999 i:13 h w", "OIhw4i16o4i"},
          std::pair{"o:9999 i:211 h:70 w", "OIhw8i16o2i"}}) {
      for (const Values& values : some_values()) {
        check_converting({{"o", 80}, {"i", 43}, {"h", side}, {"w", side}}, from,
                         to, values);
      }
    }
  }
}

// Runs a streaming plan to addresses after a line, and expects what the
// reference says there and nothing beside it.
void expect_streams_to_any_address(const Layout& src, const Layout& dst,
                                   std::span<const std::size_t> shifts,
                                   const std::string& what) {
  const Bytes data = random_bytes(src.size_bytes(), 11);
  Bytes expected(static_cast<std::size_t>(dst.size_bytes()));
  reorder_reference(src, dst, data.data(), expected.data());
  const Plan plan =
      *Plan::make(src, dst, PlanOptions{.stores = Stores::streaming});
  for (const std::size_t shift : shifts) {
    Bytes result(expected.size() + 192, std::byte{0x77});
    const std::size_t line =
        -reinterpret_cast<std::uintptr_t>(result.data()) % 64;
    const auto begin =
        result.begin() + static_cast<std::ptrdiff_t>(line + shift);
    const auto end = begin + std::ssize(expected);
    plan.run(data.data(), &*begin, threaded_for);
    const auto untouched = [](std::byte b) { return b == std::byte{0x77}; };
    EXPECT_TRUE(std::equal(begin, end, expected.begin()))
        << what << ", " << shift << " after a line";
    EXPECT_TRUE(std::all_of(result.begin(), begin, untouched)) << what;
    EXPECT_TRUE(std::all_of(end, result.end(), untouched)) << what;
  }
}

// Dense columns that are no whole lines stream by blocks, which must hold them
// and the zeros that follow them.
TEST(Reorder, StreamsColumnsThatAreNoWholeLines) {
  constexpr std::array<std::size_t, 5> shifts = {0, 3, 16, 36, 63};
  for (const std::int32_t width : {1, 2, 4, 8}) {
    for (const std::int64_t channels :
         {3, 17, 50, 64, 67, 126, 128, 192, 250}) {
      for (const std::int64_t zeros : {0, 1, 3, 5}) {
        const Shape shape = {{"n", 2}, {"c", channels}, {"h", 9}, {"w", 39}};
        expect_streams_to_any_address(
            *resolve_layout("n c h w")->bind(shape, width),
            *resolve_layout("n h w:" + std::to_string(channels + zeros) + " c")
                 ->bind(shape, width),
            shifts, fmt::format("{} x {} + {}", width, channels, zeros));
      }
    }
  }
}

// In calls of all rows and some columns.
TEST(Reorder, StreamsLongColumnsByBlocks) {
  constexpr std::array<std::size_t, 3> shifts = {0, 16, 63};
  for (const auto& [channels, width] :
       {std::pair{511, 1}, {300, 2}, {131, 4}, {257, 8}}) {
    const Shape shape = {{"n", 2}, {"c", channels}, {"h", 37}, {"w", 39}};
    expect_streams_to_any_address(
        *resolve_layout("n c h w")->bind(shape, width),
        *resolve_layout("n h w c")->bind(shape, width), shifts,
        fmt::format("{} x {}", width, channels));
  }
}

// Columns that follow each other in dst only after others between them.
TEST(Reorder, StreamsColumnsOfSeveralLoops) {
  constexpr std::array<std::size_t, 5> shifts = {0, 1, 16, 36, 60};
  const Shape shape = {{"a", 48}, {"b", 80}, {"c", 3}, {"d", 3}};
  for (const auto& [from, to, width] :
       {std::tuple{"abcd", "ABcd16b16a", 4},
        {"abcd", "ABcd16b16a", 2},
        {"abcd", "ABcd4b16a4b", 1},
        {"abcd", "ABcd8b16a2b", 2},
        {"cdba", "ABcd16b16a", 4},
        {"abcd", "cdba", 1},
        {"abcd", "BAcd8a8b", 4},
        {"abcd", "acBd4b", 4},
        {"Abcd4a", "abcd", 1},
        {"bcda", "abcd", 2},
        {"abcd", "npu=b%16 | a b/16:^128B c d", 1},
        {"a b c d", "b d c:50 a", 1}}) {
    expect_streams_to_any_address(
        *resolve_layout(from)->bind(shape, width),
        *resolve_layout(to)->bind(shape, width), shifts,
        fmt::format("{} -> {} x {}", from, to, width));
  }
}

// Columns that end within lines, and rows go on in dst by another loop; and columns
// put together of rows that share sets of the L1 cache.
TEST(Reorder, StreamsShortColumnsOfSeveralLoops) {
  constexpr std::array<std::size_t, 3> shifts = {0, 16, 44};
  for (const auto& [from, to, shape, width] :
       {std::tuple{"bcda", "aBcd4b", "a=5,b=8,c=14,d=14", 8},
        {"acBd4b", "abcd", "a=3,b=16,c=28,d=28", 4},
        {"ABcd16b16a", "abcd", "a=48,b=64,c=3,d=3", 1},
        {"ABcd16b16a", "abcd", "a=32,b=64,c=5,d=5", 8},
        {"acdb", "bcda", "a=10,b=32,c=14,d=14", 8},
        {"acdb", "bcda", "a=13,b=24,c=16,d=16", 2},
        {"abcd", "cdba", "a=65,b=64,c=16,d=8", 1},
        {"bcda", "acdb", "a=25,b=96,c=7,d=7", 1},
        {"acdb", "abcd", "a=2,b=1024,c=14,d=14", 4},
        {"acdb", "abcd", "a=2,b=1024,c=14,d=14", 2},
        {"acdb", "abcd", "a=2,b=2048,c=14,d=14", 1},
        {"acdb", "abcd", "a=2,b=64,c=11,d=7", 16}}) {
    const Shape dims = *parse_shape(shape);
    const Layout src = *resolve_layout(from)->bind(dims, width);
    const Layout dst = *resolve_layout(to)->bind(dims, width);
    const Plan plan =
        *Plan::make(src, dst, PlanOptions{.stores = Stores::streaming});
    if (available_kernels()[0].streams) {
      EXPECT_TRUE(plan.nests()[0].streams) << plan.to_string();
    }
    expect_streams_to_any_address(
        src, dst, shifts, fmt::format("{} -> {} x {}", from, to, width));
  }
}

// Columns that are whole lines stream from wherever dst begins: the calls of a
// plan meet at its lines.
TEST(Reorder, StreamsToAnyAddress) {
  std::array<std::size_t, 65> shifts{};
  std::iota(shifts.begin(), shifts.end(), 0);
  for (const auto& [width, rows] :
       {std::pair<std::int32_t, std::int64_t>{1, 1600}, {4, 704}, {8, 264}}) {
    const Shape shape = {{"a", rows}, {"b", 70}};
    expect_streams_to_any_address(*resolve_layout("ab")->bind(shape, width),
                                  *resolve_layout("ba")->bind(shape, width),
                                  shifts, fmt::format("{} bytes", width));
  }
}

// Long columns that are no whole lines: by parts of their rows and columns, by
// loops that continue each other on one side, and from rows a power of two apart.
TEST(Reorder, StreamsLongColumnsThatBeginAnywhere) {
  constexpr std::array<std::size_t, 7> shifts = {0, 1, 4, 16, 37, 40, 63};
  for (const auto& [from, to, shape, width] :
       {std::tuple{"ab", "ba", "a=9001,b=70", 1},
        {"ab", "ba", "a=601,b=4100", 1},
        {"ab", "ba", "a=5003,b=131", 2},
        {"ab", "ba", "a=401,b=1030", 4},
        {"ab", "ba", "a=1027,b=1024", 4},
        {"ab", "ba", "a=530,b=515", 8},
        {"abc", "acb", "a=3,b=701,c=99", 4},
        {"abcd", "dabc", "a=7,b=33,c=5,d=61", 4},
        {"abcd", "bdac", "a=23,b=9,c=31,d=65", 2},
        {"a b c", "b c:531 a", "a=523,b=3,c=77", 8},
        {"a b c", "a c:1220 b", "a=2,b=1207,c=100", 1}}) {
    const Shape extents = *parse_shape(shape);
    expect_streams_to_any_address(*resolve_layout(from)->bind(extents, width),
                                  *resolve_layout(to)->bind(extents, width),
                                  shifts,
                                  fmt::format("{} of {}", shape, width));
  }
}

TEST(Reorder, PlansOfOtherValuesAreOtherPlans) {
  const Shape shape = {{"x", 9}};
  const Layout src = *resolve_layout("x")->bind(shape, 4);
  const Layout dst = *resolve_layout("x")->bind(shape, 1);
  const auto plan = [&](const char* type, Quantisation quantisation) {
    return *Plan::make(
        src, dst,
        PlanOptions{.values = testing::values_of("f32", type, quantisation)});
  };
  EXPECT_EQ(plan("s8", {0.5F, 1}), plan("s8", {0.5F, 1}));
  EXPECT_NE(plan("s8", {0.5F, 1}), plan("s8", {0.25F, 1}));
  EXPECT_NE(plan("s8", {0.5F, 1}), plan("u8", {0.5F, 1}));
}

TEST(Reorder, RefusesValuesThatDoNotFitTheLayouts) {
  const Shape shape = {{"n", 2}, {"c", 3}};
  const Layout wide = *resolve_layout("n c")->bind(shape, 4);
  const Layout narrow = *resolve_layout("c n")->bind(shape, 2);
  const auto error_of = [&](const Layout& src, const Layout& dst,
                            const Values& values) {
    const auto plan = Plan::make(src, dst, PlanOptions{.values = values});
    return plan ? "" : plan.error().message;
  };
  EXPECT_EQ(error_of(wide, narrow, testing::values_of("f32", "f16")), "");
  EXPECT_THAT(error_of(wide, wide, testing::values_of("f32", "f16")),
              HasSubstr("4 bytes and 4 bytes"));
  EXPECT_NE(error_of(narrow, wide, testing::values_of("f16", "c64")), "");
}

// The same function in other words: every stride and pitch written out.
RC_GTEST_PROP(Reorder, EqualFunctionsGiveEqualBytes, ()) {
  const Pair pair = random_pair();
  Expression spelled = pair.dst.expression();
  std::size_t k = 0;
  for (std::size_t a = 0; a < spelled.axes.size(); ++a) {
    for (Term& term : spelled.axes[a].terms) {
      const BoundTerm& bound = pair.dst.terms()[k++];
      // A stride that is given for a dim of one index adds no memory.
      const auto dim = static_cast<std::size_t>(bound.dim);
      if (pair.dst.shape()[dim].extent == 1) continue;
      term.stride = {Step::Kind::exact, bound.stride};
    }
    if (a + 1 < spelled.axes.size()) {
      spelled.axes[a].pitch = {Step::Kind::exact,
                               pair.dst.axes()[a].pitch_bytes};
    }
  }
  const Layout dst =
      *Layout::bind(spelled, pair.dst.shape(), pair.dst.element_bytes());
  RC_ASSERT(dst.size_bytes() == pair.dst.size_bytes());
  const Bytes src = random_bytes(pair.src.size_bytes(), 7);
  Bytes a = random_bytes(dst.size_bytes(), 8);
  Bytes b = random_bytes(dst.size_bytes(), 9);
  Plan::make(pair.src, pair.dst)->run(src.data(), a.data());
  Plan::make(pair.src, dst)->run(src.data(), b.data());
  RC_ASSERT(a == b);
}

// Arbitrary digits that happen to be valid: strides that interleave, digits
// that form no chain. Zeroing these asks the inverse.
RC_GTEST_PROP(Reorder, IrregularLayoutsToo, ()) {
  std::optional<Layout> irregular;
  for (const testing::UnrecordedDraws draws; !irregular;) {
    const Shape shape = testing::random_shape();
    const Layout layout =
        *Layout::bind(testing::arbitrary_expression(shape), shape, 2);
    if (layout.valid() && layout.places() < 1 << 14) irregular = layout;
  }
  const Shape& shape = irregular->shape();
  const Layout other = testing::random_valid_layout(shape, 2);
  for (const Pair& pair : {Pair{*irregular, other}, Pair{other, *irregular}}) {
    RC_LOG() << pair.describe();
    const Bytes src = random_bytes(pair.src.size_bytes(), 10);
    Bytes expected = random_bytes(pair.dst.size_bytes(), 11);
    Bytes actual = expected;
    reorder_reference(pair.src, pair.dst, src.data(), expected.data());
    Plan::make(pair.src, pair.dst)->run(src.data(), actual.data());
    RC_ASSERT(actual == expected);
  }
}

Layout layout_of(std::string_view text, std::string_view shape,
                 std::int64_t width = 4) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape(shape, source.dims), width);
}

// Tensors large enough for every loop of the plan: outer loops, cut tiles,
// several tasks.
TEST(Reorder, LargeTensorsEqualTheReference) {
  const std::array<std::array<std::string_view, 3>, 12> cases = {{
      {"nchw", "nhwc", "3x67x61x59"},
      {"nhwc", "nchw", "3x67x61x59"},
      {"nchw", "nChw16c", "2x67x61x59"},
      {"nChw16c", "nChw8c", "2x67x61x59"},
      {"nchw", "chwn", "33x17x30x31"},
      {"nchw", "n c/12 h w c%12", "n=2,c=67,h=31,w=33"},
      {"nChw8c", "n c/12 h w c%12", "n=2,c=67,h=31,w=33"},
      {"nchw", "okk.aligned(npus=16,npu_bytes=786432,start=5)", "3x67x31x33"},
      {"nchw", "nchw", "3x67x61x59"},
      {"oihw", "OIhw4i16o4i", "130x70x3x3"},
      {"hwio", "OIhw4i16o4i", "130x70x3x3"},
      {"hwio", "OIhw4i16o4i", "256x64x3x3"},
  }};
  for (const auto& [from, to, shape] : cases) {
    for (const std::int64_t width : {1, 2, 4, 8, 16, 12}) {
      const Layout src = layout_of(from, shape, width);
      const Layout dst = layout_of(to, shape, width);
      const Bytes data = random_bytes(src.size_bytes(), 12);
      Bytes expected(static_cast<std::size_t>(dst.size_bytes()));
      Bytes actual(expected.size(), std::byte{0x55});
      reorder_reference(src, dst, data.data(), expected.data());
      const Plan plan = *Plan::make(src, dst);
      plan.run(data.data(), actual.data(), threaded_for);
      Bytes streamed(expected.size(), std::byte{0x77});
      Plan::make(src, dst, PlanOptions{.stores = Stores::streaming})
          ->run(data.data(), streamed.data(), threaded_for);
      EXPECT_TRUE(streamed == expected) << from << " -> " << to << " streamed";
      EXPECT_TRUE(actual == expected) << from << " -> " << to << " " << shape
                                      << " x " << width << " bytes\n"
                                      << plan.to_string();
    }
  }
}

// Whether plans may take kernels of such a name here.
bool has(const char* name) {
  const auto all = available_kernels();
  return std::ranges::any_of(
      all, [=](const KernelInfo& k) { return k.name.starts_with(name); });
}

// Whether a nest of the plan, or a step of one, takes a kernel of such a name.
bool takes(const Plan& plan, std::string_view kernel) {
  const auto is_it = [=](const PlanNest& nest) {
    return nest.kernel.starts_with(kernel);
  };
  return std::ranges::any_of(plan.nests(), [=](const PlanNest& nest) {
    return is_it(nest) || std::ranges::any_of(nest.steps, is_it);
  });
}

// A plan writes what the reference does, beside pages that must not be touched.
void expect_between_guards(const Plan& plan, const Layout& src,
                           const Layout& dst, const std::string& what) {
  const Bytes data = random_bytes(src.size_bytes(), 21);
  Bytes expected(static_cast<std::size_t>(dst.size_bytes()));
  reorder_reference(src, dst, data.data(), expected.data());
  for (const auto side :
       {GuardedBytes::Against::front, GuardedBytes::Against::back}) {
    const GuardedBytes guarded_src(data.size(), side);
    const GuardedBytes guarded_dst(expected.size(), side);
    std::ranges::copy(data, guarded_src.data());
    std::ranges::fill(guarded_dst.bytes(), std::byte{0xee});
    plan.run(guarded_src.data(), guarded_dst.data(), threaded_for);
    EXPECT_TRUE(std::ranges::equal(guarded_dst.bytes(), expected))
        << what << '\n'
        << plan.to_string();
  }
}

// Weights with small planes, there and back: by way of a stage where both sides have a
// loop near, or by groups, from and to any address, and nothing beside them.
TEST(Reorder, MovesSmallPlanesInTwoSteps) {
  constexpr std::array<std::size_t, 3> shifts = {0, 7, 60};
  const std::array<std::array<std::string_view, 2>, 8> layouts = {{
      {"oihw", "OIhw4i16o4i"},
      {"abcd", "ABcd8b16a2b"},
      {"abcd", "ABcd16a4b"},
      {"abcd", "ABcd16a16b"},
      {"abcd", "ABcd16b64a4b"},
      {"abcd", "ABcd4b4a"},
      {"abcd", "bdca"},
      {"abcd", "adBc16b"},
  }};
  const auto in_steps = [](const Plan& plan) {
    return std::ranges::any_of(
        plan.nests(), [](const PlanNest& nest) { return !nest.steps.empty(); });
  };
  std::int64_t stepped = 0;
  for (const auto& [from, to] : layouts) {
    for (const char* const shape :
         {"64x48x3x3", "130x70x1x3", "48x208x2x2", "65x33x5x3", "32x48x2x5"}) {
      for (const std::int64_t width : {1, 2, 4, 8}) {
        for (const bool back : {false, true}) {
          const Layout src = layout_of(back ? to : from, shape, width);
          const Layout dst = layout_of(back ? from : to, shape, width);
          const std::string what =
              fmt::format("{} -> {} {} x {}", back ? to : from,
                          back ? from : to, shape, width);
          expect_streams_to_any_address(src, dst, shifts, what);
          const Plan plan = *Plan::make(src, dst);
          stepped += in_steps(plan) ? 1 : 0;
          expect_between_guards(plan, src, dst, what);
        }
      }
    }
  }
  EXPECT_GT(stepped, 50);
}

// Tails of blocks inside of others, to and from any address beside pages that must not
// be touched: most by programs.
TEST(Reorder, MovesTailsInsideOfBlocks) {
  const std::array<std::array<std::string_view, 2>, 9> layouts = {{
      {"oihw", "OIhw4i16o4i"},
      {"oihw", "OIhw8i16o2i"},
      {"oihw", "OIhw4i4o"},
      {"oihw", "OIhw4o4i"},
      {"hwio", "OIhw2i8o4i"},
      {"OIhw8i8o", "OIhw4o4i"},
      {"nChw8c", "mace.width"},
      {"mace.height", "nChw4c"},
      {"nhwc", "mace.width"},
  }};
  std::int64_t programs = 0;
  for (const auto& [from, to] : layouts) {
    for (const char* const shape :
         {"64x3x7x7", "10x7x3x5", "33x5x2x9", "6x1x5x5", "5x67x7x7"}) {
      for (const std::int64_t width : {1, 2, 4, 8}) {
        for (const bool back : {false, true}) {
          const Layout src = layout_of(back ? to : from, shape, width);
          const Layout dst = layout_of(back ? from : to, shape, width);
          const Plan plan = *Plan::make(src, dst);
          programs += takes(plan, "program") ? 1 : 0;
          expect_between_guards(plan, src, dst,
                                fmt::format("{} -> {} {} x {}{}", from, to,
                                            shape, width, back ? " back" : ""));
        }
      }
    }
  }
  EXPECT_EQ(programs > 20, has("program")) << programs;
}

// Between blocks of which neither holds the other's.
TEST(Reorder, StreamsBlockedWeights) {
  constexpr std::array tags = {"ABcd8b8a",    "ABcd8a8b",    "ABcd4b4a",
                               "ABcd8b16a2b", "ABcd4b16a4b", "ABcd4a16b4a",
                               "ABcd2b8a4b",  "ABcd16b64a4b"};
  constexpr std::array<std::size_t, 3> shifts = {0, 5, 64};
  for (const char* const src : tags) {
    for (const char* const dst : tags) {
      for (const std::int64_t width : {1, 2, 4, 8}) {
        for (const char* const shape : {"64x64x1x3", "66x35x1x2"}) {
          const Layout from = layout_of(src, shape, width);
          const Layout to = layout_of(dst, shape, width);
          ASSERT_NO_FATAL_FAILURE(expect_streams_to_any_address(
              from, to, shifts,
              fmt::format("{} {} {} {}", src, dst, shape, width)));
        }
      }
    }
  }
}

TEST(Plan, FailsBeforeItExists) {
  const auto error = [](const Layout& a, const Layout& b) {
    return Plan::make(a, b).error().message;
  };
  const Layout a = layout_of("n c", "n=2,c=3");
  EXPECT_THAT(error(a, layout_of("n c", "n=2,c=4")), HasSubstr("same tensor"));
  EXPECT_THAT(error(a, layout_of("n h", "n=2,h=3")), HasSubstr("same tensor"));
  EXPECT_THAT(error(a, layout_of("n c", "n=2,c=3", 2)),
              HasSubstr("src has elements of 4 bytes, dst of 2"));
  EXPECT_THAT(error(a, layout_of("n:1 c", "n=2,c=3")),
              HasSubstr("dst: two elements share a place"));
}

TEST(Plan, PaddingIsWrittenInTheSamePass) {
  for (const char* to : {"nChw16c", "n c/4 h w c%4"}) {
    const Plan plan = *Plan::make(layout_of("nchw", "2x17x9x9"),
                                  layout_of(to, "n=2,c=17,h=9,w=9"));
    for (const PlanNest& nest : plan.nests()) EXPECT_FALSE(nest.fills) << to;
  }
}

TEST(Plan, StreamsWhatNoCacheHolds) {
  const auto streams = [](const char* shape, Stores stores) {
    const Plan plan =
        *Plan::make(layout_of("nchw", shape), layout_of("nhwc", shape),
                    PlanOptions{.stores = stores});
    return plan.nests()[0].streams;
  };
  EXPECT_FALSE(streams("1x64x56x56", Stores::by_size));
  EXPECT_FALSE(streams("64x256x56x56", Stores::cached));
  if (available_kernels()[0].streams) {
    EXPECT_TRUE(streams("64x256x56x56", Stores::by_size));
    EXPECT_TRUE(streams("1x64x56x56", Stores::streaming));
  }
}

TEST(Plan, SharesLargeBatchesBetweenThreads) {
  const Plan plan = *Plan::make(layout_of("nchw", "32x3x225x225", 1),
                                layout_of("nhwc", "32x3x225x225", 1));
  EXPECT_GE(plan.tasks(), 8);
  EXPECT_TRUE(plan.uses_threads());
  EXPECT_FALSE(Plan::make(layout_of("nchw", "1x64x7x7"),
                          layout_of("nChw16c", "1x64x7x7"))
                   ->uses_threads());
}

// Few rows that are left of long columns among them, whose lines other tasks write.
TEST(Plan, NoTwoTasksWriteOneByte) {
  const Shape shape = {{"n", 16}, {"c", 128}, {"h", 4098}, {"w", 1}};
  const Layout src = resolve_layout("nhwc")->bind(shape, 1).value();
  const Layout dst = resolve_layout("nchw")->bind(shape, 1).value();
  const Plan plan = Plan::make(src, dst).value();
  ASSERT_GT(plan.tasks(), 1);
  const auto bytes = static_cast<std::size_t>(dst.size_bytes());
  const std::vector<std::byte> from(bytes, std::byte{1});
  std::vector<std::byte> to(bytes);
  std::vector<std::uint8_t> writers(bytes);
  for (std::int64_t task = 0; task < plan.tasks(); ++task) {
    std::ranges::fill(to, std::byte{0});
    plan.run_task(task, from.data(), to.data());
    for (std::size_t k = 0; k < bytes; ++k) {
      writers[k] =
          static_cast<std::uint8_t>(writers[k] + std::to_integer<int>(to[k]));
    }
  }
  EXPECT_EQ(std::ranges::count(writers, 1), std::ssize(writers));
}

TEST(Plan, CountsWhatItMoves) {
  const Layout src = layout_of("nchw", "2x17x5x4");
  const Layout dst = layout_of("nChw16c", "2x17x5x4");
  const Plan zeroes = *Plan::make(src, dst);
  EXPECT_EQ(zeroes.bytes_read(), 2 * 17 * 20 * 4);
  EXPECT_EQ(zeroes.bytes_written(), 2 * 32 * 20 * 4);
  EXPECT_EQ(Plan::make(src, dst, Fill::keep)->bytes_written(), 2 * 17 * 20 * 4);
}

// What follows the last copy of an inner term may be elements of an outer one.
TEST(Reorder, GapsEndWhereElementsBegin) {
  const Layout src = layout_of("a b c d", "a=2,b=2,c=2,d=2");
  const Layout dst = layout_of("a:30 c:7 b:4 d:2", "a=2,b=2,c=2,d=2");
  const Bytes bytes = random_bytes(src.size_bytes(), 3);
  Bytes expected(static_cast<std::size_t>(dst.size_bytes()));
  Bytes actual = random_bytes(dst.size_bytes(), 4);
  reorder_reference(src, dst, bytes.data(), expected.data());
  Plan::make(src, dst)->run(bytes.data(), actual.data());
  EXPECT_EQ(actual, expected);
}

// Holes that only the inverse tells are found one by one, by several tasks.
TEST(Reorder, HolesOfManyPlacesAreFoundByAllTasks) {
  const Layout src = layout_of("a", "a=200001", 1);
  const Layout dst = layout_of("a%2:3 a/2:2", "a=200001", 1);
  const Plan plan = *Plan::make(src, dst);
  EXPECT_GT(plan.tasks(), 3);
  const Bytes bytes = random_bytes(src.size_bytes(), 5);
  Bytes expected(static_cast<std::size_t>(dst.size_bytes()));
  Bytes actual = random_bytes(dst.size_bytes(), 6);
  reorder_reference(src, dst, bytes.data(), expected.data());
  plan.run(bytes.data(), actual.data());
  EXPECT_EQ(actual, expected);
}

// All moves together are the elements, in the narrower type where values change.
TEST(Plan, NestsTellTheirBytes) {
  const auto moved = [](const Plan& plan) {
    std::int64_t bytes = 0;
    for (const PlanNest& nest : plan.nests()) {
      if (!nest.fills) bytes += nest.bytes;
    }
    return bytes;
  };
  const PlanOptions values{
      .values = Values{*parse_element_type("f32"), *parse_element_type("f16")}};
  for (const char* from : {"nchw", "nhwc", "nChw8c"}) {
    for (const char* to : {"nchw", "nhwc", "nChw16c", "chwn"}) {
      const Layout src = layout_of(from, "2x17x13x11");
      const std::int64_t elements = 2 * 17 * 13 * 11;
      EXPECT_EQ(moved(*Plan::make(src, layout_of(to, "2x17x13x11"))),
                4 * elements)
          << from << to;
      EXPECT_EQ(moved(*Plan::make(src, layout_of(to, "2x17x13x11", 2), values)),
                2 * elements)
          << from << to;
    }
  }
}

// Runs that are converted are elements, not bytes, to who reads the plan.
TEST(Plan, TellsElementsOfConvertedRuns) {
  const Plan plan = *Plan::make(
      layout_of("nchw", "2x16x5x4"), layout_of("nchw", "2x16x5x4", 2),
      PlanOptions{.values = Values{*parse_element_type("f32"),
                                   *parse_element_type("f16")}});
  ASSERT_EQ(plan.nests().size(), 1U);
  const PlanNest nest = plan.nests()[0];
  EXPECT_EQ(nest.element_bytes, 2);  // the narrower ones
  EXPECT_EQ(nest.tile[1], (PlanLoop{640, 4, 2}));
  EXPECT_THAT(plan.to_string(), HasSubstr("f32 -> f16"));
}

TEST(Plan, IsAValue) {
  const Layout a = layout_of("nchw", "2x16x4x5");
  const Layout b = layout_of("nhwc", "2x16x4x5");
  EXPECT_EQ(*Plan::make(a, b), *Plan::make(a, b));
  EXPECT_FALSE(*Plan::make(a, b) == *Plan::make(b, a));
  EXPECT_THAT(Plan::make(a, b)->to_string(), HasSubstr("move from src 0"));
}

TEST(Plan, MergesToOneCopyWhenNothingMoves) {
  const Plan plan =
      *Plan::make(layout_of("nchw", "2x16x4x4"),
                  layout_of("n c/4 h:16 w:4 c%4:1", "n=2,c=16,h=4,w=4"));
  EXPECT_EQ(plan.nests().size(), 1U);
  const Plan copy =
      *Plan::make(layout_of("nchw", "2x16x4x4"), layout_of("nchw", "2x16x4x4"));
  ASSERT_EQ(copy.nests().size(), 1U);
  EXPECT_TRUE(copy.nests()[0].loops.empty());
  EXPECT_EQ(copy.nests()[0].tile[1].count, 2 * 16 * 4 * 4 * 4);
}

TEST(Plan, EmptyTensorsDoNothing) {
  const Plan plan =
      *Plan::make(layout_of("nchw", "2x0x4x4"), layout_of("nChw8c", "2x0x4x4"));
  EXPECT_EQ(plan.tasks(), 0);
  plan.run(nullptr, nullptr);
}

}  // namespace
}  // namespace stridewise
