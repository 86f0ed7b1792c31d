// SPDX-License-Identifier: Apache-2.0
#include "layout/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace stridewise::detail {
namespace {

// NOLINTBEGIN(misc-no-recursion): variables are made of those before them
void need(const Variables& variables, const TwistedDigit& digit,
          std::set<std::int32_t>& needed);

void need(const Variables& variables, std::int32_t k,
          std::set<std::int32_t>& needed) {
  if (!needed.insert(k).second) return;
  const Variable& variable = variables.at(k);
  if (variable.kind == Variable::Kind::slice ||
      variable.kind == Variable::Kind::rest) {
    need(variables, variable.source, needed);
  }
  for (const FusedTerm& term : variable.fused)
    need(variables, term.digit, needed);
}
void need(const Variables& variables, const TwistedDigit& digit,
          std::set<std::int32_t>& needed) {
  need(variables, digit.unit.variable, needed);
  for (const BoundTwist& twist : digit.twists) {
    need(variables, twist.unit.variable, needed);
  }
}
// NOLINTEND(misc-no-recursion)

void renumber(TwistedDigit& digit,
              const std::map<std::int32_t, std::int32_t>& place) {
  digit.unit.variable = place.at(digit.unit.variable);
  for (BoundTwist& twist : digit.twists) {
    twist.unit.variable = place.at(twist.unit.variable);
  }
}

// Gives the piece its own copy of the variables that it needs: those of its terms,
// and those that say which indices are its.
Result<void> keep_variables(const Variables& variables, Draft& draft) {
  std::set<std::int32_t> needed;
  for (const auto& [name, variable] : draft.scope) {
    if (variables.at(variable).kind != Variable::Kind::fused) {
      need(variables, variable, needed);
    }
  }
  for (const PieceTerm& term : draft.piece.terms) {
    if (term.copies == 0) need(variables, term.digit, needed);
  }
  if (needed.size() > max_variables) {
    return fail(ErrorCode::unsupported, "too many slices and fused indices");
  }
  std::map<std::int32_t, std::int32_t> place;
  for (const std::int32_t old : needed) {
    place.emplace(old, static_cast<std::int32_t>(place.size()));
    Variable variable = variables.at(old);
    if (variable.kind == Variable::Kind::slice ||
        variable.kind == Variable::Kind::rest) {
      variable.source = place.at(variable.source);
    }
    for (FusedTerm& term : variable.fused) renumber(term.digit, place);
    draft.piece.variables.push_back(std::move(variable));
  }
  for (PieceTerm& term : draft.piece.terms) {
    if (term.copies == 0) renumber(term.digit, place);
  }
  if (draft.piece.bit_variable >= 0) {
    draft.piece.bit_variable = place.at(draft.piece.bit_variable);
  }
  return {};
}

}  // namespace

void Drafts::add_term(const PieceTerm& term, std::size_t first) {
  for (std::size_t k = first; k < list_.size(); ++k) {
    list_[k].piece.terms.push_back(term);
  }
}

void Drafts::move_from(std::size_t first, std::int64_t bits) {
  for (std::size_t k = first; k < list_.size(); ++k) {
    list_[k].piece.base += bits;
  }
}

bool Drafts::nest(std::size_t first, std::size_t count,
                  std::int64_t inner) const {
  if (first == list_.size()) return true;
  const auto& terms = list_[first].piece.terms;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (std::size_t k = terms.size() - count; k < terms.size(); ++k) {
    if (terms[k].extent() > 1) {
      steps.emplace_back(terms[k].stride, terms[k].extent());
    }
  }
  std::ranges::sort(steps);
  std::int64_t reach = inner - 1;
  for (const auto& [stride, extent] : steps) {
    if (stride <= reach) return false;
    reach += (extent - 1) * stride;
  }
  return true;
}

std::int64_t Drafts::unit() const {
  std::int64_t unit = -1;
  for (const Draft& draft : list_) {
    if (unit >= 0 && draft.piece.unit != unit) return 0;
    unit = draft.piece.unit;
  }
  return std::max<std::int64_t>(unit, 0);
}

Result<std::vector<Piece>> Drafts::finish(const Variables& variables) {
  std::vector<Piece> pieces;
  for (Draft& draft : list_) {
    std::ranges::reverse(draft.piece.terms);
    if (draft.piece.terms.size() > max_terms) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} digits; at most {} are supported",
                              draft.piece.terms.size(), max_terms));
    }
    if (auto kept = keep_variables(variables, draft); !kept) {
      return unexpected(kept.error());
    }
    pieces.push_back(std::move(draft.piece));
  }
  return pieces;
}

}  // namespace stridewise::detail
