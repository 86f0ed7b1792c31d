// SPDX-License-Identifier: Apache-2.0
#include "layout/closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace stridewise::detail {
namespace {

Error not_covered(std::string message) {
  return Error{ErrorCode::invalid_layout, std::move(message)};
}

}  // namespace

Closure::Closure(const Piece& piece, const Shape& shape, bool grains)
    : piece_(piece),
      shape_(shape),
      grains_(grains),
      known_(piece.variables.size(), -1),
      digits_(piece.variables.size()),
      low_(piece.variables.size(), 0),
      extent_(piece.variables.size()) {
  for (std::size_t k = 0; k < piece.variables.size(); ++k) {
    const Variable& variable = piece.variables[k];
    extent_[k] = variable.extent;
    if (variable.kind != Variable::Kind::slice) continue;
    const auto parent = static_cast<std::size_t>(variable.source);
    low_[parent] = variable.low;
    extent_[parent] = variable.extent;
  }
}

PieceInverse Closure::run() {
  list_terms(piece_, inverse_);
  take_terms();
  take_constants();
  while (solve_digits() || solve_variables() || solve_grains()) {
  }
  if (!pending_.empty() && !inverse_.unsolved) {
    inverse_.unsolved = not_covered(fmt::format(
        "a digit of {} cannot be undone: what it is combined with is not "
        "known without it",
        piece_
            .variables[static_cast<std::size_t>(
                pending_.front().digit->unit.variable)]
            .name));
  }
  finish_dims();
  inverse_.verify = inverse_.verify || !plain_;
  if (inverse_.start.size() > max_slots) {
    inverse_.unsolved = Error{ErrorCode::unsupported,
                              "too many digits of digits to be inverted"};
  }
  if (inverse_.unsolved && !inverse_.not_covered) {
    inverse_.not_covered = inverse_.unsolved;
  }
  return std::move(inverse_);
}

std::int32_t Closure::new_slot(std::int64_t start) {
  inverse_.start.push_back(start);
  return static_cast<std::int32_t>(inverse_.start.size() - 1);
}

// The digits that places tell: not those that have several values in one place.
void Closure::take_terms() {
  for (const PieceTerm& term : piece_.terms) {
    const Reach reach =
        term.copies != 0 ? Reach{0, term.copies} : reach_of(piece_, term.digit);
    const std::int32_t slot = new_slot(reach.low);
    if (term.copies != 0) continue;
    plain_ = plain_ && term.digit.plain();
    if (term.stride == 0 && reach.count > 1) continue;
    pending_.push_back({&term.digit, slot});
  }
}

// A variable of one value is known. (Not a dim: its digits may have padding.)
void Closure::take_constants() {
  for (std::size_t k = piece_.variables.size(); k-- > 0;) {
    const Variable::Kind kind = piece_.variables[k].kind;
    if (kind == Variable::Kind::dim || kind == Variable::Kind::bit) continue;
    plain_ = false;
    if (extent_[k] > 1 || known_[k] >= 0) continue;
    known_[k] = new_slot(low_[k]);
    spread(k);
  }
}

void Closure::learn(const Unit& unit, std::int32_t raw_slot) {
  learn(unit.variable, unit.digit(), raw_slot);
}

// NOLINTNEXTLINE(misc-no-recursion): variables are made of those before them
void Closure::learn(std::int32_t variable, const BoundDigit& digit,
                    std::int32_t slot) {
  const auto k = static_cast<std::size_t>(variable);
  digits_[k].push_back({digit, slot});
  // What a digit of a slice or of a rest tells of its parent.
  const Variable& v = piece_.variables[k];
  if (digit.bias != 0) return;
  if (v.kind == Variable::Kind::slice && v.low == 0) {
    learn(v.source, digit, slot);
  }
  if (v.kind != Variable::Kind::rest) return;
  const std::int64_t of = v.divisor.value();
  if (of % digit.div == 0 && (digit.mod == 0 || of % digit.period() == 0)) {
    learn(v.source, {0, digit.div, digit.mod == 0 ? of / digit.div : digit.mod},
          slot);
  }
}

bool Closure::solve_digits() {
  bool progress = false;
  for (std::size_t k = 0; k < pending_.size();) {
    const Pending pending = pending_[k];
    const auto& twists = pending.digit->twists;
    if (!std::ranges::all_of(twists, [&](const BoundTwist& twist) {
          return derivable(twist.unit);
        })) {
      ++k;
      continue;
    }
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(k));
    undo(pending);
    progress = true;
  }
  return progress;
}

