// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {

Result<Layout> row_major(const Layout& like, std::int64_t element_bits) {
  if (like.tensor() < 0) return unexpected(*like.unreadable());
  Part part;
  Shape shape;
  Checked step = ceil_div(element_bits, 8);
  for (std::size_t d = like.shape().size(); d-- > 0;) {
    const Dim& dim = like.shape()[d];
    // "k/32": the part tells no more of k.
    const std::size_t slash = dim.name.find('/');
    const std::string name = dim.name.substr(0, slash);
    const Result<std::int64_t> scale =
        slash == std::string::npos ? Result<std::int64_t>(1)
                                   : parse_count(dim.name.substr(slash + 1));
    if (!scale) return unexpected(scale.error());
    part.body.terms.insert(
        part.body.terms.begin(),
        Term{.digit = {.dim = name, .div = *scale},
             .stride = {Step::Kind::bytes, saturated(step)}});
    shape.insert(shape.begin(), {name, saturated(mul(dim.extent, *scale))});
    step = mul(step, std::max<std::int64_t>(dim.extent, 1));
  }
  const auto tensor = static_cast<std::size_t>(like.tensor());
  part.name = like.tensors()[tensor].name;
  Axis axis;
  if (part.name.empty()) {
    axis.terms = std::move(part.body.terms);
  } else {
    axis.parts = std::vector<Part>{part};
  }
  Expression expression;
  expression.axes.push_back(std::move(axis));
  const Result<Layout> memory =
      Layout::bind(expression, shape, Binding{.element_bits = element_bits});
  if (!memory || part.name.empty()) return memory;
  return memory->part(part.name);
}

}  // namespace stridewise
