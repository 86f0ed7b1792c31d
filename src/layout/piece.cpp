// SPDX-License-Identifier: Apache-2.0
#include "layout/piece.hpp"

#include <algorithm>

namespace stridewise::detail {

std::int64_t BoundTable::position(std::int64_t entry,
                                  std::int64_t count) const {
  const auto found = std::ranges::lower_bound(
      positions, entry, {}, &std::pair<std::int64_t, std::int64_t>::first);
  if (found == positions.end() || found->first != entry) return -1;
  return found->second < count ? found->second : -1;
}

std::int64_t twist(Twist::Kind kind, std::int64_t v, std::int64_t w,
                   std::int64_t n) {
  switch (kind) {
    case Twist::Kind::exclusive_or:
      return v ^ w;
    case Twist::Kind::plus:
      return floor_mod(v + w, n);
    case Twist::Kind::minus:
      return floor_mod(v - w, n);
  }
  return v;
}

std::int64_t untwist(Twist::Kind kind, std::int64_t v, std::int64_t w,
                     std::int64_t n) {
  const bool plus = kind == Twist::Kind::plus;
  return kind == Twist::Kind::exclusive_or
             ? v ^ w
             : twist(plus ? Twist::Kind::minus : Twist::Kind::plus, v, w, n);
}

namespace {

std::int64_t fused_value(const Variable& variable,
                         std::span<const std::int64_t> values) {
  std::int64_t sum = variable.low;
  for (const FusedTerm& term : variable.fused) {
    sum += term.digit.value(values) * term.stride;
  }
  return sum;
}

}  // namespace

std::optional<std::int64_t> Piece::bit_of(std::span<const std::int64_t> index,
                                          std::int64_t bit) const {
  std::array<std::int64_t, max_variables> values;  // NOLINT: filled below
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const Variable& variable = variables[k];
    const auto source = static_cast<std::size_t>(variable.source);
    switch (variable.kind) {
      case Variable::Kind::dim:
        values[k] = variable.own_dim < 0
                        ? 0
                        : index[static_cast<std::size_t>(variable.own_dim)] *
                              variable.scale;
        break;
      case Variable::Kind::bit:
        values[k] = bit;
        break;
      case Variable::Kind::fused:
        values[k] = fused_value(variable, values);
        break;
      case Variable::Kind::slice:
        // Digits of what is not of the piece may have no value: none is taken.
        values[k] = values[source] - variable.low;
        if (values[k] < 0 || values[k] >= variable.extent) return std::nullopt;
        break;
      case Variable::Kind::rest:
        values[k] = variable.divisor.remainder(values[source]);
        break;
    }
  }
  std::int64_t place = base;
  for (const PieceTerm& term : terms) {
    if (term.copies == 0) place += term.digit.value(values) * term.stride;
  }
  if (bit_variable >= 0) {
    place += values[static_cast<std::size_t>(bit_variable)];
  }
  return place;
}

Reach reach_of(const Piece& piece, const TwistedDigit& digit) {
  if (!digit.twists.empty() || digit.unit.table != nullptr) {
    return {0, digit.unit.extent};
  }
  const auto& variable =
      piece.variables[static_cast<std::size_t>(digit.unit.variable)];
  Reach reach = reach_of(digit.unit.digit(), variable.extent);
  if (digit.unit.reversed) {
    reach.low = digit.unit.count - reach.low - reach.count;
  }
  return reach;
}

}  // namespace stridewise::detail
