// The planner's passes, each alone.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"
#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/problem.hpp"
#include "reorder/planner/schedule.hpp"
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

// The bytes that a nest moves.
std::map<std::int64_t, std::int64_t> moved(const Lowered& lowered) {
  const PlanNest& nest = lowered.nest;
  Piece piece{nest.src_offset, nest.dst_offset, nest.loops};
  const auto add = [&](const std::vector<PlanLoop>& many, const PlanLoop& one) {
    if (many.empty()) piece.loops.push_back(one);
    piece.loops.insert(piece.loops.end(), many.begin(), many.end());
  };
  add(nest.rows, nest.tile[0]);
  add(nest.columns, nest.tile[1]);
  piece.loops.push_back({nest.element_bytes, 1, 1});
  const auto pairs = visited({piece});
  return {pairs.begin(), pairs.end()};
}

// Loops that are dense in src, and in dst in another order.
Piece random_permutation(std::int64_t element_bytes) {
  std::vector<PlanLoop> loops(static_cast<std::size_t>(in_range(2, 5)));
  std::int64_t stride = element_bytes;
  for (PlanLoop& loop : loops) {
    loop = {in_range(2, 9), stride, 0};
    stride *= loop.count;
  }
  stride = element_bytes;
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), 0);
  while (!order.empty()) {
    const auto k = in_range(0, std::ssize(order) - 1);
    PlanLoop& loop = loops[order[static_cast<std::size_t>(k)]];
    loop.dst_stride = stride;
    stride *= loop.count;
    order.erase(order.begin() + k);
  }
  return {0, 0, normalise(std::move(loops))};
}

RC_GTEST_PROP(Lower, MovesTheSameHoweverFar, ()) {
  const std::int64_t width = std::int64_t{1} << in_range(0, 3);
  const Piece piece = random_permutation(width);
  const auto near = moved(lower_move(piece, width, Reach::near));
  RC_ASSERT(moved(lower_move(piece, width, Reach::caches)) == near);
  RC_ASSERT(moved(lower_move(piece, width, Reach::streams)) == near);
  RC_ASSERT(moved(lower_move(piece, width, Reach::memory)) == near);
}

// 10 images, nhwc to chwn: of four pixels each, columns are five lines.
TEST(Lower, ColumnsThatStreamEndWithLines) {
  const Piece piece{0, 0, {{128, 8, 62720}, {784, 1024, 80}, {10, 802816, 8}}};
  const PlanNest nest = lower_move(piece, 8, Reach::streams).nest;
  EXPECT_EQ(nest.rows, (std::vector<PlanLoop>{{4, 1024, 80}, {10, 802816, 8}}));
  EXPECT_EQ(nest.loops, (std::vector<PlanLoop>{{196, 4096, 320}}));
  EXPECT_EQ(nest.tile[1], (PlanLoop{128, 8, 62720}));
  // The caches put lines together.
  EXPECT_TRUE(lower_move(piece, 8, Reach::caches).nest.rows.empty());
  // Not where src would be read by less than a lane each time.
  const Piece short_rows{0, 0, {{5, 1, 2000}, {25, 5, 80}, {80, 125, 1}}};
  EXPECT_TRUE(lower_move(short_rows, 1, Reach::streams).nest.rows.empty());
}

// Bytes io to 4i16o4i: a tile is a line of dst and of four rows a fourth of theirs.
TEST(Lower, SomeLinesOfDstBeforeSrcGoesOn) {
  const auto loops_of = [](std::int64_t pitch, std::int64_t apart,
                           Reach reach) {
    const Piece piece{
        0, 0, {{8, 16, apart}, {16, 4 * pitch, 64}, {16, 1, 4}, {4, pitch, 1}}};
    return lower_move(piece, 1, reach).nest.loops;
  };
  const PlanLoop along_src{8, 16, 4352};
  const std::vector<PlanLoop> by_src{{16, 512, 64}, along_src};
  EXPECT_EQ(loops_of(128, 4352, Reach::caches), by_src);
  EXPECT_EQ(loops_of(128, 4352, Reach::streams), by_src);
  EXPECT_EQ(loops_of(128, 4352, Reach::memory),
            (std::vector<PlanLoop>{{4, 2048, 256}, along_src, {4, 512, 64}}));
  // Lines that crowd.
  EXPECT_EQ(
      loops_of(128, 4096, Reach::streams),
      (std::vector<PlanLoop>{{4, 2048, 256}, {8, 16, 4096}, {4, 512, 64}}));
  // 16 rows a page apart share a set.
  EXPECT_EQ(loops_of(4096, 4352, Reach::memory),
            (std::vector<PlanLoop>{{16, 16384, 64}, along_src}));
}

