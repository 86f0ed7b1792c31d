// The planner's passes, each alone.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>
#include <string_view>

#include "base/checked.hpp"
#include "reorder/planner/pieces.hpp"
#include "stridewise/catalogue.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using testing::in_range;

// Every (src, dst) that the pieces visit, with how often.
std::multiset<std::pair<std::int64_t, std::int64_t>> visited(
    const std::vector<Piece>& pieces) {
  std::multiset<std::pair<std::int64_t, std::int64_t>> places;
  for (const Piece& piece : pieces) {
    std::vector<std::pair<std::int64_t, std::int64_t>> some = {
        {piece.src_offset, piece.dst_offset}};
    for (const PlanLoop& loop : piece.loops) {
      std::vector<std::pair<std::int64_t, std::int64_t>> more;
      for (const auto& [src, dst] : some) {
        for (std::int64_t k = 0; k < loop.count; ++k) {
          more.emplace_back(src + k * loop.src_stride,
                            dst + k * loop.dst_stride);
        }
      }
      some = std::move(more);
    }
    places.insert(some.begin(), some.end());
  }
  return places;
}

std::int64_t place(const std::vector<DigitStep>& digits, std::int64_t x) {
  std::int64_t sum = 0;
  for (const DigitStep& d : digits) {
    std::int64_t v = floor_div(x + d.bias, d.div);
    if (d.mod != 0) v = floor_mod(v, d.mod);
    sum += v * d.stride;
  }
  return sum;
}

std::vector<DigitStep> blocks(std::int64_t size, std::int64_t bias = 0) {
  return {{bias, size, 0, 1000}, {bias, 1, size, 1}};
}

// Any digits of two dims, some of which follow each other as in one: each index lies
// where the layout says, by no more digits than it has.
RC_GTEST_PROP(DigitSteps, LieWhereTheLayoutSays, ()) {
  const Layout layout =
      testing::random_valid_layout({{"a", in_range(1, 99)}, {"b", 3}}, 2);
  const std::vector<DigitStep> steps = digit_steps(layout, 0, 2);
  RC_ASSERT(steps.size() <= layout.terms().size());
  const std::int64_t origin =
      layout.offset(std::array<std::int64_t, 2>{0, 0}) * 2;
  for (std::int64_t x = 0; x < layout.shape()[0].extent; ++x) {
    RC_ASSERT(place(steps, x) - place(steps, 0) ==
              layout.offset(std::array<std::int64_t, 2>{x, 0}) * 2 - origin);
  }
}

TEST(DigitSteps, ThatFollowEachOtherAreOne) {
  const auto steps_of = [](std::string_view text) {
    const Shape shape = {{"h", 3}, {"w", 7}};
    return digit_steps(resolve_layout(text)->bind(shape, 2).value(), 1, 2);
  };
  for (const char* const as_one :
       {"h w", "h w/4 w%4", "h w/4 w/2%2 w%2", "h w/12 w/4%3 w%4"}) {
    const std::vector<DigitStep> steps = steps_of(as_one);
    ASSERT_EQ(steps.size(), 1U) << as_one;
    EXPECT_EQ(steps[0].div, 1);
    EXPECT_EQ(steps[0].mod, 0);
    EXPECT_EQ(steps[0].stride, 2);
  }
  EXPECT_EQ(steps_of("w/4 h w%4").size(), 2U);
  EXPECT_EQ(steps_of("h w/4:9 w%4").size(), 2U);
  EXPECT_EQ(steps_of("h w%4 w/4").size(), 2U);
}

TEST(Refine, BlockAgainstNone) {
  const std::vector<DigitStep> plain = {{0, 1, 0, 1}};
  const auto whole = *refine(plain, blocks(16), 0, 48);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].loops, (std::vector<PlanLoop>{{3, 16, 1000}, {16, 1, 1}}));
  const auto tail = *refine(plain, blocks(16), 0, 35);
  ASSERT_EQ(tail.size(), 2U);
  EXPECT_EQ(tail[1], (Piece{32, 2000, {{3, 1, 1}}}));
}

TEST(Refine, BlocksThatDoNotDivideEachOtherRepeat) {
  const auto pieces = *refine(blocks(8), blocks(12), 0, 24 * 1000000);
  EXPECT_EQ(pieces.size(), 4U);
  for (const Piece& piece : pieces) EXPECT_EQ(piece.loops[0].count, 1000000);
}

TEST(Refine, AStartShiftsTheCuts) {
  const auto pieces = *refine(blocks(16), blocks(64, 2), 0, 1 << 20);
  EXPECT_LE(pieces.size(), 8U);
}

TEST(Refine, IncommensurableBlocksAreRefusedNotTried) {
  const auto pieces =
      refine(blocks(1000003), blocks(1000033), 0, std::int64_t{1} << 50);
  ASSERT_FALSE(pieces);
  EXPECT_EQ(pieces.error().code, ErrorCode::unsupported);
}

