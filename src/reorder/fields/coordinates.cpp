// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/coordinates.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include "base/checked.hpp"

namespace stridewise::detail {
namespace {

using Mask = std::vector<bool>;  // of coordinates

constexpr std::int64_t long_range = 4096;

const Variable& variable_at(const Side& side, std::int32_t k) {
  return side.piece->variables[static_cast<std::size_t>(k)];
}

// The dim that a variable is of by slices and cuts alone; nullopt for fused ones.
std::optional<std::size_t> dim_of(const Side& side, std::int32_t k) {
  for (;;) {
    const Variable& v = variable_at(side, k);
    switch (v.kind) {
      case Variable::Kind::dim:
        if (v.own_dim < 0) return std::nullopt;
        return side.dims[static_cast<std::size_t>(v.own_dim)];
      case Variable::Kind::bit:
        return side.dims.back();
      case Variable::Kind::fused:
        return std::nullopt;
      case Variable::Kind::slice:
      case Variable::Kind::rest:
        k = v.source;
    }
  }
}

// Calls visit(unit) for each unit of a digit and of the fused indices under it.
// NOLINTBEGIN(misc-no-recursion): variables are made of those before them
template <class Visit>
void each_unit(const Side& side, const TwistedDigit& digit,
               std::set<std::int32_t>& seen, const Visit& visit) {
  const auto enter = [&](const Unit& unit) {
    visit(unit);
    std::int32_t k = unit.variable;
    while (variable_at(side, k).kind == Variable::Kind::slice ||
           variable_at(side, k).kind == Variable::Kind::rest) {
      k = variable_at(side, k).source;
    }
    if (!seen.insert(k).second) return;
    for (const FusedTerm& term : variable_at(side, k).fused) {
      each_unit(side, term.digit, seen, visit);
    }
  };
  enter(digit.unit);
  for (const BoundTwist& twist : digit.twists) enter(twist.unit);
}
// NOLINTEND(misc-no-recursion)

template <class Visit>
void each_unit(const Side& side, const Visit& visit) {
  std::set<std::int32_t> seen;
  for (const PieceTerm& term : side.piece->terms) {
    if (term.copies == 0) each_unit(side, term.digit, seen, visit);
  }
}

// Where the digits of a dim in one piece begin and wrap; false where they are no plain
// ones of the dim itself.
bool add_boundaries(const Side& side, std::size_t dim,
                    std::set<std::int64_t>& boundaries) {
  bool plain = true;
  each_unit(side, [&](const Unit& unit) {
    const auto of = dim_of(side, unit.variable);
    if (!of || *of != dim) return;
    const Variable& v = variable_at(side, unit.variable);
    const bool itself = (v.kind == Variable::Kind::dim && v.scale == 1) ||
                        v.kind == Variable::Kind::bit;
    plain = plain && itself && unit.bias == 0;
    boundaries.insert(unit.div.value());
    if (unit.mod != 0) boundaries.insert(unit.div.value() * unit.mod);
  });
  for (const Variable& v : side.piece->variables) {
    if (v.kind == Variable::Kind::slice || v.kind == Variable::Kind::rest) {
      const auto of = dim_of(side, v.source);
      plain = plain && (!of || *of != dim);
    }
  }
  return plain;
}

// Fused indices mix dims: what they are made of is known as a whole alone.
class Coupling {
 public:
  Coupling(const Side& side, const std::vector<Coordinate>& coordinates,
           std::vector<std::size_t>& parents, std::vector<bool>& steps)
      : side_(side),
        coordinates_(coordinates),
        parents_(parents),
        steps_(steps) {}

  void run() {
    for (const PieceTerm& term : side_.piece->terms) {
      if (term.copies == 0) couple(term.digit);
    }
    // A slice of a fused index holds what no dim tells alone.
    for (const Variable& v : side_.piece->variables) {
      if (v.kind == Variable::Kind::slice && !dim_of(side_, v.source)) {
        join(mask_of(v.source));
      }
    }
  }

 private:
  void couple(const TwistedDigit& digit) {
    Mask all = mask_of(digit.unit);
    for (const BoundTwist& twist : digit.twists) add(mask_of(twist.unit), all);
    const bool adds_up =
        digit.twists.empty() && digit.unit.table == nullptr &&
        (dim_of(side_, digit.unit.variable).has_value() || is_sum(digit.unit));
    if (!adds_up) join(all);
    if (is_sum(digit.unit)) {
      for (const FusedTerm& term :
           variable_at(side_, digit.unit.variable).fused) {
        couple(term.digit);
      }
    }
  }

  // A fused index as it is: the sum of its digits.
  bool is_sum(const Unit& unit) const {
    return variable_at(side_, unit.variable).kind == Variable::Kind::fused &&
           unit.div.value() == 1 && unit.mod == 0 && unit.table == nullptr;
  }

  // NOLINTBEGIN(misc-no-recursion): variables are made of those before them
  Mask mask_of(const Unit& unit) const {
    const auto dim = dim_of(side_, unit.variable);
    const Variable& v = variable_at(side_, unit.variable);
    if (!dim) return mask_of(unit.variable);
    Mask mask(coordinates_.size(), false);
    const bool itself =
        unit.bias == 0 && ((v.kind == Variable::Kind::dim && v.scale == 1) ||
                           v.kind == Variable::Kind::bit);
    for (std::size_t c = 0; c < mask.size(); ++c) {
      const Coordinate& at = coordinates_[c];
      const bool within = at.div * at.extent > unit.div.value() &&
                          at.div < unit.digit().period();
      mask[c] = at.dim == *dim && (!itself || at.whole || within);
    }
    return mask;
  }