// bf16 io to 8i16o2i reads half lines.
TEST(Lower, HalfLinesOfSrcGoOnFirst) {
  const Piece piece{
      0, 0, {{8, 32, 4096}, {8, 512, 64}, {16, 2, 4}, {2, 256, 2}}};
  EXPECT_EQ(lower_move(piece, 2, Reach::memory).nest.loops,
            (std::vector<PlanLoop>{{8, 512, 64}, {8, 32, 4096}}));
}

// 10 images, chwn to nhwc: columns of all pixels would be too long a table, of those of
// an image alone each line of src would be read for every pixel in it.
TEST(Lower, ColumnsGoOnByPartsOfLongLoops) {
  const Piece piece{
      0, 0, {{10, 4, 19267584}, {50176, 40, 384}, {96, 2007040, 4}}};
  const PlanNest nest = lower_move(piece, 4, Reach::memory).nest;
  EXPECT_EQ(nest.columns,
            (std::vector<PlanLoop>{
                {2, 3920, 37632}, {98, 40, 384}, {10, 4, 19267584}}));
  EXPECT_EQ(nest.loops, (std::vector<PlanLoop>{{256, 7840, 75264}}));
  // Of 8 channels dst gets less than lines.
  const Piece short_rows{
      0, 0, {{10, 4, 1605632}, {50176, 40, 32}, {8, 2007040, 4}}};
  EXPECT_TRUE(lower_move(short_rows, 4, Reach::memory).nest.columns.empty());
}

// bf16 weights of blocks 16x16, 3x3, to oihw: nine rows and a part of a lane are few, so
// that they and not the 16 columns go on by the channels.
TEST(Lower, RowsOfALaneAndAPartGoOn) {
  const Piece piece{
      0, 0, {{7, 4608, 288}, {16, 2, 2016}, {16, 32, 18}, {9, 512, 2}}};
  const PlanNest nest = lower_move(piece, 2, Reach::near).nest;
  EXPECT_EQ(nest.rows, (std::vector<PlanLoop>{{16, 32, 18}, {9, 512, 2}}));
  EXPECT_TRUE(nest.columns.empty());
}

// Padding after elements of which no two are neighbours on any side, and after three
// blocks of four channels that make one of 12 and a fourth of zeros.
TEST(Fuse, ZerosAfterElementsAndAfterRowsOfRuns) {
  std::vector<Piece> fills = {{0, 2, {{100, 0, 32}, {15, 0, 2}}}};
  std::vector<Piece> moves = {{0, 0, {{100, 34, 32}}}};
  fuse_padding(moves, fills, 2, 64);
  EXPECT_TRUE(fills.empty());
  EXPECT_EQ(moves[0].zeros, 15);
  const PlanNest elements = lower_move(moves[0], 2, Reach::near).nest;
  EXPECT_EQ(elements.tile[1], (PlanLoop{2, 1, 1}));
  EXPECT_EQ(elements.zeros, 30);

  fills = {{0, 24, {{169, 0, 32}, {4, 0, 2}}}};
  moves = {{0, 0, {{169, 8, 32}, {3, 1352, 8}, {4, 2, 2}}}};
  const std::vector<Piece> before = moves;
  fuse_padding(moves, fills, 2, 64);
  EXPECT_TRUE(fills.empty());
  EXPECT_EQ(moves[0].zeros, 4);
  const PlanNest blocks = lower_move(moves[0], 2, Reach::near).nest;
  EXPECT_EQ(blocks.element_bytes, 8);
  EXPECT_EQ(blocks.tile[0], (PlanLoop{3, 1352, 8}));
  EXPECT_EQ(blocks.zeros, 1);
  // Zeros that are no whole blocks stay alone.
  fills = {{0, 24, {{169, 0, 32}, {3, 0, 2}}}};
  moves = before;
  fuse_padding(moves, fills, 2, 64);
  EXPECT_EQ(moves, before);
  EXPECT_EQ(fills.size(), 1U);
}

