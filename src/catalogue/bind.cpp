// A LayoutSource -> a bound Layout, once the preconditions of its vendor are met.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "catalogue/arithmetic.hpp"
#include "catalogue/instantiate.hpp"
#include "layout/rename.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

bool holds(std::int64_t left, CatalogueCheck::Relation relation,
           std::int64_t right) {
  switch (relation) {
    case CatalogueCheck::Relation::equal:
      return left == right;
    case CatalogueCheck::Relation::at_most:
      return left <= right;
    case CatalogueCheck::Relation::less:
      return left < right;
  }
  return false;
}

Result<void> run_check(const LayoutSource& source, const CatalogueCheck& check,
                       const NamedNumbers& values) {
  const Result<std::int64_t> left = evaluate(check.left, values);
  const Result<std::int64_t> right = evaluate(check.right, values);
  if (!left || !right) {
    return fail(left ? right.error().code : left.error().code,
                fmt::format("{}: {}", source.name,
                            (left ? right : left).error().message));
  }
  if (holds(*left, check.relation, *right)) return {};
  return fail(ErrorCode::invalid_value,
              fmt::format("{}: {} ({} is {})", source.name, check.message,
                          check.left, *left));
}

Result<void> check_dims(const LayoutSource& source, const Shape& shape) {
  for (const std::string& dim : source.dims) {
    if (std::ranges::find(shape, dim, &Dim::name) == shape.end()) {
      return fail(ErrorCode::mismatch,
                  fmt::format("{} has dim '{}', which the shape ({}) lacks",
                              source.name, dim, print(shape)));
    }
  }
  return {};
}

// That the shape is the one that the text itself tells.
Result<void> check_extents(const LayoutSource& source, const Shape& shape) {
  if (source.elements != 0) {
    const Result<std::int64_t> elements = element_count(shape);
    if (!elements) return unexpected(elements.error());
    if (*elements != source.elements) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("{} is of {} elements, but the shape {} of {}",
                      source.name, source.elements, print(shape), *elements));
    }
  }
  for (std::size_t d = 0; d < source.extents.size(); ++d) {
    const auto dim = std::ranges::find(shape, source.dims[d], &Dim::name);
    if (dim->extent == source.extents[d]) continue;
    return fail(ErrorCode::mismatch,
                fmt::format("{} is of {}={}, but the shape is {}", source.name,
                            dim->name, source.extents[d], print(shape)));
  }
  return {};
}

}  // namespace

Result<Layout> LayoutSource::bind(const Shape& shape,
                                  std::int64_t element_bytes) const {
  return bind(shape, Binding{.element_bits = saturated(mul(element_bytes, 8))});
}

Result<Expression> LayoutSource::expression_for(const Shape& shape,
                                                const Binding& binding) const {
  if (auto dims_known = check_dims(*this, shape); !dims_known) {
    return unexpected(dims_known.error());
  }
  if (element_bits != 0 && element_bits != binding.element_bits) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} is of elements of {} bits, not of {}", name,
                            element_bits, binding.element_bits));
  }
  if (auto same = check_extents(*this, shape); !same) {
    return unexpected(same.error());
  }
  if (entry == nullptr || entry->dims.empty()) return expression;
  NamedNumbers all = numbers_of(shape, binding.element_bits);
  std::string culprit;
  Result<Instance> instance = fill_in(*entry, arguments, all, culprit);
  if (!instance) return unexpected(instance.error());
  for (const auto& [param, value] : instance->values) {
    all.insert_or_assign(param, value);
  }
  for (const CatalogueCheck& check : entry->checks) {
    const bool applies = check.when.empty() ||
                         std::ranges::find(instance->choices, check.when) !=
                             instance->choices.end();
    if (!applies) continue;
    if (auto checked = run_check(*this, check, all); !checked) {
      return unexpected(checked.error());
    }
  }
  return std::move(instance->expression);
}

Result<Layout> LayoutSource::bind(const Shape& shape,
                                  const Binding& binding) const {
  const Result<Expression> bound = expression_for(shape, binding);
  if (!bound) return unexpected(bound.error());
  Result<Layout> layout = Layout::bind(*bound, shape, binding);
  if (!layout && !name.empty()) {
    layout.error().message = name + ": " + layout.error().message;
  }
  return layout;
}

}  // namespace stridewise
