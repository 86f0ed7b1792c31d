// SPDX-License-Identifier: Apache-2.0
#include "layout/sayable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/identifier.hpp"
#include "base/utf8.hpp"
#include "layout/invalid.hpp"
#include "stridewise/element.hpp"

namespace stridewise::detail {
namespace {

using Checks = std::initializer_list<std::pair<bool, const char*>>;

// The first that does not hold is the error.
Result<void> first_of(const Checks& faults) {
  for (const auto& [is_there, what] : faults) {
    if (is_there) return invalid(what);
  }
  return {};
}

// NOLINTBEGIN(misc-no-recursion): bodies hold digits, which hold bodies

Result<void> check_body(const std::vector<Term>& terms,
                        const NestedList<Part>& parts);

Result<void> check_digit(const Digit& digit) {
  const bool fused = !digit.fused.empty();
  if (auto fault = first_of(
          {{digit.fused.size() > 1, "a digit of two fused indices"},
           {digit.bias < 0 || digit.after < 0, "a bias less than 0"},
           {fused && (digit.bias != 0 || digit.after != 0),
            "a bias of a fused index in brackets: give it a name, or its "
            "digits the bias"},
           {digit.dim == "#" && (digit.bias != 0 || digit.after != 0),
            "a bias of the bit #"},
           {digit.share != Share::none && (digit.bias != 0 || digit.after != 0),
            "shares of a dim with a bias"},
           {digit.share != Share::none && digit.shares < 1,
            "less than one share"},
           {std::ranges::any_of(digit.table.entries,
                                [](std::int64_t entry) { return entry < 0; }),
            "an entry of a table that is less than 0"},
           {fused && digit.fused.front().base < 0, "a base before 0"},
           {!digit.table.name.empty() && !digit.table.entries.empty(),
            "a table with a name and with entries"}});
      !fault) {
    return fault;
  }
  if (!fused && digit.dim != "#") {
    if (auto fault = check_identifier("dim", digit.dim); !fault) return fault;
  }
  if (digit.div < 1 || digit.mod < 0) {
    return invalid("a digit that divides by less than 1");
  }
  // Texts have the modulus of what is not divided yet.
  if (!mul(digit.div, digit.mod)) {
    return invalid("a digit whose period does not fit 64 bits");
  }
  if (!digit.table.name.empty()) {
    if (auto fault = check_identifier("table", digit.table.name); !fault) {
      return fault;
    }
  }
  if (fused) {
    const Body& body = digit.fused.front();
    if (auto fault = check_body(body.terms, body.parts); !fault) return fault;
  }
  for (const Twist& twist : digit.twists) {
    if (!twist.digit.twists.empty()) return invalid("a twist of a twist");
    if (auto fault = check_digit(twist.digit); !fault) return fault;
  }
  return {};
}

// Also of what no index of these sizes reaches.
Result<void> check_part(const Part& part) {
  if (part.body.base < 0) return invalid("a base before 0");
  if (!part.name.empty()) {
    if (auto fault = check_identifier("part", part.name); !fault) return fault;
  }
  if (!part.type.empty()) {
    if (const auto type = parse_element_type(part.type); !type) {
      return unexpected(type.error());
    }
  }
  for (const Slice& slice : part.slices) {
    if (slice.dim == "#") continue;
    if (auto fault = check_identifier("dim", slice.dim); !fault) return fault;
  }
  if (std::ranges::any_of(part.slices, [](const Slice& slice) {
        return slice.low < 0 || (slice.high >= 0 && slice.high <= slice.low);
      })) {
    return invalid("a slice that ends where it begins, or before");
  }
  return {};
}

Result<void> check_term(const Term& term) {
  if (term.stride.kind == Step::Kind::aligned && term.stride.value < 1) {
    return invalid(
        fmt::format("a stride that is aligned to {} bytes", term.stride.value));
  }
  if (term.stride.value == std::numeric_limits<std::int64_t>::min()) {
    return invalid("a stride that does not fit 64 bits");
  }
  if (term.copies < 0) return invalid("copies that are less than none");
  if (term.copies == 0 && term.cuts.empty()) return check_digit(term.digit);
  const bool cut = !term.cuts.empty();
  const Digit& digit = term.digit;
  const bool dim_alone =
      digit.plain() && digit.bias == 0 && digit.div == 1 && digit.mod == 0;
  if (cut) {
    if (auto fault = check_identifier("dim", digit.dim); !fault) return fault;
  }
  return first_of(
      {{cut && term.copies != 0, "copies of a cut"},
       {cut && std::ranges::min(term.cuts) < 1, "a cut into pieces of no size"},
       {cut && !dim_alone, "a cut of what is no dim"},
       {cut && term.stride.kind != Step::Kind::natural, "a stride of a cut"}});
}

Result<void> check_body(const std::vector<Term>& terms,
                        const NestedList<Part>& parts) {
  for (const Term& term : terms) {
    if (auto fault = check_term(term); !fault) return fault;
  }
  for (const Part& part : parts) {
    if (auto fault = check_part(part); !fault) return fault;
    if (auto fault = check_body(part.body.terms, part.body.parts); !fault) {
      return fault;
    }
  }
  return {};
}

// NOLINTEND(misc-no-recursion)

}  // namespace

Result<void> check_identifier(const char* what, const std::string& name) {
  if (is_identifier(name)) return {};
  return invalid(
      fmt::format("the {} '{}' is no identifier: letters, digits and "
                  "'_', not a digit first",
                  what, printable(name)));
}

Result<void> check_sayable(const Expression& expression) {
  for (const FusedIndex& fused : expression.fused) {
    if (fused.body.base < 0) return invalid("a base before 0");
    if (auto fault = check_body(fused.body.terms, fused.body.parts); !fault) {
      return fault;
    }
  }
  for (const Axis& axis : expression.axes) {
    if (auto fault = check_body(axis.terms, axis.parts); !fault) return fault;
  }
  if (!expression.axes.empty() &&
      expression.axes.back().pitch.kind != Step::Kind::natural) {
    return invalid("a pitch of the last axis, which nothing follows");
  }
  return {};
}

}  // namespace stridewise::detail