TEST(PaddedRows, TakeZerosBetweenRowsAndAfterThem) {
  // s8 oihw to OIhw4i16o4i, 32x3x7x7: rows of three channels and one of zeros, of 16
  // filters; the zeros of nine more channels stay a fill.
  const Piece move{
      0, 0, {{2, 2352, 12544}, {49, 1, 256}, {16, 147, 4}, {3, 49, 1}}};
  const Piece between{0, 3, {{1568, 0, 4}}};
  const Piece of_each{0, 3, {{98, 0, 256}, {16, 0, 4}}};
  const Piece after{0, 64, {{98, 0, 256}, {192, 0, 1}}};
  std::vector<Piece> moves = {move};
  std::vector<Piece> fills = {of_each, after};
  const std::vector<Lowered> taken = take_padded_rows(moves, fills, 1);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(moves.empty());
  EXPECT_EQ(fills, std::vector{after});
  const PlanNest& nest = taken[0].nest;
  EXPECT_EQ(nest.rows, (std::vector<PlanLoop>{{16, 147, 4}, {3, 49, 1, 1}}));
  EXPECT_EQ(nest.tile[0].count, 64);
  EXPECT_EQ(nest.tile[1], (PlanLoop{49, 1, 256}));
  EXPECT_EQ(nest.loops, (std::vector<PlanLoop>{{2, 2352, 12544}}));
  const auto offsets = detail::offsets_of(nest.rows, &PlanLoop::src_stride);
  ASSERT_EQ(offsets.size(), 64U);
  EXPECT_EQ(offsets[2], 98);
  EXPECT_EQ(offsets[3], no_row);
  EXPECT_EQ(offsets[4], 147);
  // Zeros elsewhere, and of more rows than there are others, stay.
  moves = {move};
  fills = {between};
  EXPECT_TRUE(take_padded_rows(moves, fills, 1).empty());
  EXPECT_EQ(fills, std::vector{between});
  moves = {{0, 0, {{49, 1, 256}, {16, 147, 16}, {3, 49, 1}}}};
  fills = {{0, 3, {{784, 0, 16}, {13, 0, 1}}}};
  EXPECT_TRUE(take_padded_rows(moves, fills, 1).empty());
  EXPECT_EQ(moves.size(), 1U);
  EXPECT_EQ(fills.size(), 1U);
}

// Kernels that are made for many rows or columns take longer for a few of both.
TEST(Lower, TakesSmallPlanesBySquares) {
  const auto kind = [](const Piece& piece, std::int64_t width, Reach reach) {
    return lower_move(piece, width, reach).kernel->kind;
  };
  const Piece plane{
      0, 0, {{9, 256, 256}, {8, 2304, 32}, {8, 4, 2304}, {8, 32, 4}}};
  const Piece row{0, 0, {{1024, 2, 32}, {16, 2048, 2}}};
  for (const Reach reach : {Reach::near, Reach::caches, Reach::streams}) {
    EXPECT_EQ(kind(plane, 4, reach), KernelKind::transpose);
  }
  // Sixteen rows of halves: where all is near, and where columns stream.
  EXPECT_EQ(kind(row, 2, Reach::near), KernelKind::transpose);
  EXPECT_EQ(kind(row, 2, Reach::streams), KernelKind::transpose);
}

// A store across the end of a page costs as much as a block.
TEST(Combine, BlocksFitAPageWhereverTheyBegin) {
  const Kernel& kernel = *find_kernel(KernelKind::transpose, 4);
  for (const std::int64_t rows : {17, 49, 50, 61}) {
    const std::int64_t column = 4 * rows;
    PlanNest nest;
    nest.tile = {{rows, 4000, 4}, {1000, 4, column}};
    const detail::Combine combine = detail::combine_of(nest, kernel, {}, false);
    EXPECT_GT(combine.columns, 0) << rows;
    EXPECT_LE(63 + combine.columns * column, 4096) << rows;
  }
}

