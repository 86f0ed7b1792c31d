// SPDX-License-Identifier: Apache-2.0
#include "infer/natural.hpp"

#include <algorithm>
#include <utility>

namespace stridewise::inference {

std::optional<Layout> bind_digits(std::vector<Term> terms,
                                  std::vector<FusedIndex> fused,
                                  std::int64_t base, const Shape& shape,
                                  std::int64_t element_bytes) {
  // A dim of one index has no stride of its own.
  std::ranges::stable_sort(terms, std::ranges::greater{}, [](const Term& term) {
    return std::pair(term.stride.kind == Step::Kind::natural,
                     term.stride.value);
  });
  Expression expression;
  expression.fused = std::move(fused);
  expression.axes.push_back({.base = base, .terms = std::move(terms)});
  const Result<Layout> exact = Layout::bind(expression, shape, element_bytes);
  if (!exact) return std::nullopt;
  const std::vector<LayoutPiece> pieces = exact->pieces();
  std::vector<Term>& digits = expression.axes.front().terms;
  if (pieces.size() != 1 || pieces.front().digits.size() != digits.size()) {
    return std::nullopt;
  }
  hide_natural_strides(digits, pieces.front().digits);
  const Result<Layout> layout = Layout::bind(expression, shape, element_bytes);
  return layout && layout->valid() ? std::optional(*layout) : std::nullopt;
}

}  // namespace stridewise::inference
