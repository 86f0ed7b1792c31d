// SPDX-License-Identifier: Apache-2.0
#include "inspect/parts.hpp"

#include "layout/exact.hpp"

namespace stridewise::inspect {
Result<Layout> part_of(const Layout& layout, const Box& box) {
  Expression expression = exact_expression(layout);
  std::size_t bound = 0;
  for (Axis& axis : expression.axes) {
    for (Term& term : axis.terms) {
      const auto d = static_cast<std::size_t>(layout.terms()[bound++].dim);
      term.digit.bias += box.begin[d];
    }
  }
  // The names of dims may be in another order in the other layout.
  return Layout::bind(expression, box.shape, layout.element_bytes());
}

Result<Layout> logical_order(const Shape& shape, std::int64_t element_bytes) {
  Axis axis;
  for (const Dim& dim : shape) axis.terms.push_back(Term{{dim.name}, {}});
  return Layout::bind(Expression{{axis}}, shape, element_bytes);
}

}  // namespace stridewise::inspect
