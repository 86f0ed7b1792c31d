// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "layout/closure.hpp"

namespace stridewise::detail {

// Whether the value of a unit follows from what is known.
// NOLINTBEGIN(misc-no-recursion): variables are made of those before them
bool Closure::derivable(const Unit& unit) {
  knowable_.assign(piece_.variables.size(), std::nullopt);
  return follows(unit);
}

bool Closure::follows(const Unit& unit) {
  return knowable(unit.variable) || told(unit);
}

bool Closure::told(const Unit& unit) const {
  const Climb climb = climb_to(unit);
  if (climb.known == BoundDigit::infinity) return true;
  const std::int64_t period = unit.digit().period();
  return period == BoundDigit::infinity
             ? climb.known >=
                   piece_.variables[static_cast<std::size_t>(unit.variable)]
                           .extent +
                       unit.bias
             : climb.known % period == 0;
}

Climb Closure::climb_to(const Unit& unit) const {
  return climb(digits_[static_cast<std::size_t>(unit.variable)], unit.bias,
               unit.div.value());
}

// Whether a variable follows from what is known.
bool Closure::knowable(std::int32_t k) {
  const auto v = static_cast<std::size_t>(k);
  if (known_[v] >= 0) return true;
  if (!knowable_[v]) knowable_[v] = find_knowable(piece_.variables[v]);
  return *knowable_[v];
}

bool Closure::find_knowable(const Variable& variable) {
  switch (variable.kind) {
    case Variable::Kind::dim:
    case Variable::Kind::bit:
      return false;
    case Variable::Kind::slice:
    case Variable::Kind::rest:
      return knowable(variable.source);
    case Variable::Kind::fused:
      break;
  }
  return std::ranges::all_of(variable.fused, [&](const FusedTerm& term) {
    return term.digit.twists.empty() && follows(term.digit.unit);
  });
}

// The slot of a variable. Pre: knowable(k).
std::int32_t Closure::know(std::int32_t k) {
  const auto v = static_cast<std::size_t>(k);
  if (known_[v] >= 0) return known_[v];
  const Variable& variable = piece_.variables[v];
  DecodeStep step{};
  if (variable.kind == Variable::Kind::fused) {
    step.kind = DecodeStep::Kind::fuse;
    step.low = variable.low;
    for (const FusedTerm& term : variable.fused) {
      step.parts.push_back({derive(term.digit.unit), term.stride});
    }
  } else {
    step.in = know(variable.source);
    const bool slice = variable.kind == Variable::Kind::slice;
    step.kind = slice ? DecodeStep::Kind::offset : DecodeStep::Kind::rest;
    step.low = -variable.low;
    step.extent = variable.extent;
    step.divisor = variable.divisor;
  }
  known_[v] = step.out = new_slot();
  inverse_.steps.push_back(std::move(step));
  return known_[v];
}

// The slot of a unit's value. Pre: derivable(unit).
std::int32_t Closure::derive(const Unit& unit) {
  DecodeStep step{};
  knowable_.assign(piece_.variables.size(), std::nullopt);
  if (knowable(unit.variable)) {
    step.kind = DecodeStep::Kind::raw;
    step.in = know(unit.variable);
    step.unit = unit;
  } else {
    Climb climb = climb_to(unit);
    step.kind = DecodeStep::Kind::chain;
    step.parts = std::move(climb.parts);
    step.redundant = true;
    step.divisor = unit.div;
    step.wrap = unit.mod;
  }
  std::int32_t slot = step.out = new_slot();
  inverse_.steps.push_back(std::move(step));
  if (unit.plain()) return slot;
  const std::int32_t finished = new_slot();
  inverse_.steps.push_back({.kind = DecodeStep::Kind::finish,
                            .in = slot,
                            .out = finished,
                            .unit = unit});
  return finished;
}
// NOLINTEND(misc-no-recursion)

}  // namespace stridewise::detail
