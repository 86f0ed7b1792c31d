// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "layout/closure.hpp"

namespace stridewise::detail {
namespace {

Error uncovered_grain(std::string message) {
  return Error{ErrorCode::invalid_layout, std::move(message)};
}

}  // namespace

// The g > 1 such that the digits tell x / g, and no more; 0 where there is none.
std::int64_t Closure::grain_of(std::size_t k) const {
  if (digits_[k].empty()) return 0;
  std::int64_t least = largest;
  for (const Known& known : digits_[k]) {
    if (known.digit.bias != 0) return 0;
    least = std::min(least, known.digit.div);
  }
  const bool told = least > 1 && low_[k] % least == 0 &&
                    climb(digits_[k], 0, least).known >= extent_[k];
  return told ? least : 0;
}

// One slice or rest whose parent so learns more.
bool Closure::solve_grains() {
  if (!grains_) return false;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const Variable& variable = piece_.variables[k];
    const bool slice = variable.kind == Variable::Kind::slice;
    if (known_[k] >= 0 || grained_.contains(k) ||
        (!slice && variable.kind != Variable::Kind::rest)) {
      continue;
    }
    const std::int64_t grain = grain_of(k);
    if (grain == 0 || variable.low % grain != 0) continue;
    const std::int64_t divisor = variable.divisor.value();
    if (!slice && divisor % grain != 0) continue;
    Climb climb = detail::climb(digits_[k], 0, grain);
    const std::int32_t slot = chain_step(k, climb, 0, grain);
    grained_.emplace(k, grain);
    if (slice) {
      shift_to_parent(variable, slot, grain);
    } else {
      learn(variable.source, {0, grain, divisor / grain}, slot);
    }
    return true;
  }
  return false;
}

// Which variables digits and slices are made of.
std::vector<bool> Closure::named_variables() const {
  std::vector<bool> named(piece_.variables.size(), false);
  const auto name = [&](const TwistedDigit& digit) {
    named[static_cast<std::size_t>(digit.unit.variable)] = true;
    for (const BoundTwist& twist : digit.twists) {
      named[static_cast<std::size_t>(twist.unit.variable)] = true;
    }
  };
  for (const PieceTerm& term : piece_.terms) {
    if (term.copies == 0) name(term.digit);
  }
  for (std::size_t k = named.size(); k-- > 0;) {
    const Variable& variable = piece_.variables[k];
    const bool slice = variable.kind == Variable::Kind::slice;
    if (slice || (named[k] && variable.kind == Variable::Kind::rest)) {
      named[static_cast<std::size_t>(variable.source)] = true;
    }
    if (!named[k]) continue;
    for (const FusedTerm& term : variable.fused) name(term.digit);
  }
  return named;
}

void Closure::finish_dims() {
  inverse_.dim_slots.assign(shape_.size(), -1);
  inverse_.scales.assign(shape_.size(), 0);
  inverse_.named.assign(shape_.size(), false);
  named_ = named_variables();
  for (std::size_t k = 0; k < piece_.variables.size(); ++k) {
    const Variable& variable = piece_.variables[k];
    if (variable.kind == Variable::Kind::dim) {
      finish_dim(k, static_cast<std::size_t>(variable.source));
    } else if (variable.kind == Variable::Kind::bit) {
      finish_bits(k);
    }
  }
}

void Closure::finish_dim(std::size_t k, std::size_t dim) {
  inverse_.named[dim] = named_[k];
  if (grains_ && !named_[k]) return;
  std::int32_t& slot = inverse_.dim_slots[dim];
  std::int64_t& scale = inverse_.scales[dim];
  slot = known_[k];
  scale = 1;
  const std::int64_t grain = grains_ ? grain_of(k) : 0;
  if (extent_[k] <= 1) {
    // The name of a dim does not depend on its extent.
    if (grain != 0) scale = grain;
    if (slot < 0 || grain != 0) slot = new_slot(low_[k] / scale);
  } else if (slot < 0 && grain != 0) {
    scale = grain;
    Climb climb = detail::climb(digits_[k], 0, grain);
    slot = chain_step(k, climb, 0, grain);
  } else if (slot < 0) {
    slot = searched(k);
  }
}

void Closure::finish_bits(std::size_t k) {
  const bool whole = piece_.bit_variable >= 0;
  inverse_.bit_low = low_[k];
  if (whole) return;
  inverse_.bit_slot = known_[k] >= 0    ? known_[k]
                      : extent_[k] <= 1 ? new_slot(low_[k])
                                        : searched(k);
}

std::optional<Error> Closure::why_not_covered(std::size_t k) const {
  const std::string& name = piece_.variables[k].name;
  if (!named_[k]) {
    return uncovered_grain(fmt::format(
        "dim {} is not covered: no digit of the layout names it", name));
  }
  const auto same = collision(digits_[k], low_[k], low_[k] + extent_[k]);
  if (!same) {
    return Error{ErrorCode::unsupported,
                 fmt::format("the digits of dim {} are too irregular to be "
                             "shown to cover it",
                             name)};
  }
  if (!*same) return std::nullopt;
  return uncovered_grain(fmt::format(
      "dim {} is not covered: its digits put {}={} and {}={} in one place",
      name, name, (*same)->a, name, (*same)->b));
}

// Whether digits of a variable made of this one are known, and that itself is not.
bool Closure::part_known(std::size_t k) const {
  const auto source = static_cast<std::int32_t>(k);
  for (std::size_t v = 0; v < piece_.variables.size(); ++v) {
    const Variable& variable = piece_.variables[v];
    if (known_[v] >= 0 || digits_[v].empty()) continue;
    const bool derived = variable.kind == Variable::Kind::slice ||
                         variable.kind == Variable::Kind::rest;
    if (derived && variable.source == source) return true;
    for (const FusedTerm& term : variable.fused) {
      if (term.digit.unit.variable == source) return true;
    }
  }
  return false;
}

// The slot of a variable whose digits are no chain. Says what they do not tell apart.
std::int32_t Closure::searched(std::size_t k) {
  std::ranges::stable_sort(
      digits_[k], std::ranges::greater{},
      [](const Known& known) { return known.digit.period(); });
  if (!inverse_.not_covered) inverse_.not_covered = why_not_covered(k);
  const Result<std::int64_t> period = common_period(digits_[k]);
  if (!period) inverse_.unsolved = period.error();
  if (part_known(k)) {
    inverse_.unsolved =
        Error{ErrorCode::unsupported,
              fmt::format("of dim {} digits of digits tell a part alone: what "
                          "lies at a place cannot be told",
                          piece_.variables[k].name)};
  }
  DecodeStep step{.kind = DecodeStep::Kind::search,
                  .out = new_slot(),
                  .modulus = period.value_or(1),
                  .low = low_[k],
                  .extent = extent_[k]};
  for (const Known& known : digits_[k]) {
    step.parts.push_back({known.slot, 1});
    step.digits.push_back(known.digit);
  }
  const std::int32_t out = step.out;
  inverse_.steps.push_back(std::move(step));
  return out;
}

}  // namespace stridewise::detail