// Rows that are packed go by four lines of each, or by one where those do not fit.
TEST(Combine, TakesOneLineOfManyRows) {
  const Kernel& kernel = *find_kernel(KernelKind::transpose, 1);
  const auto columns = [&](std::int64_t rows) {
    PlanNest nest;
    nest.tile = {{rows, 4000, 1}, {1000, 1, rows}};
    nest.rows = {{rows, 4000, 1}};
    return detail::combine_of(nest, kernel, {}, false).columns;
  };
  EXPECT_EQ(columns(100), 256);
  EXPECT_EQ(columns(200), 64);
  EXPECT_EQ(columns(600), 0);
}

// The bytes that two steps move.
std::map<std::int64_t, std::int64_t> moved(const Steps& steps) {
  const auto first = moved(steps.first);
  const auto second = moved(steps.second);
  std::map<std::int64_t, std::int64_t> together;
  for (const auto& [src, dst] : visited({{0, 0, steps.around}})) {
    for (const auto& [from, stage] : first) {
      together.emplace(src + from, dst + second.at(stage));
    }
  }
  return together;
}

RC_GTEST_PROP(Steps, AreTogetherWhatOneWouldBe, ()) {
  const std::int64_t width = std::int64_t{1} << in_range(0, 3);
  const Piece piece = random_permutation(width);
  const Lowered direct = lower_move(piece, width, Reach::caches);
  const auto steps = in_two_steps(piece, direct, width, Reach::caches);
  if (!steps) return;
  RC_ASSERT(std::ssize(moved(steps->first)) == steps->bytes);
  RC_ASSERT(moved(*steps) == moved(direct));
}

// Where two vectors make a line: rows of which 8 of 64 share a set, and columns of dst half
// a page apart; rows of less than 256 bytes for the columns' sake alone.
TEST(Crowded, WhatStreamsByTwoVectorsALine) {
  const Kernel* const kernel = find_kernel(KernelKind::transpose, 4, Isa::avx2);
  if (kernel->isa != Isa::avx2) GTEST_SKIP();
  detail::PlanData data{};
  const auto crowded = [&](const PlanLoop& row, const PlanLoop& column) {
    PlanNest nest{};
    nest.tile = {row, column};
    detail::ScheduledNest scheduled{};
    scheduled.kernel = kernel;
    detail::mark_crowded_stream(scheduled, nest, data);
    return scheduled.reads_crowded && scheduled.crowded_src > 0;
  };
  data.src_bytes = data.dst_bytes = 128 << 20;
  EXPECT_TRUE(crowded({256, 512, 4}, {128, 4, 1024}));
  EXPECT_FALSE(crowded({256, 12544, 4}, {128, 4, 1024}));
  EXPECT_TRUE(crowded({512, 12544, 4}, {128, 4, 2048}));
  EXPECT_FALSE(crowded({512, 12544, 4}, {62, 4, 2048 + 64}));
  // In the caches, only where columns share sets, too.
  data.src_bytes = data.dst_bytes = 8 << 20;
  EXPECT_FALSE(crowded({256, 512, 4}, {128, 4, 1024}));
  EXPECT_TRUE(crowded({512, 12544, 4}, {128, 4, 2048}));
}

