// What a plan of tables says of itself.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/checked.hpp"
#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {
namespace {

// A table as a loop of its first step.
void add_loops(const FieldNest& nest, PlanNest& shown) {
  for (const PlaceLoop& loop : nest.outer) {
    const Places step = {loop.at(1).src - loop.at(0).src,
                         loop.at(1).dst - loop.at(0).dst};
    shown.loops.push_back({loop.size(), step.src / 8, step.dst / 8});
  }
}

PlanNest described_program(const FieldNest& nest) {
  PlanNest shown{.loops = {},
                 .tile = {{nest.field_bytes, 0, 0}, {1, 1, 1}},
                 .kernel = kernel_name(*nest.kernel),
                 .element_bytes = 1,
                 .src_offset = nest.base.src / 8,
                 .dst_offset = nest.base.dst / 8};
  add_loops(nest, shown);
  if (nest.plane.count > 1) {
    shown.loops.push_back({nest.plane.count, nest.plane.src, nest.plane.dst});
  }
  shown.bytes = nest.field_bytes;
  for (const PlanLoop& loop : shown.loops) shown.bytes *= loop.count;
  return shown;
}

}  // namespace

std::vector<PlanNest> FieldPlan::described() const {
  std::vector<PlanNest> described;
  for (const Stage& stage : stages) {
    for (const auto& part : {stage.before, stage.after}) {
      std::ranges::move(part->described(), std::back_inserter(described));
    }
  }
  for (const FieldNest& nest : nests) {
    if (nest.kind == FieldNest::Kind::program) {
      described.push_back(described_program(nest));
      continue;
    }
    const bool bytes = nest.kind != FieldNest::Kind::bits &&
                       nest.kind != FieldNest::Kind::pieces;
    PlanNest shown{.loops = {},
                   .tile = {},
                   .kernel = bytes ? "bytes by tables" : "bits by tables",
                   .element_bytes = 1,
                   .src_offset = nest.base.src / 8,
                   .dst_offset = nest.base.dst / 8};
    add_loops(nest, shown);
    shown.tile = {{nest.inner_fields(), 0, 0}, {1, 1, 1}};
    shown.element_bytes = ceil_div(nest.inner_bits, 8 * nest.inner_fields());
    shown.bytes = shown.element_bytes * nest.inner_fields();
    for (const PlanLoop& loop : shown.loops) shown.bytes *= loop.count;
    described.push_back(std::move(shown));
  }
  return described;
}

}  // namespace stridewise::detail
