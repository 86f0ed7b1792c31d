// SPDX-License-Identifier: Apache-2.0
#include "doctor_layouts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dump_files.hpp"

namespace stridewise::cli {

InferFit without_frame(InferFit fit) {
  Expression expression = fit.layout.expression();
  if (!fit.names.empty() || fit.start_byte > 0 || expression.axes.empty()) {
    return fit;
  }
  if (expression.axes.size() == 2 && expression.axes.front().terms.empty()) {
    expression.axes.erase(expression.axes.begin());
  }
  if (expression.axes.size() != 1) return fit;
  expression.axes.front().base = 0;
  const std::vector<std::int64_t> first(fit.layout.shape().size(), 0);
  const Result<Layout> bare =
      Layout::bind(expression, fit.layout.shape(), fit.layout.element_bytes());
  if (!bare || !bare->valid()) return fit;
  const std::int64_t before = (fit.layout.offset(first) - bare->offset(first)) *
                              fit.layout.element_bytes();
  const std::int64_t after = fit.trailing_bytes + fit.layout.size_bytes() -
                             before - bare->size_bytes();
  if (after < 0) return fit;
  fit.layout = *bare;
  fit.start_byte -= before;
  fit.trailing_bytes = after;
  return fit;
}

std::optional<LayoutSource> straightened(const InferFit& fit) {
  const Layout& layout = fit.layout;
  const Expression& expression = layout.expression();
  const auto is_odd = [](const Term& term) {
    return term.digit.reversed || !term.digit.table.empty() ||
           (term.digit.bias != 0 && term.digit.mod != 0);
  };
  bool odd = !expression.fused.empty();
  for (const Axis& axis : expression.axes) {
    odd = odd || std::ranges::any_of(axis.terms, is_odd);
  }
  if (!odd || !fit.names.empty()) return std::nullopt;
  // By the step of each dim that goes furthest.
  std::vector<std::pair<std::int64_t, std::string>> dims;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    std::vector<std::int64_t> index(layout.shape().size(), 0);
    std::vector<std::int64_t> places;
    for (index[d] = 0; index[d] < layout.shape()[d].extent; ++index[d]) {
      places.push_back(layout.offset(index));
    }
    const auto [least, most] = std::ranges::minmax(places);
    dims.emplace_back(least - most, layout.shape()[d].name);
  }
  std::ranges::stable_sort(dims, {},
                           &std::pair<std::int64_t, std::string>::first);
  std::vector<std::string> order;
  for (const auto& [span, name] : dims) order.push_back(name);
  LayoutSource rows = value_of(resolve_layout(print_dims(order)));
  const Result<Layout> bound =
      rows.bind(layout.shape(), layout.element_bytes());
  if (!bound || bound->size_bytes() != layout.size_bytes()) return std::nullopt;
  return rows;
}

}  // namespace stridewise::cli