// Columns of dst 16 of which share a set; of 4 bytes and more what comes from far, of
// rows 8 to 16 of which share one.
TEST(Crowded, StreamsByColumns) {
  detail::PlanData data{};
  data.src_bytes = data.dst_bytes = 128 << 20;
  const auto by_columns = [&](const PlanLoop& row, const PlanLoop& column) {
    const Kernel* const kernel =
        find_kernel(KernelKind::transpose, row.dst_stride, Isa::avx2);
    PlanNest nest{};
    nest.tile = {row, column};
    detail::ScheduledNest scheduled{};
    scheduled.kernel = kernel;
    detail::mark_crowded_stream(scheduled, nest, data);
    return scheduled.stream_columns;
  };
  if (find_kernel(KernelKind::transpose, 1, Isa::avx2)->isa != Isa::avx2) {
    GTEST_SKIP();
  }
  EXPECT_TRUE(by_columns({1024, 256, 1}, {256, 1, 1024}));
  EXPECT_FALSE(by_columns({12544, 256, 1}, {256, 1, 12544}));
  EXPECT_TRUE(by_columns({512, 12544, 2}, {6272, 2, 1024}));
  EXPECT_TRUE(by_columns({512, 12544, 4}, {3136, 4, 2048}));
  EXPECT_TRUE(by_columns({3136, 512, 4}, {128, 4, 12544}));
  EXPECT_FALSE(by_columns({3136, 508, 4}, {127, 4, 12544}));
  EXPECT_FALSE(by_columns({8192, 32768, 4}, {8192, 4, 32768}));
  EXPECT_TRUE(by_columns({1024, 1024, 8}, {128, 8, 8192}));
  EXPECT_FALSE(by_columns({4096, 32768, 8}, {4096, 8, 32768}));
  data.src_bytes = data.dst_bytes = 8 << 20;
  EXPECT_FALSE(by_columns({3136, 512, 4}, {128, 4, 12544}));
  // Short rows, wherever half of the columns share a set.
  for (const std::int64_t channels : {4, 6, 12, 16, 24, 32, 48}) {
    EXPECT_TRUE(by_columns({65536, 4 * channels, 4}, {channels, 4, 4 * 65536}));
    EXPECT_TRUE(by_columns({25600, 4 * channels, 4}, {channels, 4, 4 * 25600}));
    EXPECT_FALSE(
        by_columns({65792, 4 * channels, 4}, {channels, 4, 4 * 65792}));
    EXPECT_TRUE(by_columns({65536, channels, 1}, {channels, 1, 65536}));
  }
}

// Up to 511 rows whose columns follow each other, but crowded ones in memory: up to 128.
TEST(Crowded, StreamsByBlocks) {
  struct Case {
    std::int64_t rows, crowded, mebibytes, gap, zeros = 0, unit = 1;
  };
  const auto by_blocks = [](const Case& of) {
    detail::PlanData data{};
    data.src_bytes = data.dst_bytes = of.mebibytes << 20;
    PlanNest nest{};
    nest.tile = {{of.rows, 4096, of.unit},
                 {4096, of.unit, of.rows * of.unit + of.gap}};
    nest.zeros = of.zeros;
    detail::ScheduledNest scheduled{};
    scheduled.kernel = find_kernel(KernelKind::transpose, of.unit);
    scheduled.crowded_src = of.crowded;
    return detail::streams_by_blocks(scheduled, nest, data);
  };
  EXPECT_TRUE(by_blocks({511, 0, 128, 0}));
  EXPECT_TRUE(by_blocks({511, 0, 128, 0, 0, 8}));
  EXPECT_FALSE(by_blocks({513, 0, 128, 0}));
  EXPECT_FALSE(by_blocks({511, 0, 128, 1}));
  EXPECT_FALSE(by_blocks({511, 0, 128, 0, 1}));
  EXPECT_TRUE(by_blocks({511, 16, 8, 0}));
  EXPECT_TRUE(by_blocks({127, 16, 128, 0}));
  EXPECT_FALSE(by_blocks({129, 16, 128, 0}));
}

// All rows, and columns of a page of src or of what makes a task.
TEST(Parts, OfBlocksHaveAllRows) {
  const auto part_of = [](std::int64_t rows, std::int64_t unit) {
    PlanNest nest{};
    nest.tile = {{rows, 1 << 20, unit}, {1 << 18, unit, rows * unit}};
    return detail::part_by_blocks(*find_kernel(KernelKind::transpose, unit),
                                  nest);
  };
  using Part = std::array<std::int64_t, 2>;
  EXPECT_EQ(part_of(67, 4), (Part{67, 1024}));
  EXPECT_EQ(part_of(131, 4), (Part{131, 960}));
  EXPECT_EQ(part_of(511, 1), (Part{511, 1024}));
  EXPECT_EQ(part_of(511, 8), (Part{511, 128}));
  // Short columns, as many as make up for what a call takes.
  EXPECT_EQ(part_of(13, 4), (Part{13, 1216}));
}