  Mask mask_of(std::int32_t k) const {
    const Variable& v = variable_at(side_, k);
    if (v.kind == Variable::Kind::slice || v.kind == Variable::Kind::rest) {
      return mask_of(v.source);
    }
    Mask mask(coordinates_.size(), false);
    if (const auto dim = dim_of(side_, k)) {
      for (std::size_t c = 0; c < mask.size(); ++c) {
        mask[c] = coordinates_[c].dim == *dim;
      }
    }
    for (const FusedTerm& term : v.fused) {
      add(mask_of(term.digit.unit), mask);
      for (const BoundTwist& twist : term.digit.twists) {
        add(mask_of(twist.unit), mask);
      }
    }
    return mask;
  }
  // NOLINTEND(misc-no-recursion)

  static void add(const Mask& more, Mask& to) {
    for (std::size_t c = 0; c < to.size(); ++c) to[c] = to[c] || more[c];
  }

  std::size_t root(std::size_t c) const {
    while (parents_[c] != c) c = parents_[c];
    return c;
  }

  void join(const Mask& mask) {
    for (std::size_t c = 0; c < mask.size(); ++c) {
      if (mask[c]) steps_[c] = false;
    }
    const auto first = std::ranges::find(mask, true);
    if (first == mask.end()) return;
    const std::size_t to = root(static_cast<std::size_t>(first - mask.begin()));
    for (std::size_t c = 0; c < mask.size(); ++c) {
      if (!mask[c]) continue;
      const std::size_t other = root(c);
      parents_[std::max(other, to)] = std::min(other, to);
      if (other < to) return join(mask);
    }
  }

  const Side& side_;
  const std::vector<Coordinate>& coordinates_;
  std::vector<std::size_t>& parents_;
  std::vector<bool>& steps_;
};

}  // namespace

std::vector<Ranges> ranges_of(const Side& src, const Side& dst,
                              std::span<const std::int64_t> extents) {
  std::vector<Ranges> ranges;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::set<std::int64_t> boundaries = {1};
    bool plain = add_boundaries(src, d, boundaries);
    plain = add_boundaries(dst, d, boundaries) && plain;
    std::erase_if(boundaries, [&](std::int64_t b) { return b > extents[d]; });
    // A long dim is taken apart even where no digit is.
    if (*boundaries.rbegin() < extents[d] / long_range) {
      boundaries.insert(*boundaries.rbegin() * long_range);
    }
    std::int64_t before = 1;
    for (const std::int64_t b : boundaries) {
      plain = plain && b % before == 0;
      before = b;
    }
    if (!plain || extents[d] == 0) {
      ranges.push_back({{{d, 1, extents[d], 0, true}}});
      continue;
    }
    const std::int64_t end = extents[d] / before * before;
    std::vector<Coordinate> main;
    for (auto b = boundaries.rbegin(); b != boundaries.rend(); ++b) {
      const std::int64_t above = b == boundaries.rbegin() ? end : *std::prev(b);
      main.push_back({d, *b, above / *b});
    }
    ranges.push_back({std::move(main)});
    if (end < extents[d]) {
      ranges.back().push_back({{d, 1, extents[d] - end, end, true}});
    }
  }
  return ranges;
}

std::vector<Group> groups_of(const Side& src, const Side& dst,
                             const std::vector<Coordinate>& coordinates) {
  std::vector<std::size_t> parents(coordinates.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  std::vector<bool> steps(coordinates.size(), true);
  Coupling(src, coordinates, parents, steps).run();
  Coupling(dst, coordinates, parents, steps).run();
  std::vector<Group> groups;
  std::vector<std::size_t> number(coordinates.size(), coordinates.size());
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    std::size_t root = c;
    while (parents[root] != root) root = parents[root];
    if (number[root] == coordinates.size()) {
      number[root] = groups.size();
      groups.emplace_back();
    }
    Group& group = groups[number[root]];
    group.coordinates.push_back(c);
    group.steps =
        group.coordinates.size() == 1 && steps[c] && !coordinates[c].whole;
  }
  return groups;
}

bool holds(const Side& side, std::size_t dim, std::int64_t x) {
  const auto& variables = side.piece->variables;
  std::array<std::int64_t, max_variables> values;  // NOLINT: filled below
  std::array<bool, max_variables> known{};
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const Variable& v = variables[k];
    const auto source = static_cast<std::size_t>(v.source);
    if (v.kind == Variable::Kind::dim || v.kind == Variable::Kind::bit) {
      const auto of = dim_of(side, static_cast<std::int32_t>(k));
      known[k] = of && *of == dim;
      values[k] = x * v.scale;
    } else if (v.kind == Variable::Kind::slice && known[source]) {
      known[k] = true;
      values[k] = values[source] - v.low;
      if (values[k] < 0 || values[k] >= v.extent) return false;
    } else if (v.kind == Variable::Kind::rest && known[source]) {
      known[k] = true;
      values[k] = v.divisor.remainder(values[source]);
    }
  }
  return true;
}

}  // namespace stridewise::detail