void Closure::undo(const Pending& pending) {
  const Unit& unit = pending.digit->unit;
  std::int32_t raw = pending.slot;
  if (!pending.digit->plain()) {
    DecodeStep step{
        .kind = DecodeStep::Kind::undo, .in = pending.slot, .unit = unit};
    for (const BoundTwist& twist : pending.digit->twists) {
      step.twists.emplace_back(twist.kind, derive(twist.unit));
    }
    raw = step.out = new_slot();
    inverse_.steps.push_back(std::move(step));
  }
  learn(unit, raw);
}

bool Closure::solve_variables() {
  bool progress = false;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    if (known_[k] < 0) progress = solve(k) || progress;
  }
  return progress;
}

bool Closure::solve(std::size_t k) {
  for (const Known& known : digits_[k]) {
    const std::int64_t bias = known.digit.bias;
    Climb climb = detail::climb(digits_[k], bias, 1);
    if (climb.known < extent_[k]) continue;
    chain_step(k, climb, bias, 1);
    spread(k);
    return true;
  }
  return false;
}

// Adds the step that knows variable k, divided by `from`.
std::int32_t Closure::chain_step(std::size_t k, Climb& climb, std::int64_t bias,
                                 std::int64_t from) {
  inverse_.verify = inverse_.verify || climb.redundant;
  const std::int32_t out = new_slot();
  inverse_.steps.push_back({.kind = DecodeStep::Kind::chain,
                            .out = out,
                            .parts = std::move(climb.parts),
                            .redundant = climb.redundant,
                            .is_variable = true,
                            .bias = bias,
                            .modulus = climb.modulus(),
                            .low = low_[k],
                            .extent = extent_[k],
                            .divisor = Divider(from)});
  if (from == 1) known_[k] = out;
  return out;
}

// What a variable that is known tells of others.
void Closure::spread(std::size_t k) {
  const Variable& variable = piece_.variables[k];
  const std::int32_t slot = known_[k];
  switch (variable.kind) {
    case Variable::Kind::dim:
    case Variable::Kind::bit:
      return;
    case Variable::Kind::slice:
      shift_to_parent(variable, slot, 1);
      return;
    case Variable::Kind::rest:
      learn(variable.source, {0, 1, variable.divisor.value()}, slot);
      return;
    case Variable::Kind::fused:
      split(variable, slot);
      return;
  }
}

// parent / grain, from slice / grain. Pre: the grain divides the slice's begin.
void Closure::shift_to_parent(const Variable& variable, std::int32_t slot,
                              std::int64_t grain) {
  const auto parent = static_cast<std::size_t>(variable.source);
  const std::int32_t out = new_slot();
  inverse_.steps.push_back({.kind = DecodeStep::Kind::offset,
                            .in = slot,
                            .out = out,
                            .low = variable.low / grain,
                            .extent = largest});
  learn(variable.source, {0, grain, 0}, out);
  if (grain == 1 && known_[parent] < 0) {
    known_[parent] = out;
    spread(parent);
  }
}

void Closure::split(const Variable& variable, std::int32_t slot) {
  DecodeStep step{
      .kind = DecodeStep::Kind::split, .in = slot, .low = variable.low};
  std::vector<const FusedTerm*> terms;
  for (const FusedTerm& term : variable.fused) terms.push_back(&term);
  std::ranges::stable_sort(terms, std::ranges::greater{}, &FusedTerm::stride);
  std::int64_t rest = 0;
  bool nested = true;
  for (std::size_t k = terms.size(); k-- > 0;) {
    nested =
        nested && (terms[k]->stride > rest || terms[k]->digit.extent() <= 1);
    rest += (terms[k]->digit.extent() - 1) * terms[k]->stride;
  }
  if (!nested) {
    inverse_.unsolved =
        Error{ErrorCode::unsupported,
              fmt::format("the digits of {} overlap", variable.name)};
    return;
  }
  for (const FusedTerm* term : terms) {
    const std::int32_t out = new_slot();
    step.parts.push_back({out, term->stride});
    step.strides.emplace_back(std::max<std::int64_t>(term->stride, 1));
    step.counts.push_back(term->digit.extent());
    pending_.push_back({&term->digit, out});
  }
  inverse_.steps.push_back(std::move(step));
}

}  // namespace stridewise::detail