// Columns of a page each: whole pages, but of little less of them.
TEST(Parts, OfColumnsInPagesOfTheirOwn) {
  const auto part_of = [](std::int64_t unit, const PlanLoop& column,
                          std::int64_t bytes,
                          std::vector<PlanLoop> columns = {}) {
    PlanNest nest{};
    nest.tile = {{1 << 14, 1 << 20, unit}, column};
    nest.columns = std::move(columns);
    return detail::part_by_pages(*find_kernel(KernelKind::transpose, unit),
                                 nest, bytes);
  };
  using Part = std::array<std::int64_t, 2>;
  constexpr std::int64_t much = 256 << 20, little = 16 << 20;
  // Of 8192 columns six parts of lines, of few more than 1536 two.
  EXPECT_EQ(part_of(1, {8192, 1, 16384}, much << 1), (Part{4096, 1408}));
  EXPECT_EQ(part_of(1, {8192, 1, 16384}, much), (Part{3008, 1408}));
  EXPECT_EQ(part_of(8, {8192, 8, 4096}, much << 1), (Part{512, 1408}));
  EXPECT_EQ(part_of(4, {1537, 4, 16384}, much << 1), (Part{1024, 832}));
  EXPECT_EQ(part_of(4, {8192, 4, 16384}, little), (Part{128, 1408}));
  EXPECT_EQ(part_of(4, {8192, 4, 4032}, much), std::nullopt);
  EXPECT_EQ(part_of(4, {1535, 4, 16384}, much), std::nullopt);
  EXPECT_EQ(part_of(16, {8192, 16, 16384}, much), std::nullopt);
  EXPECT_EQ(
      part_of(4, {4096, 4, 0}, much << 1, {{1024, 16, 4096}, {4, 4, 1 << 22}}),
      (Part{1024, 1408}));
  EXPECT_EQ(part_of(4, {4096, 4, 0}, much, {{1024, 16, 4096}, {4, 4, 1024}}),
            std::nullopt);
}

// Where sets of the L1 cache hold eight lines, as measured on Zen 4.
TEST(Squares, OfFewWays) {
  if (detail::sets_have_many_ways()) GTEST_SKIP();
  const auto chosen = [](const PlanLoop& row, const PlanLoop& column,
                         std::int64_t of_columns) {
    detail::PlanData data{};
    data.src_bytes = data.dst_bytes = 256 << 10;
    PlanNest nest{};
    nest.tile = {row, column};
    detail::ScheduledNest scheduled{};
    scheduled.kernel = find_kernel(KernelKind::transpose, row.dst_stride);
    detail::choose_squares(scheduled, nest, data, of_columns);
    return scheduled;
  };
  // f32 rows of whole lines, that crowd or not; planes of two lines have few.
  EXPECT_EQ(chosen({64, 4096, 4}, {1024, 4, 256}, 4).square_order,
            SquareOrder::strips);
  EXPECT_EQ(chosen({80, 3264, 4}, {816, 4, 320}, 1).square_order,
            SquareOrder::strips);
  EXPECT_EQ(chosen({64, 128, 4}, {32, 4, 256}, 4).square_order,
            SquareOrder::blocks);
  EXPECT_NE(chosen({256, 1024, 4}, {256, 4, 1024}, 16).square_order,
            SquareOrder::strips);
  // Rows that are no lines, by the longest vectors.
  const detail::ScheduledNest odd = chosen({67, 3844, 4}, {961, 4, 268}, 2);
  EXPECT_EQ(odd.square_order, SquareOrder::blocks);
  EXPECT_EQ(odd.square_bytes, 0);
  EXPECT_EQ(odd.kernel, find_kernel(KernelKind::transpose, 4));
  // f64 rows of whole lines beside columns that are none.
  EXPECT_EQ(chosen({33, 7936, 8}, {992, 8, 264}, 2).square_order,
            SquareOrder::down_columns);
  EXPECT_EQ(chosen({32, 8192, 8}, {1024, 8, 256}, 4).square_order,
            SquareOrder::strips);
}

