// Digits of a fused index as digits of its dims, where each lies between the dims' own
// boundaries: of f := a b with b=8, f/16 is a/2 and f%16/4 is a%2 b/4.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "dialects/print.hpp"

namespace stridewise::dialects {
namespace {

// A dim of a fused index, and how many of its values one step of the dim takes.
struct FusedDim {
  std::string name;
  std::int64_t weight = 1;
  std::int64_t extent = 1;
};

// The dims of a body of whole dims, slowest first; empty for others.
std::vector<FusedDim> dims_of(const Body& body, const Shape& shape) {
  std::vector<FusedDim> dims;
  std::int64_t weight = 1;
  if (body.base != 0 || !body.parts.empty()) return {};
  for (std::size_t k = body.terms.size(); k-- > 0;) {
    const Term& term = body.terms[k];
    const auto dim = std::ranges::find(shape, term.digit.dim, &Dim::name);
    const bool whole = term.digit == Digit{.dim = term.digit.dim} &&
                       term.stride == Step{} && term.copies == 0 &&
                       term.cuts.empty();
    if (!whole || dim == shape.end()) return {};
    dims.insert(dims.begin(), {dim->name, weight, dim->extent});
    weight = saturated(mul(weight, dim->extent));
  }
  return dims;
}

// The digits that a plain digit of the fused index is made of, slowest first, each with how
// many of its steps one of theirs is; nullopt: it lies across a dim's boundary.
using Parts = std::vector<std::pair<Digit, std::int64_t>>;
std::optional<Parts> parts_of(const Digit& digit,
                              const std::vector<FusedDim>& dims) {
  const Digit plain{.dim = digit.dim, .div = digit.div, .mod = digit.mod};
  if (digit != plain || dims.empty()) return std::nullopt;
  const std::int64_t all = dims.front().weight * dims.front().extent;
  const std::int64_t end =
      digit.mod == 0 ? all
                     : std::min(all, saturated(mul(digit.div, digit.mod)));
  Parts parts;
  for (const FusedDim& dim : dims) {
    const std::int64_t low = std::max(dim.weight, digit.div);
    const std::int64_t high = std::min(dim.weight * dim.extent, end);
    if (low >= high) continue;
    if (low % dim.weight != 0 || low % digit.div != 0 || high % low != 0) {
      return std::nullopt;
    }
    const std::int64_t mod = high / low;
    const bool rest = high == dim.weight * dim.extent;
    parts.emplace_back(
        Digit{.dim = dim.name, .div = low / dim.weight, .mod = rest ? 0 : mod},
        low / digit.div);
  }
  return parts;
}

// The terms of an axis, one or more for each; nullopt: one cannot be told so.
std::optional<std::vector<Term>> unfused(const std::vector<Term>& terms,
                                         const std::string& name,
                                         const std::vector<FusedDim>& dims) {
  std::vector<Term> made;
  for (const Term& term : terms) {
    if (term.digit.dim != name) {
      made.push_back(term);
      continue;
    }
    const std::optional<Parts> parts = parts_of(term.digit, dims);
    const bool natural = term.stride.kind == Step::Kind::natural;
    if (!parts || (!natural && term.stride.kind != Step::Kind::exact)) {
      return std::nullopt;
    }
    for (const auto& [digit, steps] : *parts) {
      Term part{.digit = digit, .stride = term.stride};
      if (!natural) part.stride.value *= steps;
      made.push_back(std::move(part));
    }
  }
  return made;
}

}  // namespace

Layout unfused(const Layout& layout) {
  Expression expression = layout.expression();
  if (expression.fused.size() != 1) return layout;
  const FusedIndex fused = expression.fused.front();
  const std::vector<FusedDim> dims = dims_of(fused.body, layout.shape());
  for (Axis& axis : expression.axes) {
    if (!axis.parts.empty()) return layout;
    auto terms = unfused(axis.terms, fused.name, dims);
    if (!terms) return layout;
    axis.terms = *std::move(terms);
  }
  expression.fused.clear();
  const Result<Layout> made =
      Layout::bind(expression, layout.shape(),
                   Binding{.element_bits = layout.element_bits()});
  return made && made->size_bits() == layout.size_bits() ? *made : layout;
}

}  // namespace stridewise::dialects
