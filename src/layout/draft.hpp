// Pieces while the bodies around them are walked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "layout/piece.hpp"
#include "layout/scope.hpp"
#include "stridewise/result.hpp"

namespace stridewise::detail {

struct Draft {
  Piece
      piece;  // terms from the last to the first; variables of the whole layout
  Scope scope;  // what says which indices are its
};

class Drafts {
 public:
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  void add(Draft draft) { list_.push_back(std::move(draft)); }

  // What lies left of all pieces from `first` on.
  void add_term(const PieceTerm& term, std::size_t first);
  void move_from(std::size_t first, std::int64_t bits);

  // Whether the `count` terms left of all pieces from `first` on step over the `inner`
  // bits right of them, so that no two pieces meet.
  [[nodiscard]] bool nest(std::size_t first, std::size_t count,
                          std::int64_t inner) const;

  // The width of elements that all lie whole; 0 where they differ.
  [[nodiscard]] std::int64_t unit() const;

  // The pieces, each with its own copy of the variables that it needs: those of its
  // terms, and those of its scope. Error unsupported: more digits than a piece may have.
  [[nodiscard]] Result<std::vector<Piece>> finish(const Variables& variables);

 private:
  std::vector<Draft> list_;
};

}  // namespace stridewise::detail