TEST(Steps, OfWeightsAreWholeRunsOfSrc) {
  // s8 oihw to OIhw4i16o4i, 384x80x3x3: the stage holds four channels of each place
  // side by side.
  const Piece piece{0, 0,
                    normalise({{24, 11520, 11520},
                               {16, 720, 4},
                               {5, 144, 2304},
                               {4, 36, 64},
                               {4, 9, 1},
                               {9, 1, 256}})};
  const Lowered direct = lower_move(piece, 1, Reach::caches);
  const auto steps = in_two_steps(piece, direct, 1, Reach::caches);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(steps->around, (std::vector<PlanLoop>{{12, 23040, 23040}}));
  EXPECT_EQ(steps->bytes, 23040);
  EXPECT_EQ(steps->first.kernel->kind, KernelKind::permuted);
  EXPECT_EQ(steps->second.nest.element_bytes, 4);
  // Nothing near is shared by sides of whole lines.
  const Piece plane{0, 0, {{256, 4, 256}, {64, 1024, 4}}};
  const Lowered whole = lower_move(plane, 4, Reach::caches);
  EXPECT_FALSE(in_two_steps(plane, whole, 4, Reach::caches).has_value());
}

// Two images of three channels, s8: blocks of 4 channels to chwn, and back to those, of
// which the fourth is zeros. Pixels are nearest on neither side.
TEST(Steps, GoOnByALoopThatIsNearestOnNeitherSide) {
  const Piece there{0, 0, {{3, 1, 100352}, {50176, 4, 2}, {2, 200704, 1}}};
  const Piece back{0, 0, {{2, 1, 200704}, {50176, 2, 4}, {3, 100352, 1}}, 1};
  for (const Piece& piece : {there, back}) {
    const Lowered direct = lower_move(piece, 1, Reach::near);
    const auto steps = in_two_steps(piece, direct, 1, Reach::near);
    ASSERT_TRUE(steps.has_value());
    EXPECT_EQ(steps->second.nest.zeros, piece.zeros);
    // Both steps have rows of many pixels.
    for (const Lowered& step : {steps->first, steps->second}) {
      EXPECT_GE(std::max(step.nest.tile[0].count, step.nest.tile[1].count), 64);
    }
    EXPECT_EQ(moved(*steps), moved(direct));
  }
}

RC_GTEST_PROP(Gather, MovesWhatTheKernelWould, ()) {
  const std::int64_t width = std::int64_t{1} << in_range(0, 3);
  const Piece piece = random_permutation(width);
  const Lowered direct = lower_move(piece, width, Reach::caches);
  const auto runs = gathered(piece, direct, std::nullopt, width);
  RC_CLASSIFY(runs.has_value());
  if (runs) RC_ASSERT(moved(*runs) == moved(direct));
}

RC_GTEST_PROP(Group, MovesWhatTheKernelWould, ()) {
  const std::int64_t width = std::int64_t{1} << in_range(0, 1);
  const std::int64_t members = 4 / width;
  // Some images of filters, of which 16 or a multiple lie side by side in dst, by groups
  // of channels.
  const std::int64_t plane = in_range(1, 16), blocks = in_range(1, 40);
  const std::int64_t channels = blocks * members;
  const std::int64_t row = channels * plane * width;
  const std::int64_t rows = 16 * in_range(1, 5), images = in_range(1, 2);
  const std::int64_t column = 4 * rows;
  std::vector<PlanLoop> loops = {{images, rows * row, rows * row},
                                 {rows, row, 4},
                                 {blocks, members * plane * width, column},
                                 {members, plane * width, width},
                                 {plane, width, blocks * column}};
  const Piece piece{0, 0, normalise(loops)};
  const auto groups = grouped(piece, width, largest);
  for (PlanLoop& loop : loops) std::swap(loop.src_stride, loop.dst_stride);
  const Piece back{0, 0, normalise(std::move(loops))};
  const auto parts = ungrouped(back, width);
  RC_CLASSIFY(groups.has_value());
  RC_CLASSIFY(parts.has_value());
  if (groups) {
    RC_ASSERT(moved(*groups) == moved(lower_move(piece, width, Reach::caches)));
    // What is permuted to a block lies in a line of each group, or in two lanes.
    const auto columns =
        detail::offsets_of(groups->nest.columns, &PlanLoop::src_stride);
    const bool lines = groups->kernel->block_columns == 8;
    for (std::size_t k = 0; lines && k + 8 <= columns.size(); k += 8) {
      const auto [least, most] =
          std::ranges::minmax(std::span(columns).subspan(k, 8));
      RC_ASSERT(most + (members - 1) * plane * width + width - least <= 64);
    }
    const auto run = static_cast<std::size_t>(plane);
    for (std::size_t k = 0; !lines && run >= 4 && k < columns.size();
         k += run) {
      std::set<std::int64_t> bytes;
      for (std::size_t at = k; at < k + 4; ++at) {
        for (std::int64_t m = 0; m < members * width; ++m) {
          bytes.insert(columns[at] + m / width * plane * width + m % width);
        }
      }
      const auto second = bytes.lower_bound(*bytes.begin() + 16);
      RC_ASSERT(second == bytes.end() || *bytes.rbegin() - *second < 16);
    }
  }
  if (parts) {
    RC_ASSERT(moved(*parts) == moved(lower_move(back, width, Reach::caches)));
  }
}

