// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/checked.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {

Result<Digit> Digit::divided_by(std::int64_t k) const {
  if (k < 1) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("cannot divide {} by {}; it must be positive", dim, k));
  }
  Digit digit = *this;
  if (mod != 0) {
    if (mod % k != 0 && k < mod) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("/{} does not divide the {} values of this digit "
                              "of {}",
                              k, mod, dim));
    }
    digit.mod = std::max<std::int64_t>(mod / k, 1);
  }
  const Checked new_div = mul(div, k);
  if (!new_div) {
    return fail(ErrorCode::overflow,
                fmt::format("the divisor of {} overflows 64 bits", dim));
  }
  digit.div = *new_div;
  return digit;
}

Result<Digit> Digit::modulo(std::int64_t k) const {
  if (k < 1) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("cannot take {} modulo {}; it must be positive", dim, k));
  }
  Digit digit = *this;
  if (mod != 0 && k < mod && mod % k != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("%{} does not divide the {} values of this digit "
                            "of {}",
                            k, mod, dim));
  }
  if (mod == 0 || k < mod) digit.mod = k;
  if (!mul(digit.div, digit.mod)) {
    return fail(
        ErrorCode::overflow,
        fmt::format("the period of a digit of {} overflows 64 bits", dim));
  }
  return digit;
}

bool Digit::plain() const {
  return after == 0 && share == Share::none && !reversed && table.empty() &&
         twists.empty() && fused.empty();
}

namespace {

// Calls visit(digit) for each digit of a body, in the order of the text, those within
// others too.
class Visitor {
 public:
  using Visit = std::function<void(const Digit&)>;

  explicit Visitor(Visit visit) : visit_(std::move(visit)) {}

  // NOLINTBEGIN(misc-no-recursion): bodies hold digits, which hold bodies
  void digit(const Digit& digit) const {
    visit_(digit);
    for (const Body& fused : digit.fused) body(fused.terms, fused.parts);
    for (const Twist& twist : digit.twists) this->digit(twist.digit);
  }
  void body(const std::vector<Term>& terms,
            const NestedList<Part>& parts) const {
    for (const Term& term : terms) {
      if (term.copies == 0) digit(term.digit);
    }
    for (const Part& part : parts) body(part.body.terms, part.body.parts);
  }
  // NOLINTEND(misc-no-recursion)

  void expression(const Expression& expression) const {
    for (const FusedIndex& fused : expression.fused) {
      body(fused.body.terms, fused.body.parts);
    }
    for (const Axis& axis : expression.axes) body(axis.terms, axis.parts);
  }

 private:
  Visit visit_;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// NOLINTNEXTLINE(misc-no-recursion): parts hold parts
void add_parts(const NestedList<Part>& parts, std::vector<std::string>& names) {
  for (const Part& part : parts) {
    if (!part.name.empty()) add_once(names, part.name);
    add_parts(part.body.parts, names);
  }
}

}  // namespace

std::vector<std::string> Expression::dims() const {
  std::vector<std::string> names;
  const auto is_fused = [&](const std::string& name) {
    return std::ranges::find(fused, name, &FusedIndex::name) != fused.end();
  };
  Visitor([&](const Digit& digit) {
    if (digit.dim.empty() || digit.dim == "#" || is_fused(digit.dim)) return;
    add_once(names, digit.dim);
  }).expression(*this);
  return names;
}

std::vector<std::string> Expression::tables() const {
  std::vector<std::string> names;
  Visitor([&](const Digit& digit) {
    if (!digit.table.name.empty()) add_once(names, digit.table.name);
  }).expression(*this);
  return names;
}

std::vector<std::string> Expression::parts() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes) add_parts(axis.parts, names);
  return names;
}

bool Expression::plain() const {
  return fused.empty() && std::ranges::all_of(axes, [](const Axis& axis) {
           return axis.parts.empty() &&
                  std::ranges::all_of(axis.terms, [](const Term& term) {
                    return term.copies == 0 && term.cuts.empty() &&
                           term.digit.plain() && term.digit.dim != "#" &&
                           term.stride.kind != Step::Kind::bytes &&
                           term.stride.value >= 0;
                  });
         });
}

Result<std::int64_t> element_count(const Shape& shape) {
  Checked count = 1;
  bool empty = false;
  for (const Dim& dim : shape) {
    if (dim.extent < 0) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("the extent of {} is negative: {}", dim.name,
                              dim.extent));
    }
    empty = empty || dim.extent == 0;
    count = mul(count, std::max<std::int64_t>(dim.extent, 1));
  }
  if (!count) {
    return fail(ErrorCode::overflow,
                "the number of elements overflows 64 bits");
  }
  return empty ? 0 : *count;
}

}  // namespace stridewise
