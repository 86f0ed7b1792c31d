// SPDX-License-Identifier: Apache-2.0
#include "layout/exact.hpp"

namespace stridewise {

Expression exact_expression(const Layout& layout) {
  Expression expression = layout.expression();
  std::size_t bound = 0;
  for (std::size_t a = 0; a < expression.axes.size(); ++a) {
    for (Term& term : expression.axes[a].terms) {
      term.stride = {Step::Kind::exact, layout.terms()[bound++].stride};
    }
    // The last axis steps by one element; it has no pitch.
    if (a + 1 < expression.axes.size()) {
      expression.axes[a].pitch = {Step::Kind::exact,
                                  layout.axes()[a].pitch_bytes};
    }
  }
  return expression;
}

}  // namespace stridewise
