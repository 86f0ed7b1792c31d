// Pieces -> nests of the engine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/planner/menu.hpp"
#include "machine/machine.hpp"
#include "reorder/plan_data.hpp"
#include "reorder/planner/refine.hpp"

namespace stridewise::detail {

// How far the caches reach, and whether stores pass by them.
[[nodiscard]] engine::Reach reach_of(const PlanData& data,
                                     const Profile& profile, Stores stores);

// Adds nests, and their tasks, to a plan whose widths are set.
class NestPlanner {
 public:
  // `bills`, if there are any, get one for each nest.
  NestPlanner(PlanData& data, const Machine& machine,
              const engine::Reach& reach, std::vector<engine::Bill>* bills)
      : data_(data), machine_(machine), reach_(reach), bills_(bills) {}

  // Pre: the loops are normalised, in bytes of elements as wide as are moved.
  void add_move(const Piece& move);
  // The same of zeros alone, in bytes of dst.
  void add_zeros(const Piece& fill);

 private:
  [[nodiscard]] engine::Nest nest_of(engine::Work work, const Piece& move,
                                     engine::Bill* bill);
  void add(engine::Nest nest, engine::Bill bill);

  PlanData& data_;
  const Machine& machine_;
  const engine::Reach reach_;
  std::vector<engine::Bill>* bills_;
};

}  // namespace stridewise::detail
