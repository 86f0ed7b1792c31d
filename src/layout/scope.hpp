// Digits as they are written -> digits of variables, where names mean something.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layout/piece.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise::detail {

// What names mean at one point of the text: indices of variables.
using Scope = std::map<std::string, std::int32_t, std::less<>>;

// All variables of a layout while it is bound, and the tables of its digits.
class Variables {
 public:
  Variables(const Binding& binding, std::deque<BoundTable>& tables)
      : binding_(binding), tables_(tables) {}

  [[nodiscard]] const Variable& at(std::int32_t k) const {
    return all_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  std::int32_t add(Variable variable);

  // The indices low <= x < low + extent of a variable, counted from low.
  std::int32_t add_slice(std::int32_t parent, std::int64_t low,
                         std::int64_t extent);
  // parent % divisor.
  std::int32_t add_rest(std::int32_t parent, std::int64_t divisor);

  // The coordinate of a body of digits alone; `name` is for errors. The same body in the
  // same scope is the same variable. Errors: those of digit(); what only memory has.
  Result<std::int32_t> add_fused(const Body& body, const Scope& scope,
                                 std::string name);

  // Errors: a name that the scope does not have, numbers that no digit has, a table that
  // is not given, not one-to-one or too short, a twist of what is no power of two.
  Result<TwistedDigit> digit(const Digit& digit, const Scope& scope);

  // Whether the digit is made of the element's bit.
  [[nodiscard]] bool speaks_of_bits(const TwistedDigit& digit) const;

 private:
  struct Group {
    Body body;
    Scope scope;
    std::int32_t variable;
  };

  Result<Unit> unit(const Digit& digit, const Scope& scope);
  Result<std::int32_t> source(const Digit& digit, const Scope& scope);
  Result<void> look_up(const Digit& digit, Unit& unit);
  Result<const BoundTable*> table(const Table& table, std::string_view dim);
  Result<void> check_twist(const Unit& left, const BoundTwist& twist) const;
  Result<Variable> fuse(const Body& body, const Scope& scope);

  const Binding& binding_;
  std::deque<BoundTable>& tables_;
  std::map<std::string, const BoundTable*, std::less<>> named_tables_;
  std::vector<Variable> all_;
  std::vector<Group> groups_;
  int depth_ = 0;  // of brackets
};

[[nodiscard]] unexpected<Error> too_large(const std::string& what);

}  // namespace stridewise::detail
