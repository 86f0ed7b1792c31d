// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/nests.hpp"

#include <algorithm>
#include <utility>

#include "reorder/planner/pieces.hpp"

namespace stridewise::detail {
namespace {

engine::Loops loops_of(const std::vector<PlanLoop>& loops) {
  engine::Loops all;
  for (const PlanLoop& loop : loops) {
    all.push_back({loop.count, loop.src_stride, loop.dst_stride});
  }
  return all;
}

// Of runs that zeros follow after a whole number of them, the runs are elements.
engine::Work work_of(const Piece& move, std::int64_t width) {
  engine::Work work{{}, width, move.zeros};
  std::vector<PlanLoop> loops = move.loops;
  if (move.zeros_after_rows) {
    work.width *= loops.back().count;
    work.zeros /= loops.back().count;
    loops.pop_back();
  }
  work.loops = loops_of(loops);
  return work;
}

// The zeros of a work by themselves: they follow runs of dst that a loop makes, or single
// elements.
Piece zeros_after(const engine::Work& work, const Piece& move,
                  std::int64_t width) {
  Piece fill;
  fill.dst_offset = move.dst_offset + work.width;
  for (const engine::Loop& loop : work.loops) {
    if (loop.dst == work.width) {
      fill.dst_offset = move.dst_offset + work.width * loop.count;
    } else {
      fill.loops.push_back({loop.count, 0, loop.dst});
    }
  }
  fill.loops.push_back({work.zeros * work.width / width, 0, width});
  return fill;
}

}  // namespace

engine::Reach reach_of(const PlanData& data, const Profile& profile,
                       Stores stores) {
  const std::int64_t bytes = data.both_bytes();
  return {bytes <= profile.near_bytes,
          stores == Stores::streaming || (stores == Stores::by_size &&
                                          bytes >= profile.min_streamed_bytes)};
}

engine::Nest NestPlanner::nest_of(engine::Work work, const Piece& move,
                                  engine::Bill* bill) {
  if (!data_.conversion) return engine::choose(work, machine_, reach_, bill);
  const auto& [moved, src, dst] = data_.widths;
  const auto converts =
      moved == dst ? engine::Converts::before : engine::Converts::after;
  const auto converting = [&] {
    auto nest =
        engine::choose_converting(work, machine_, reach_, converts, bill);
    if (nest) engine::widen(*nest, data_.widths);
    return nest;
  };
  if (auto nest = converting()) return *std::move(nest);
  Piece zeros = zeros_after(work, move, moved);
  give_width(zeros, moved, dst);
  add_zeros(zeros);
  work.zeros = 0;
  return *converting();
}

void NestPlanner::add_move(const Piece& move) {
  const auto& [moved, src, dst] = data_.widths;
  engine::Bill bill;
  engine::Nest nest =
      nest_of(work_of(move, moved), move, bills_ == nullptr ? nullptr : &bill);
  nest.src_offset = move.src_offset / moved * src;
  nest.dst_offset = move.dst_offset / moved * dst;
  add(std::move(nest), std::move(bill));
}

void NestPlanner::add_zeros(const Piece& fill) {
  engine::Nest nest = engine::nest_of_zeros(loops_of(fill.loops),
                                            data_.widths.dst, machine_, reach_);
  nest.dst_offset = fill.dst_offset;
  add(std::move(nest),
      {{"zeros by themselves", 0, "nothing else writes them"}});
}

void NestPlanner::add(engine::Nest nest, engine::Bill bill) {
  nest.first_task = data_.tasks;
  data_.tasks += nest.tasks();
  data_.nests.push_back(std::move(nest));
  if (bills_ != nullptr) bills_->push_back(std::move(bill));
}

}  // namespace stridewise::detail