// s8 oihw to OIhw4i16o4i, 384x80x3x3: groups of four channels, and columns of all of a
// filter; of 5x5, no line holds eight columns of such a group.
TEST(Group, TakesAllColumnsThatFollowEachOther) {
  if (find_kernel(KernelKind::grouped, 1) == nullptr) GTEST_SKIP();
  const auto weights = [](std::int64_t plane) {
    return Piece{0, 0,
                 normalise({{24, 1280 * plane, 1280 * plane},
                            {16, 80 * plane, 4},
                            {5, 16 * plane, 256 * plane},
                            {4, 4 * plane, 64},
                            {4, plane, 1},
                            {plane, 1, 256}})};
  };
  const auto groups = grouped(weights(9), 1, largest);
  ASSERT_TRUE(groups.has_value());
  EXPECT_EQ(groups->nest.rows,
            (std::vector<PlanLoop>{{16, 720, 4}, {4, 9, 1}}));
  EXPECT_EQ(groups->nest.columns,
            (std::vector<PlanLoop>{{5, 144, 2304}, {4, 36, 64}, {9, 1, 256}}));
  EXPECT_EQ(groups->nest.tile[1].count, 180);
  EXPECT_LT(cost_of(*groups), cost_of(lower_move(weights(9), 1, Reach::near)));
  EXPECT_FALSE(grouped(weights(25), 1, largest).has_value());
}

// Of many filters side by side, a call has some lines.
TEST(Group, TakesSomeLinesOfRows) {
  if (find_kernel(KernelKind::grouped, 1) == nullptr) GTEST_SKIP();
  const Piece piece{
      0, 0,
      normalise({{4096, 144, 4}, {4, 36, 147456}, {4, 9, 1}, {9, 1, 16384}})};
  const auto groups = grouped(piece, 1, largest);
  ASSERT_TRUE(groups.has_value());
  EXPECT_EQ(groups->nest.loops, (std::vector<PlanLoop>{{64, 9216, 256}}));
  EXPECT_EQ(groups->nest.rows,
            (std::vector<PlanLoop>{{64, 144, 4}, {4, 9, 1}}));
}

// s8 weights of blocks 8x8 to such of 8x16x2: a block of dst has two of src, of which
// every two rows are zipped.
TEST(Gather, TakesWholeBlocks) {
  if (find_kernel(KernelKind::gathered, 1) == nullptr) GTEST_SKIP();
  const Piece piece{0,
                    0,
                    {{2, 147456, 147456},
                     {3, 1152, 2304},
                     {9, 64, 256},
                     {2, 576, 128},
                     {4, 16, 32},
                     {2, 73728, 16},
                     {8, 1, 2},
                     {2, 8, 1}}};
  const Lowered direct = lower_move(piece, 1, Reach::caches);
  const auto runs = gathered(piece, direct, std::nullopt, 1);
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->kernel->kind, KernelKind::gathered);
  EXPECT_EQ(
      runs->nest.rows,
      (std::vector<PlanLoop>{
          {2, 576, 128}, {4, 16, 32}, {2, 73728, 16}, {8, 1, 2}, {2, 8, 1}}));
  EXPECT_EQ(runs->nest.loops.back(), (PlanLoop{9, 64, 256}));
  EXPECT_EQ(moved(*runs), moved(direct));
  // Not what calls of a kernel move by many lines.
  const Piece plane{0, 0, {{256, 4, 256}, {64, 1024, 4}}};
  const Lowered whole = lower_move(plane, 4, Reach::caches);
  EXPECT_FALSE(gathered(plane, whole, std::nullopt, 4).has_value());
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
