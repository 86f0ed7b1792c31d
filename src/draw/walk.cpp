// SPDX-License-Identifier: Apache-2.0
#include "draw/walk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "draw/axis.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {
namespace {

using Index = std::vector<std::int64_t>;

// Places that are passed on the way to the next element, and indices tried for
// the first one.
constexpr std::int64_t most_padding = 1 << 16;
constexpr std::int64_t most_indices = 1 << 20;

std::int64_t value_of(const BoundTerm& term, std::int64_t x) {
  const std::int64_t value = (x + term.bias) / term.div;
  return term.mod == 0 ? value : value % term.mod;
}

// The element that comes first in memory. Each dim adds to the offset on its
// own; only one with a bias may begin elsewhere than at its index 0.
Index first_element(const Layout& layout) {
  Index index(layout.shape().size(), 0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    const auto offset = [&](std::int64_t x) {
      std::int64_t sum = 0;
      for (const BoundTerm& term : layout.terms()) {
        if (static_cast<std::size_t>(term.dim) != d) continue;
        sum += value_of(term, x) * term.flat_stride;
      }
      return sum;
    };
    const std::int64_t count = std::min(layout.shape()[d].extent, most_indices);
    std::int64_t least = offset(0);
    for (std::int64_t x = 1; x < count && least > 0; ++x) {
      if (offset(x) >= least) continue;
      least = offset(x);
      index[d] = x;
    }
  }
  return index;
}

// The element nearest to a place: from it on, or before it.
std::optional<Index> nearest_element(const Layout& layout, std::int64_t from,
                                     std::int64_t end, std::int64_t by) {
  Index index(layout.shape().size());
  for (std::int64_t k = 0; k < most_padding; ++k) {
    const std::int64_t at = from + k * by;
    if (at == end) break;
    if (layout.element_at(at, index) == Place::element) return index;
  }
  return std::nullopt;
}

}  // namespace

bool is_run(const PictureJump& jump) { return jump.name.ends_with(":0"); }

std::size_t tagged_cell(const PictureJump& jump) {
  return is_run(jump) ? jump.from : jump.to;
}

Walk walk_of(const Layout& layout) {
  Walk walk;
  if (layout.elements() == 0 || !all_nested(layout)) return walk;
  std::vector<BoundTerm> terms;
  for (const BoundTerm& term : layout.terms()) {
    if (term.extent > 1) terms.push_back(term);
  }
  std::ranges::stable_sort(terms, {}, &BoundTerm::flat_stride);
  const Index first = first_element(layout);
  // Where all digits so far are 0 and the outer ones those of the first element.
  std::int64_t begin = layout.offset(first);
  for (std::size_t level = 0; level < terms.size(); ++level) {
    const BoundTerm& term = terms[level];
    walk.digits.push_back(print(digit_of(layout, term)));
    const std::int64_t value =
        value_of(term, first[static_cast<std::size_t>(term.dim)]);
    begin -= value * term.flat_stride;
    const std::int64_t last = begin + (term.extent - 1) * term.flat_stride;
    if (level == 0) {
      if (auto end = nearest_element(layout, last, -1, -1)) {
        walk.steps.push_back({level, first, *std::move(end)});
      }
      continue;
    }
    if (value + 1 == term.extent) continue;
    const std::int64_t next = begin + (value + 1) * term.flat_stride;
    auto to = nearest_element(
        layout, next, std::min(last + term.flat_stride, layout.places()), 1);
    if (!to) continue;
    auto from = nearest_element(layout, layout.offset(*to) - 1, -1, -1);
    if (!from) continue;
    walk.steps.push_back({level, *std::move(from), *std::move(to)});
  }
  return walk;
}

}  // namespace stridewise::draw
