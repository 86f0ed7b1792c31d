// SPDX-License-Identifier: Apache-2.0
#include "layout/rename.hpp"

#include <utility>
#include <vector>

namespace stridewise::detail {
namespace {

class Renamer {
 public:
  explicit Renamer(const NewNames& names) : names_(names) {}

  void name(std::string& dim) const {
    const auto found = names_.find(dim);
    if (found != names_.end()) dim = found->second;
  }

  // NOLINTBEGIN(misc-no-recursion): as deep as the text, which is bounded
  void digit(Digit& digit) const {
    name(digit.dim);
    digit.twists = each(digit.twists, [&](Twist& t) { this->digit(t.digit); });
    digit.fused = each(digit.fused, [&](Body& b) { body(b); });
  }

  void body(Body& body) const {
    for (Term& term : body.terms) digit(term.digit);
    body.parts = each(body.parts, [&](Part& p) { part(p); });
  }

  void part(Part& part) const {
    for (Slice& slice : part.slices) name(slice.dim);
    body(part.body);
  }
  // NOLINTEND(misc-no-recursion)

  template <class T, class Change>
  static NestedList<T> each(const NestedList<T>& list, const Change& change) {
    if (list.empty()) return list;
    std::vector<T> values(list.begin(), list.end());
    for (T& value : values) change(value);
    return values;
  }

 private:
  const NewNames& names_;
};

}  // namespace

Expression renamed(Expression expression, const NewNames& names) {
  const Renamer renamer(names);
  for (Axis& axis : expression.axes) {
    for (Term& term : axis.terms) renamer.digit(term.digit);
    axis.parts = Renamer::each(axis.parts, [&](Part& p) { renamer.part(p); });
  }
  for (FusedIndex& fused : expression.fused) renamer.body(fused.body);
  return expression;
}

}  // namespace stridewise::detail
