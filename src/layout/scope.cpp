// SPDX-License-Identifier: Apache-2.0
#include "layout/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/utf8.hpp"
#include "layout/invalid.hpp"

namespace stridewise::detail {
namespace {

constexpr int most_brackets = 64;  // of brackets in brackets

std::string names_of(const Scope& scope) {
  std::string names;
  for (const auto& [name, variable] : scope) {
    if (name != "#") names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

// check_sayable() has refused all other numbers that no text has.
Result<void> check_period(const Digit& digit) {
  const Checked period = mul(digit.div, std::max<std::int64_t>(digit.mod, 1));
  if (!period || *period > largest) {
    return too_large("the period of a digit of " + digit.dim);
  }
  return {};
}

}  // namespace

unexpected<Error> too_large(const std::string& what) {
  return fail(ErrorCode::overflow,
              what + " overflows 64 bits; no memory is that large");
}

std::int32_t Variables::add(Variable variable) {
  switch (variable.kind) {
    case Variable::Kind::dim:
      break;
    case Variable::Kind::bit:
      variable.of_bits = true;
      break;
    case Variable::Kind::slice:
    case Variable::Kind::rest:
      variable.of_bits = at(variable.source).of_bits;
      break;
    case Variable::Kind::fused:
      variable.of_bits = std::ranges::any_of(
          variable.fused,
          [&](const FusedTerm& term) { return speaks_of_bits(term.digit); });
      break;
  }
  all_.push_back(std::move(variable));
  return static_cast<std::int32_t>(all_.size() - 1);
}

std::int32_t Variables::add_slice(std::int32_t parent, std::int64_t low,
                                  std::int64_t extent) {
  return add(Variable{.kind = Variable::Kind::slice,
                      .source = parent,
                      .low = low,
                      .extent = extent,
                      .name = at(parent).name});
}

std::int32_t Variables::add_rest(std::int32_t parent, std::int64_t divisor) {
  return add(Variable{.kind = Variable::Kind::rest,
                      .source = parent,
                      .divisor = Divider(divisor),
                      .extent = divisor,
                      .name = at(parent).name});
}

// The extent of a coordinate is that of an axis: the larger of the largest extent x
// stride and the last value + 1.
Result<Variable> Variables::fuse(const Body& body, const Scope& scope) {
  if (!body.parts.empty() || body.base < 0 || body.base_in_bytes) {
    return invalid("a fused index is made of digits alone");
  }
  if (body.terms.size() > max_terms) {
    return fail(ErrorCode::unsupported,
                fmt::format("a fused index of {} digits; at most {} are "
                            "supported",
                            body.terms.size(), max_terms));
  }
  Variable variable{.kind = Variable::Kind::fused, .low = body.base};
  Checked space = 1;
  Checked last = 0;
  for (std::size_t k = body.terms.size(); k-- > 0;) {
    const Term& term = body.terms[k];
    const bool steps = term.stride.kind == Step::Kind::natural ||
                       term.stride.kind == Step::Kind::exact;
    if (term.copies != 0 || !term.cuts.empty() || !steps ||
        term.stride.value < 0) {
      return invalid(
          "a fused index is made of digits, and of strides that are numbers");
    }
    Result<TwistedDigit> digit = this->digit(term.digit, scope);
    if (!digit) return unexpected(digit.error());
    const std::int64_t extent = digit->extent();
    const std::int64_t stride =
        term.stride.kind == Step::Kind::exact ? term.stride.value : *space;
    const Checked reach = mul(extent, stride);
    last = stridewise::add(last,
                           mul(std::max<std::int64_t>(extent - 1, 0), stride));
    if (!reach || !last || *reach > largest || *last >= largest) {
      return too_large("a fused index");
    }
    space = std::max(*space, *reach);
    variable.fused.push_back({*std::move(digit), stride});
  }
  std::ranges::reverse(variable.fused);
  const Checked extent =
      stridewise::add(body.base, std::max(*space, *last + 1));
  if (!extent || *extent > largest) return too_large("a fused index");
  variable.extent = *extent;
  return variable;
}

Result<std::int32_t> Variables::add_fused(const Body& body, const Scope& scope,
                                          std::string name) {
  for (const Group& group : groups_) {
    if (name.empty() && group.body == body && group.scope == scope) {
      return group.variable;
    }
  }
  if (++depth_ > most_brackets) {
    --depth_;
    return fail(
        ErrorCode::unsupported,
        fmt::format("more than {} brackets in brackets", most_brackets));
  }
  Result<Variable> variable = fuse(body, scope);
  --depth_;
  if (!variable) return unexpected(variable.error());
  const bool named = !name.empty();
  variable->name = named ? std::move(name) : "(...)";
  const std::int32_t index = add(*std::move(variable));
  if (!named) groups_.push_back({body, scope, index});
  return index;
}

Result<std::int32_t> Variables::source(const Digit& digit, const Scope& scope) {
  if (!digit.fused.empty()) return add_fused(digit.fused.front(), scope, {});
  const auto found = scope.find(digit.dim);
  if (found != scope.end()) return found->second;
  return fail(ErrorCode::unknown_name,
              fmt::format("the layout has a dim '{}' that the shape ({}) does "
                          "not have",
                          printable(digit.dim), names_of(scope)));
}

Result<const BoundTable*> Variables::table(const Table& table,
                                           std::string_view dim) {
  if (!table.name.empty()) {
    if (const auto known = named_tables_.find(table.name);
        known != named_tables_.end()) {
      return known->second;
    }
  }
  const auto given = binding_.tables.find(table.name);
  if (!table.name.empty() && given == binding_.tables.end()) {
    return fail(
        ErrorCode::unknown_name,
        fmt::format("the entries of table {} are not given", table.name));
  }
  const auto& entries = table.name.empty() ? table.entries : given->second;
  const std::string name = table.name.empty()
                               ? fmt::format("the table of {}", dim)
                               : "table " + table.name;
  if (entries.size() > max_table_entries) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} has {} entries; at most {} are supported", name,
                            entries.size(), max_table_entries));
  }
  BoundTable bound{.entries = entries, .positions = {}};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k] < 0 || entries[k] >= largest) {
      return invalid(
          fmt::format("entry {} of {} is {}; entries are numbers below 2^62", k,
                      name, entries[k]));
    }
    bound.extent = std::max(bound.extent, entries[k] + 1);
    bound.positions.emplace_back(entries[k], static_cast<std::int64_t>(k));
  }
  std::ranges::sort(bound.positions);
  const auto same = std::ranges::adjacent_find(
      bound.positions, {}, &std::pair<std::int64_t, std::int64_t>::first);
  if (same != bound.positions.end()) {
    return invalid(
        fmt::format("{} is not one-to-one: entries {} and {} are both {}", name,
                    same->second, std::next(same)->second, same->first));
  }
  tables_.push_back(std::move(bound));
  if (!table.name.empty()) named_tables_.emplace(table.name, &tables_.back());
  return &tables_.back();
}

