// Values of elements whose bits lie apart: such elements are put together in a memory of
// whole bytes first, some rows at a time, and their values change on the way to or from it.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/staged.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::detail {
namespace {

// As much as stays in a cache of the second or third level; of what is larger than that
// many times, more: each stage is planned.
constexpr std::int64_t most_staged_bytes = std::int64_t{1} << 22;
constexpr std::int64_t most_stages = 64;

// src to dst by way of a memory of whole bytes.
Result<FieldPlan::Stage> stage_of(const Layout& src, const Layout& dst,
                                  const PlanOptions& options,
                                  const ProgramOptions& programs,
                                  bool src_apart) {
  const Result<Layout> between =
      row_major(src, src_apart ? src.element_bits() : dst.element_bits());
  if (!between) return unexpected(between.error());
  PlanOptions move = options;
  move.values.reset();
  PlanOptions change = options;
  (src_apart ? move : change).fill = Fill::keep;
  ProgramOptions alone = programs;
  alone.leaves_moves = false;
  Result<FieldPlan> before =
      plan_fields(src, *between, src_apart ? move : change, alone);
  if (!before) return unexpected(before.error());
  Result<FieldPlan> after =
      plan_fields(*between, dst, src_apart ? change : move, alone);
  if (!after) return unexpected(after.error());
  return FieldPlan::Stage{between->size_bytes(),
                          std::make_shared<const FieldPlan>(*std::move(before)),
                          std::make_shared<const FieldPlan>(*std::move(after))};
}

}  // namespace

Result<std::vector<FieldPlan::Stage>> plan_stages(
    const Layout& src, const Layout& dst, const PlanOptions& options,
    const ProgramOptions& programs, bool src_apart) {
  std::vector<FieldPlan::Stage> stages;
  // Along the longest dim.
  const auto dim = std::ranges::max_element(src.shape(), {}, &Dim::extent);
  const std::int64_t rows = dim == src.shape().end() ? 1 : dim->extent;
  const std::int64_t bytes = saturated(
      mul(src.elements(), std::max(src.element_bytes(), dst.element_bytes())));
  const std::int64_t wanted = std::clamp<std::int64_t>(
      std::min(bytes / most_staged_bytes + 1, most_stages), 1,
      std::max<std::int64_t>(rows, 1));
  const std::int64_t step = ceil_div(rows, wanted);
  PlanOptions next = options;
  for (std::int64_t low = 0; wanted > 1 && low < rows; low += step) {
    const Slice range{dim->name, low, std::min(low + step, rows)};
    const Result<Layout> from = src.window(std::span(&range, 1));
    const Result<Layout> to = dst.window(std::span(&range, 1));
    // A dim that is cut has no windows: all at once, then.
    if (!from || !to) break;
    auto stage = stage_of(*from, *to, next, programs, src_apart);
    if (!stage) return unexpected(stage.error());
    stages.push_back(*std::move(stage));
    next.fill = Fill::keep;  // what holds no element is zero by now
  }
  if (!stages.empty()) return stages;
  auto stage = stage_of(src, dst, options, programs, src_apart);
  if (!stage) return unexpected(stage.error());
  stages.push_back(*std::move(stage));
  return stages;
}

}  // namespace stridewise::detail
