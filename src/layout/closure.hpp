// Which digits tell which indices: the closure that decides whether a piece has an
// inverse, and the steps of that inverse.
//
//   A digit alone is known. The left one of a twist is known when its right ones are. A
//   fused index is known when its digits form a chain; a known fused index makes its
//   digits known. A dim is known, down to its granularity, when its digits form a chain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layout/inverse.hpp"
#include "layout/knowledge.hpp"
#include "layout/piece.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::detail {

class Closure {
 public:
  // The inverse of a piece of a layout of this shape. `grains`: whether a dim may be known
  // down to x/g alone, as in a part that leaves its low digits out.
  Closure(const Piece& piece, const Shape& shape, bool grains);

  // Never fails: what is not told is said in not_covered and unsolved.
  [[nodiscard]] PieceInverse run();

 private:
  // A digit whose value is in a slot, before it is known what that tells.
  struct Pending {
    const TwistedDigit* digit;
    std::int32_t slot;
  };

  // --- closure.cpp: digits -> variables
  std::int32_t new_slot(std::int64_t start = 0);
  void take_terms();
  void take_constants();
  void learn(const Unit& unit, std::int32_t raw_slot);
  void learn(std::int32_t variable, const BoundDigit& digit, std::int32_t slot);
  bool solve_digits();
  void undo(const Pending& pending);
  bool solve_variables();
  bool solve(std::size_t k);
  std::int32_t chain_step(std::size_t k, Climb& climb, std::int64_t bias,
                          std::int64_t from);
  void spread(std::size_t k);
  void shift_to_parent(const Variable& variable, std::int32_t slot,
                       std::int64_t grain);
  void split(const Variable& variable, std::int32_t slot);

  // --- derive.cpp: values of digits from what is known
  bool derivable(const Unit& unit);
  bool follows(const Unit& unit);
  [[nodiscard]] bool told(const Unit& unit) const;
  [[nodiscard]] Climb climb_to(const Unit& unit) const;
  bool knowable(std::int32_t k);
  bool find_knowable(const Variable& variable);
  std::int32_t know(std::int32_t k);
  std::int32_t derive(const Unit& unit);

  // --- grains.cpp: dims, and how much of each is told
  [[nodiscard]] std::int64_t grain_of(std::size_t k) const;
  bool solve_grains();
  [[nodiscard]] std::vector<bool> named_variables() const;
  void finish_dims();
  void finish_dim(std::size_t k, std::size_t dim);
  void finish_bits(std::size_t k);
  [[nodiscard]] std::optional<Error> why_not_covered(std::size_t k) const;
  [[nodiscard]] bool part_known(std::size_t k) const;
  std::int32_t searched(std::size_t k);

  const Piece& piece_;
  const Shape& shape_;
  bool grains_;
  bool plain_ = true;
  std::vector<bool> named_;
  PieceInverse inverse_;
  std::vector<Pending> pending_;
  std::vector<std::int32_t> known_;         // slots of variables; -1: not known
  std::vector<std::vector<Known>> digits_;  // of variables
  std::vector<std::int64_t> low_;           // the values that the slices leave
  std::vector<std::int64_t> extent_;
  std::vector<std::optional<bool>> knowable_;  // while one question is asked
  std::map<std::size_t, std::int64_t> grained_;
};

}  // namespace stridewise::detail
