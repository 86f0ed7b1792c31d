// What plans are on four machines: 2,000 pairs of layouts, each with the loops and kernels
// that move most of it. A change of the planner shows here what it changes.
//
//   STRIDEWISE_UPDATE=1 test.reorder.golden      writes tests/data/plans.txt anew
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/explain.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

constexpr std::array machines = {"sse4", "zen3", "zen4", "sapphire-rapids"};
constexpr const char* path = STRIDEWISE_TEST_DATA "/plans.txt";

// "f32; nchw -> nhwc; 1x3x224x224" and what follows it, a line for each plan, with the
// machines that have it.
struct Golden {
  std::string pair;
  std::vector<std::string> plans;
};

std::vector<Golden> read() {
  std::vector<Golden> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == ' ') {
      all.back().plans.push_back(line);
    } else {
      all.push_back({line, {}});
    }
  }
  return all;
}

std::array<Layout, 2> layouts_of(const std::string& pair) {
  const std::size_t first = pair.find("; "), last = pair.rfind("; ");
  const std::size_t arrow = pair.find(" -> ");
  const ElementType type = parse_element_type(pair.substr(0, first)).value();
  LayoutSource src =
      resolve_layout(pair.substr(first + 2, arrow - first - 2)).value();
  LayoutSource dst =
      resolve_layout(pair.substr(arrow + 4, last - arrow - 4)).value();
  align_dims(src, dst);
  const Shape shape = parse_shape(pair.substr(last + 2), dims_of(src)).value();
  const std::int64_t bytes = type.bits / 8;
  return {src.bind(shape, bytes).value(), dst.bind(shape, bytes).value()};
}

std::string counts(const std::vector<PlanLoop>& loops, const PlanLoop& one) {
  if (loops.empty()) return fmt::to_string(one.count);
  std::string text;
  for (const PlanLoop& loop : loops) {
    text += fmt::format("{}{}", text.empty() ? "" : "*", loop.count);
  }
  return text;
}

// "8*4 x transpose.b32.avx512 16 x 3136 +13 streams"
// NOLINTNEXTLINE(misc-no-recursion): steps have no steps
std::string summary(const PlanNest& nest) {
  std::string text;
  if (!nest.loops.empty()) text = counts(nest.loops, {}) + " x ";
  if (nest.steps.empty()) {
    text +=
        fmt::format("{} {} x {}", nest.kernel, counts(nest.rows, nest.tile[0]),
                    counts(nest.columns, nest.tile[1]));
    if (nest.zeros > 0) text += fmt::format(" +{}", nest.zeros);
  } else {
    text += fmt::format("{} by ", counts(nest.rows, nest.tile[0]));
    for (const PlanNest& step : nest.steps) {
      if (&step != nest.steps.data()) text += ", then ";
      text += summary(step);
    }
  }
  return text + (nest.streams ? " streams" : "");
}

std::string plan_on(const char* machine, const std::array<Layout, 2>& layouts) {
  const Explanation told =
      explain_plan(layouts[0], layouts[1], {.machine = machine}).value();
  const PlanNest* most = nullptr;
  for (const ExplainedNest& nest : told.nests) {
    if (most == nullptr || nest.nest.bytes > most->bytes) most = &nest.nest;
  }
  if (most == nullptr) return "nothing";
  return fmt::format("{} of {}: {}", told.nests.size() == 1 ? "all" : "most",
                     told.nests.size(), summary(*most));
}

std::vector<std::string> plans_of(const std::string& pair) {
  const std::array<Layout, 2> layouts = layouts_of(pair);
  std::vector<std::string> plans, names;
  for (const char* const machine : machines) {
    const std::string plan = plan_on(machine, layouts);
    if (plans.empty() || plans.back() != plan) {
      plans.push_back(plan);
      names.emplace_back();
    }
    names.back() +=
        fmt::format("{}{}", names.back().empty() ? "" : ", ", machine);
  }
  for (std::size_t k = 0; k < plans.size(); ++k) {
    plans[k] = fmt::format("  {}: {}", names[k], plans[k]);
  }
  return plans;
}

TEST(Golden, PlansAreAsTheyWere) {
  const std::vector<Golden> all = read();
  ASSERT_GE(all.size(), 2000U);
  std::string made =
      "# What plans are on four machines, see tests/reorder/golden_test.cpp.\n"
      "# Renewed by: STRIDEWISE_UPDATE=1 test.reorder.golden\n";
  std::int64_t changed = 0;
  for (const Golden& golden : all) {
    made += golden.pair + '\n';
    const std::vector<std::string> plans = plans_of(golden.pair);
    for (const std::string& plan : plans) made += plan + '\n';
    if (plans == golden.plans) continue;
    constexpr std::int64_t most_shown = 20;
    if (++changed > most_shown) continue;
    std::string diff;
    for (const std::string& plan : golden.plans) diff += "- " + plan + '\n';
    for (const std::string& plan : plans) diff += "+ " + plan + '\n';
    ADD_FAILURE() << golden.pair << '\n' << diff;
  }
  EXPECT_EQ(changed, 0)
      << "of " << all.size()
      << ": look at them, then renew with STRIDEWISE_UPDATE=1";
  if (std::getenv("STRIDEWISE_UPDATE") != nullptr) std::ofstream(path) << made;
}

}  // namespace
}  // namespace stridewise
