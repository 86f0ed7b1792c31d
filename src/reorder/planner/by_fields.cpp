// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/by_fields.hpp"

#include <span>
#include <utility>

#include "base/checked.hpp"
#include "reorder/planner/nests.hpp"
#include "reorder/planner/pieces.hpp"

namespace stridewise::detail {
namespace {

// The widest elements that all of the moves are whole numbers of.
std::int64_t width_of_moves(std::span<const StridedMove> moves) {
  constexpr std::int64_t widest = 16;
  std::int64_t bits = widest;
  for (const StridedMove& move : moves) {
    bits |= move.base.src | move.base.dst | move.run_bytes;
    for (const PlanLoop& loop : move.loops) {
      bits |= loop.src_stride | loop.dst_stride;
    }
  }
  return bits & -bits;
}

void plan_moves(PlanData& data, const Machine& machine, Stores stores,
                std::vector<StridedMove> moves,
                std::vector<engine::Bill>* bills) {
  const std::int64_t width = width_of_moves(moves);
  data.widths = {width, width, width};
  NestPlanner planner(data, machine, reach_of(data, machine.profile, stores),
                      bills);
  for (StridedMove& move : moves) {
    move.loops.push_back({move.run_bytes / width, width, width});
    planner.add_move({.src_offset = move.base.src,
                      .dst_offset = move.base.dst,
                      .loops = normalise(std::move(move.loops))});
  }
}

}  // namespace

Result<void> plan_by_fields(PlanData& data, const Machine& machine,
                            const Layout& src, const Layout& dst,
                            const PlanOptions& options,
                            std::vector<engine::Bill>* bills) {
  const ProgramOptions programs = {
      .kernel = engine::find_kernel(engine::Kind::program, 1, machine.isa),
      .streams = reach_of(data, machine.profile, options.stores).streams,
      .leaves_moves = true};
  Result<FieldPlan> fields = plan_fields(src, dst, options, programs);
  if (!fields) return unexpected(fields.error());
  data.bytes_read = ceil_div(src.elements() * src.element_bits(), 8);
  if (options.fill == Fill::keep) {
    data.bytes_written = ceil_div(dst.elements() * dst.element_bits(), 8);
  }
  if (!fields->moves.empty()) {
    plan_moves(data, machine, options.stores, std::move(fields->moves), bills);
    return {};
  }
  data.tasks = 1;
  data.fields = std::make_shared<const FieldPlan>(*std::move(fields));
  return {};
}

}  // namespace stridewise::detail
