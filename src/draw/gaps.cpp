// SPDX-License-Identifier: Apache-2.0
#include "draw/gaps.hpp"

#include <algorithm>
#include <optional>

#include "base/checked.hpp"

namespace stridewise::draw {
namespace {

// The first used position from `at` on, both counted from the base. Pre: nested.
std::optional<std::int64_t> next_used(std::span<const AxisTerm> terms,
                                      std::int64_t at) {
  if (at <= 0) return 0;
  if (terms.empty()) return std::nullopt;
  const AxisTerm& term = terms.front();
  const std::int64_t value = at / term.stride;
  if (value >= term.extent) return std::nullopt;
  const std::int64_t begin = value * term.stride;
  if (const auto within = next_used(terms.subspan(1), at - begin)) {
    return begin + *within;
  }
  if (value + 1 == term.extent) return std::nullopt;
  return begin + term.stride;
}

}  // namespace

std::int64_t next_used_unit(std::span<const AxisTerm> terms,
                            const AxisView& view, std::int64_t unit,
                            std::int64_t used) {
  const std::int64_t units = ceil_div(view.extent, view.unit);
  if (!nested(terms)) return unit < used ? unit : units;
  const auto next = next_used(terms, unit * view.unit - view.base);
  return next ? std::min((view.base + *next) / view.unit, units) : units;
}

std::vector<Units> long_gaps(std::span<const AxisTerm> terms,
                             const AxisView& view, std::int64_t units,
                             std::int64_t used) {
  std::vector<Units> gaps;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    if (end - begin > few_gaps) gaps.push_back({begin, end});
  };
  std::int64_t first = 0;
  if (used > view.budget) {  // a large axis: the end alone
    first = used;
    std::int64_t last = view.base;
    for (const AxisTerm& term : terms) last += (term.extent - 1) * term.stride;
    if (nested(terms)) first = last / view.unit + 1;
  }
  for (std::int64_t unit = first; unit < units; ++unit) {
    const std::int64_t end = next_used_unit(terms, view, unit, used);
    add(unit, end);
    unit = end;
  }
  return gaps;
}

}  // namespace stridewise::draw
