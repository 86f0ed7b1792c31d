// What a build with STRIDEWISE_CHECKED says where a precondition does not hold, before
// anything undefined happens.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "stridewise/stridewise.hpp"

namespace stridewise {
namespace {

using Index = std::vector<std::int64_t>;

Layout bound(std::string_view text, std::string_view shape) {
  return *Layout::bind(*parse_expression(text), *parse_shape(shape), 4);
}

class Preconditions : public ::testing::Test {
 protected:
  const Layout rows = bound("h w", "h=3,w=5");
  const Layout columns = bound("w h", "h=3,w=5");
  const Plan plan = *Plan::make(rows, columns);
  std::array<std::byte, 120> memory = {};
  std::byte* const src = memory.data();
  std::byte* const dst = memory.data() + 60;
};
using PreconditionsDeathTest = Preconditions;

TEST_F(PreconditionsDeathTest, IndicesAreWithinTheTensor) {
  const Index few = {1}, far = {1, 5}, below = {-1, 0}, good = {2, 4};
  EXPECT_DEATH((void)rows.offset(few), "Layout::offset: an index");
  EXPECT_DEATH((void)rows.offset(far), "Layout::offset: an index");
  EXPECT_DEATH((void)rows.offset(below), "Layout::offset: an index");
  EXPECT_DEATH((void)rows.bit_of(few), "Layout::bit_of: an index");
  EXPECT_DEATH((void)rows.bit_of(good, 32), "0 <= bit < element_bits");
  EXPECT_EQ(rows.offset(good), 14);
  const Layout parts = bound("{ a = h ; b = w }", "h=3,w=5");
  EXPECT_DEATH((void)parts.offset(good), "of the chosen tensor");
}

TEST_F(PreconditionsDeathTest, PlacesAreWithinMemory) {
  Index index(2), few(1);
  EXPECT_DEATH((void)rows.element_at(15, index), "0 <= offset < places");
  EXPECT_DEATH((void)rows.element_at(-1, index), "0 <= offset < places");
  EXPECT_DEATH((void)rows.element_at(0, few), "room for all dims");
  EXPECT_DEATH((void)rows.find(480, index), "0 <= bit < size_bits");
  EXPECT_DEATH(rows.coordinates_at(480, few), "0 <= bit < size_bits");
  EXPECT_DEATH(rows.coordinates_at(0, index), "a coordinate for each axis");
  EXPECT_DEATH((void)rows.offset_of_coordinates(Index{15}), "within it");
  const Layout twice = bound("h:0 w", "h=3,w=5");
  EXPECT_DEATH((void)twice.element_at(0, index), "chosen, and valid");
  EXPECT_DEATH((void)bound("h ~w", "h=3,w=4").base_offset(), "is plain");
}

TEST_F(PreconditionsDeathTest, TablesOfOffsetsAreAskedWithin) {
  const Offsets offsets = *Offsets::make(rows, OffsetUnit::element);
  Index out(4);
  EXPECT_DEATH(offsets.fill(12, out), "Offsets::fill: indices within");
  EXPECT_DEATH((void)offsets.fill_inverse(-1, out), "places within");
}

TEST_F(PreconditionsDeathTest, TasksAreThoseOfThePlan) {
  EXPECT_DEATH(plan.run_task(plan.tasks(), src, dst), "task < tasks");
  EXPECT_DEATH(plan.run_task(-1, src, dst), "task < tasks");
  EXPECT_DEATH(plan.run(src, src + 30), "do not overlap");
  EXPECT_DEATH(plan.run(src + 1, src), "do not overlap");
  EXPECT_DEATH(plan.run(nullptr, dst), "do not overlap");
  EXPECT_DEATH(plan.run(src, dst, ParallelFor()), "parallel_for that is not");
  plan.run(src, dst);
}

TEST_F(PreconditionsDeathTest, WhatWasMovedFromIsNotAsked) {
  Layout layout = rows;
  const Layout kept = std::move(layout);
  EXPECT_DEATH((void)layout.shape(), "it was not moved from");  // NOLINT
  layout = kept;
  EXPECT_EQ(layout.shape().size(), 2U);
  Plan moved = plan;
  const Plan other = std::move(moved);
  EXPECT_DEATH((void)moved.tasks(), "it was not moved from");  // NOLINT
  moved = other;
  EXPECT_EQ(moved.tasks(), plan.tasks());
  // Nothing takes the name: it is not committed.
  Result<OutputFile> file = OutputFile::create(
      ::testing::TempDir() + "preconditions-" + std::to_string(::getpid()), 4);
  ASSERT_TRUE(file);
  const OutputFile taken = *std::move(file);
  EXPECT_EQ(file->bytes().size(), 0U);                          // NOLINT
  EXPECT_DEATH((void)file->commit(), "it was not moved from");  // NOLINT
}

TEST_F(PreconditionsDeathTest, EnumsHaveValidValues) {
  EXPECT_DEATH((void)Plan::make(rows, columns, Fill{2}), "a valid Fill");
  EXPECT_DEATH(
      (void)Plan::make(rows, columns, PlanOptions{.stores = Stores{3}}),
      "a valid Fill");
  EXPECT_DEATH((void)Offsets::make(rows, OffsetUnit{3}), "a valid unit");
  EXPECT_DEATH((void)emit(rows, {.language = EmitLanguage{3}}),
               "a valid language");
  EXPECT_DEATH((void)print_as(rows, Dialect{8}), "a valid dialect");
  EXPECT_DEATH((void)draw_svg(rows, {.label = DrawLabel{3}}), "a valid label");
  EXPECT_DEATH((void)reorder_reference(rows, columns, src, dst, Fill{9}),
               "a valid Fill");
}

TEST_F(PreconditionsDeathTest, OfValuesAndFiles) {
  const ElementType f32 = *parse_element_type("f32");
  const ElementType c64 = *parse_element_type("c64");
  EXPECT_DEATH(convert_values({f32, c64}, src, dst, 1), "check.. lets pass");
  const Probe probe = *Probe::make({{"n", 4}}, f32);
  EXPECT_DEATH(probe.fill(0, 3, 2, dst), "within elements");
  EXPECT_DEATH(probe.fill(9, 0, 1, dst), "file < files");
  const ElementType u4 = *parse_element_type("u4");
  EXPECT_DEATH((void)make_npy_header(u4, Index{4}), "as arrays hold it");
}

}  // namespace
}  // namespace stridewise