std::vector<DigitStep> random_steps() {
  std::vector<DigitStep> steps;
  for (std::int64_t k = in_range(1, 3); k > 0; --k) {
    steps.push_back({in_range(0, 2) == 0 ? in_range(0, 20) : 0, in_range(1, 12),
                     in_range(0, 1) == 0 ? 0 : in_range(1, 9),
                     in_range(0, 1000)});
  }
  return steps;
}

RC_GTEST_PROP(Refine, VisitsEachIndexOnce, ()) {
  const auto src = random_steps();
  const auto dst = random_steps();
  const std::int64_t begin = in_range(-20, 0);
  const std::int64_t end = in_range(1, 300);
  const auto pieces = refine(src, dst, begin, end);
  RC_ASSERT(pieces.has_value());
  std::multiset<std::pair<std::int64_t, std::int64_t>> wanted;
  for (std::int64_t x = begin; x < end; ++x) {
    wanted.emplace(place(src, x), place(dst, x));
  }
  RC_ASSERT(visited(*pieces) == wanted);
}

RC_GTEST_PROP(Normalise, VisitsTheSamePlaces, ()) {
  Piece piece;
  for (std::int64_t k = in_range(0, 4); k > 0; --k) {
    piece.loops.push_back({in_range(1, 4), in_range(0, 40), in_range(0, 40)});
  }
  Piece normal = piece;
  normal.loops = normalise(piece.loops);
  RC_ASSERT(visited({normal}) == visited({piece}));
}

TEST(Normalise, MergesWhatContinues) {
  EXPECT_EQ(normalise({{4, 20, 20}, {5, 4, 4}, {1, 7, 9}, {3, 80, 80}}),
            (std::vector<PlanLoop>{{60, 4, 4}}));
  EXPECT_EQ(normalise({{5, 4, 12}, {3, 20, 4}}),
            (std::vector<PlanLoop>{{5, 4, 12}, {3, 20, 4}}));
}

// Padding after elements of which no two are neighbours on any side, and after three
// blocks of four channels that make one of 12 and a fourth of zeros.
TEST(Fuse, ZerosAfterElementsAndAfterRowsOfRuns) {
  std::vector<Piece> fills = {{0, 2, {{100, 0, 32}, {15, 0, 2}}}};
  std::vector<Piece> moves = {{0, 0, {{100, 34, 32}}}};
  fuse_padding(moves, fills, 2, 64);
  EXPECT_TRUE(fills.empty());
  EXPECT_EQ(moves[0].zeros, 15);

  fills = {{0, 24, {{169, 0, 32}, {4, 0, 2}}}};
  moves = {{0, 0, {{169, 8, 32}, {3, 1352, 8}, {4, 2, 2}}}};
  const std::vector<Piece> before = moves;
  fuse_padding(moves, fills, 2, 64);
  EXPECT_TRUE(fills.empty());
  EXPECT_EQ(moves[0].zeros, 4);
  EXPECT_TRUE(moves[0].zeros_after_rows);
  // Zeros that are no whole blocks stay alone.
  fills = {{0, 24, {{169, 0, 32}, {3, 0, 2}}}};
  moves = before;
  fuse_padding(moves, fills, 2, 64);
  EXPECT_EQ(moves, before);
  EXPECT_EQ(fills.size(), 1U);
}

TEST(Padding, ADigitWithoutModLeavesNothingForOthers) {
  // Values 5..9 of a%10 do not occur, and are no values of the digit a either:
  // that is no box of consecutive indices, so there are no rectangles.
  const Layout layout = *Layout::bind(*parse_expression("a%10/5:11 b a"),
                                      {{"a", 5}, {"b", 1}}, 2);
  EXPECT_FALSE(places_without_element(layout)->has_value());
}

RC_GTEST_PROP(Padding, IsExactlyWhatHoldsNoElement, ()) {
  const Shape shape = testing::random_shape();
  const std::int64_t width = testing::random_element_bytes();
  const Layout layout = testing::random_valid_layout(shape, width);
  RC_LOG() << print(layout.expression()) << " of " << print(shape);
  const auto holes = places_without_element(layout);
  RC_ASSERT(holes.has_value());
  RC_PRE(holes->has_value());
  std::multiset<std::int64_t> found;
  for (const auto& [src, dst] : visited(**holes)) found.insert(dst);
  std::multiset<std::int64_t> wanted;
  std::vector<std::int64_t> index(shape.size());
  for (std::int64_t p = 0; p < layout.places(); ++p) {
    if (layout.element_at(p, index) != Place::element) wanted.insert(p * width);
  }
  RC_ASSERT(found == wanted);
}

}  // namespace
}  // namespace stridewise