Result<void> Variables::look_up(const Digit& digit, Unit& unit) {
  if (digit.table.empty()) return {};
  const Result<const BoundTable*> found = table(digit.table, digit.dim);
  if (!found) return unexpected(found.error());
  const auto entries = static_cast<std::int64_t>((*found)->entries.size());
  if (entries < unit.count) {
    return invalid(
        fmt::format("a table of {} entries for the {} values of a "
                    "digit of {}",
                    entries, unit.count, at(unit.variable).name));
  }
  unit.table = *found;
  unit.extent = (*found)->extent;
  return {};
}

Result<Unit> Variables::unit(const Digit& digit, const Scope& scope) {
  if (auto checked = check_period(digit); !checked) {
    return unexpected(checked.error());
  }
  const Result<std::int32_t> variable = source(digit, scope);
  if (!variable) return unexpected(variable.error());
  Unit unit{.variable = *variable, .bias = digit.bias, .mod = digit.mod};
  const Variable& of = at(*variable);
  const Checked end =
      stridewise::add(stridewise::add(of.extent, digit.bias), digit.after);
  if (!end || *end > largest) {
    return too_large("the last index of " + of.name);
  }
  // Values of what div and mod apply to.
  std::int64_t values = of.extent == 0 ? 0 : *end;
  std::int64_t div = digit.div;
  if (digit.share != Share::none) {
    if (digit.bias != 0 || digit.after != 0) {
      return invalid("shares are of a dim, not of one with a bias");
    }
    const std::int64_t share =
        std::max<std::int64_t>(ceil_div(values, digit.shares), 1);
    if (digit.share == Share::number) {
      const Checked whole = mul(div, share);
      const Checked period = mul(whole, std::max<std::int64_t>(digit.mod, 1));
      if (!period || *period > largest) {
        return too_large("the shares of " + of.name);
      }
      div = *whole;
      values = values == 0 ? 0 : *mul(share, digit.shares);
    } else {
      unit.variable = add_rest(*variable, share);
      values = std::min(values, share);
    }
  }
  unit.div = Divider(div);
  unit.mod_divider = Divider(std::max<std::int64_t>(digit.mod, 1));
  unit.count = digit.mod != 0 ? digit.mod
               : values == 0  ? 0
                              : (values - 1) / div + 1;
  unit.reversed = digit.reversed;
  unit.extent = unit.count;
  if (auto looked = look_up(digit, unit); !looked) {
    return unexpected(looked.error());
  }
  return unit;
}

Result<void> Variables::check_twist(const Unit& left,
                                    const BoundTwist& twist) const {
  if (twist.kind != Twist::Kind::exclusive_or || left.extent == 0) return {};
  const std::string& name = at(left.variable).name;
  if (!std::has_single_bit(static_cast<std::uint64_t>(left.extent))) {
    return invalid(
        fmt::format("'^' needs a power of two on its left; the "
                    "digit of {} has {} values",
                    name, left.extent));
  }
  if (twist.unit.extent > left.extent) {
    return invalid(fmt::format(
        "'^' needs no more values on its right than on its left; the digit of "
        "{} has {}, that of {} {}",
        at(twist.unit.variable).name, twist.unit.extent, name, left.extent));
  }
  return {};
}

Result<TwistedDigit> Variables::digit(const Digit& digit, const Scope& scope) {
  Result<Unit> left = unit(digit, scope);
  if (!left) return unexpected(left.error());
  TwistedDigit twisted{.unit = *left, .twists = {}};
  if (digit.twists.size() > max_terms) {
    return fail(ErrorCode::unsupported, "a digit of too many twists");
  }
  for (const Twist& t : digit.twists) {
    Result<Unit> right = unit(t.digit, scope);
    if (!right) return unexpected(right.error());
    const BoundTwist bound{t.kind, *right};
    if (auto checked = check_twist(*left, bound); !checked) {
      return unexpected(checked.error());
    }
    twisted.twists.push_back(bound);
  }
  return twisted;
}

bool Variables::speaks_of_bits(const TwistedDigit& digit) const {
  return at(digit.unit.variable).of_bits ||
         std::ranges::any_of(digit.twists, [&](const BoundTwist& twist) {
           return at(twist.unit.variable).of_bits;
         });
}

}  // namespace stridewise::detail
