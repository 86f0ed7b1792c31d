// Values of elements whose bits lie apart: such elements are put together in a memory of
// whole bytes first, some rows at a time, and their values change on the way to or from it.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/staged.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::detail {
namespace {

// As much as stays in a cache of the second or third level.
constexpr std::int64_t most_staged_bytes = std::int64_t{1} << 22;

// The tensor of `like`, dense in logical order, each element in whole bytes.
Result<Layout> staging(const Layout& like, std::int64_t element_bits) {
  Part part;
  Shape shape;
  for (const Dim& dim : like.shape()) {
    // "k/32": the part tells no more of k.
    const std::size_t slash = dim.name.find('/');
    const std::string name = dim.name.substr(0, slash);
    const Result<std::int64_t> scale =
        slash == std::string::npos ? Result<std::int64_t>(1)
                                   : parse_count(dim.name.substr(slash + 1));
    if (!scale) return unexpected(scale.error());
    part.body.terms.push_back({.digit = {.dim = name, .div = *scale}});
    shape.push_back({name, saturated(mul(dim.extent, *scale))});
  }
  const auto tensor = static_cast<std::size_t>(like.tensor());
  part.name = like.tensors()[tensor].name;
  if (!part.body.terms.empty()) {
    part.body.terms.back().stride = {Step::Kind::bytes,
                                     ceil_div(element_bits, 8)};
  }
  Axis axis;
  if (part.name.empty()) {
    axis.terms = std::move(part.body.terms);
  } else {
    axis.parts = std::vector<Part>{part};
  }
  Expression expression;
  expression.axes.push_back(std::move(axis));
  const Result<Layout> memory =
      Layout::bind(expression, shape, Binding{.element_bits = element_bits});
  if (!memory || part.name.empty()) return memory;
  return memory->part(part.name);
}

// src to dst by way of a memory of whole bytes.
Result<FieldPlan::Stage> stage_of(const Layout& src, const Layout& dst,
                                  const PlanOptions& options, bool src_apart) {
  const Result<Layout> between =
      staging(src, src_apart ? src.element_bits() : dst.element_bits());
  if (!between) return unexpected(between.error());
  PlanOptions move = options;
  move.values.reset();
  PlanOptions change = options;
  (src_apart ? move : change).fill = Fill::keep;
  Result<FieldPlan> before =
      plan_fields(src, *between, src_apart ? move : change);
  if (!before) return unexpected(before.error());
  Result<FieldPlan> after =
      plan_fields(*between, dst, src_apart ? change : move);
  if (!after) return unexpected(after.error());
  return FieldPlan::Stage{between->size_bytes(),
                          std::make_shared<const FieldPlan>(*std::move(before)),
                          std::make_shared<const FieldPlan>(*std::move(after))};
}

}  // namespace

Result<std::vector<FieldPlan::Stage>> plan_stages(const Layout& src,
                                                  const Layout& dst,
                                                  const PlanOptions& options,
                                                  bool src_apart) {
  std::vector<FieldPlan::Stage> stages;
  const std::int64_t rows = src.shape().empty() ? 1 : src.shape()[0].extent;
  const std::int64_t bytes = saturated(
      mul(src.elements(), std::max(src.element_bytes(), dst.element_bytes())));
  const std::int64_t wanted = std::clamp<std::int64_t>(
      bytes / most_staged_bytes + 1, 1, std::max<std::int64_t>(rows, 1));
  const std::int64_t step = ceil_div(rows, wanted);
  PlanOptions next = options;
  for (std::int64_t low = 0; wanted > 1 && low < rows; low += step) {
    const Slice range{src.shape()[0].name, low, std::min(low + step, rows)};
    const Result<Layout> from = src.window(std::span(&range, 1));
    const Result<Layout> to = dst.window(std::span(&range, 1));
    // A dim that is cut has no windows: all at once, then.
    if (!from || !to) break;
    auto stage = stage_of(*from, *to, next, src_apart);
    if (!stage) return unexpected(stage.error());
    stages.push_back(*std::move(stage));
    next.fill = Fill::keep;  // what holds no element is zero by now
  }
  if (!stages.empty()) return stages;
  auto stage = stage_of(src, dst, options, src_apart);
  if (!stage) return unexpected(stage.error());
  stages.push_back(*std::move(stage));
  return stages;
}

}  // namespace stridewise::detail
