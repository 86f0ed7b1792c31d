// How large the numbers of emitted code become.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "base/checked.hpp"
#include "emit/pieces.hpp"

namespace stridewise::emitter {
namespace {

using detail::Piece;
using detail::TwistedDigit;
using detail::Variable;

// The largest number that the code of a unit or of what inverts it has.
std::int64_t most_of(const detail::Unit& unit, const Piece& piece) {
  const auto& of = piece.variables[static_cast<std::size_t>(unit.variable)];
  return std::max({saturated(add(of.extent, unit.bias)), unit.div.value(),
                   unit.mod, saturated(mul(unit.extent, 2))});
}

std::int64_t most_of(const TwistedDigit& digit, const Piece& piece) {
  std::int64_t most = most_of(digit.unit, piece);
  for (const detail::BoundTwist& twist : digit.twists) {
    most = std::max(
        most, saturated(add(most_of(twist.unit, piece), digit.unit.extent)));
  }
  return most;
}

std::int64_t most_of(const Piece& piece) {
  std::int64_t most = 0;
  for (const Variable& variable : piece.variables) {
    most = std::max({most, saturated(mul(variable.extent, variable.scale)),
                     saturated(add(variable.low, variable.extent)),
                     variable.divisor.value()});
    std::int64_t sum = variable.low;
    for (const detail::FusedTerm& term : variable.fused) {
      most = std::max(most, most_of(term.digit, piece));
      sum =
          saturated(add(sum, saturated(mul(term.digit.extent(), term.stride))));
    }
    most = std::max(most, sum);
  }
  for (const detail::PieceTerm& term : piece.terms) {
    if (term.copies == 0) most = std::max(most, most_of(term.digit, piece));
  }
  return most;
}

// Of the steps of the inverse, whose slots hold no more than `values`.
std::int64_t most_of(const detail::PieceInverse& inverse, std::int64_t values) {
  std::int64_t most = 0;
  for (const detail::DecodeStep& step : inverse.steps) {
    std::int64_t sum = saturated(
        add(saturated(add(step.bias, saturated(mul(step.modulus, 2)))),
            saturated(add(step.low, step.wrap))));
    for (const detail::DecodeStep::Part& part : step.parts) {
      sum = saturated(add(sum, saturated(mul(part.weight, values))));
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

bool fits_narrow(const PiecedSubject& subject) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (subject.data.size_bits > most) return false;
  return std::ranges::all_of(subject.tensor.pieces, [&](std::int32_t p) {
    const auto k = static_cast<std::size_t>(p);
    const std::int64_t values = most_of(subject.data.pieces[k]);
    return values <= most && most_of(subject.data.inverses[k], values) <= most;
  });
}

}  // namespace stridewise::emitter
