// The printer of the notation: what it prints, the parser reads as the same.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// NOLINTBEGIN(misc-no-recursion): bodies hold digits and parts, which hold bodies

std::string print_body(const Body& body);

std::string print_primary(const Digit& digit) {
  if (!digit.fused.empty()) {
    return fmt::format("({})", print_body(digit.fused.front()));
  }
  if (digit.after != 0) {
    return fmt::format("({}+{}+{})", digit.dim, digit.bias, digit.after);
  }
  return digit.bias == 0 ? digit.dim
                         : fmt::format("({}+{})", digit.dim, digit.bias);
}

std::string print_unit(const Digit& digit) {
  std::string text = digit.reversed ? "~" : "";
  text += print_primary(digit);
  if (digit.share != Share::none) {
    text += fmt::format("{}{}", digit.share == Share::number ? "//" : "%%",
                        digit.shares);
  }
  if (digit.mod != 0) text += fmt::format("%{}", digit.div * digit.mod);
  if (digit.div != 1) text += fmt::format("/{}", digit.div);
  if (!digit.table.name.empty()) {
    text += fmt::format("<{}>", digit.table.name);
  } else if (!digit.table.empty()) {
    text += fmt::format("<{}>", fmt::join(digit.table.entries, ","));
  }
  return text;
}

std::string print_step(const Step& step) {
  switch (step.kind) {
    case Step::Kind::natural:
      return {};
    case Step::Kind::exact:
      return fmt::format(":{}", step.value);
    case Step::Kind::bytes:
      return fmt::format(":{}B", step.value);
    case Step::Kind::aligned:
      return fmt::format(":^{}B", step.value);
  }
  return {};
}

std::string print_term(const Term& term) {
  if (term.copies != 0) {
    return fmt::format("*{}{}", term.copies, print_step(term.stride));
  }
  if (!term.cuts.empty()) {
    return fmt::format("{}!{}", term.digit.dim, fmt::join(term.cuts, ","));
  }
  return print(term.digit) + print_step(term.stride);
}

std::string print_slice(const Slice& slice) {
  return slice.high < 0
             ? fmt::format("{} {}..", slice.dim, slice.low)
             : fmt::format("{} {}..{}", slice.dim, slice.low, slice.high);
}

std::string print_part(const Part& part) {
  std::string text = part.name;
  for (std::size_t k = 0; k < part.slices.size(); ++k) {
    text += (k == 0 ? "[" : ", ") + print_slice(part.slices[k]);
  }
  if (!part.slices.empty()) text += "]";
  if (!part.type.empty()) text += ":" + part.type;
  if (!text.empty()) text += " = ";
  return text + print_body(part.body);
}

std::string print_items(std::int64_t base, bool base_in_bytes,
                        const std::vector<Term>& terms,
                        const NestedList<Part>& parts) {
  std::string text;
  const auto add = [&text](const std::string& item) {
    text += (text.empty() ? "" : " ") + item;
  };
  if (base != 0) add(fmt::format("@{}{}", base, base_in_bytes ? "B" : ""));
  if (terms.empty() && parts.empty()) add("-");
  for (const Term& term : terms) add(print_term(term));
  std::string list;
  for (const Part& part : parts) {
    list += (list.empty() ? "{ " : " ; ") + print_part(part);
  }
  if (!list.empty()) add(list + " }");
  return text;
}

std::string print_body(const Body& body) {
  return print_items(body.base, body.base_in_bytes, body.terms, body.parts);
}

// NOLINTEND(misc-no-recursion)

std::string print_axis(const Axis& axis) {
  return (axis.name.empty() ? "" : axis.name + "=") +
         print_items(axis.base, axis.base_in_bytes, axis.terms, axis.parts);
}

std::string print_separator(const Step& pitch) {
  switch (pitch.kind) {
    case Step::Kind::exact:
    case Step::Kind::bytes:
      return fmt::format(" |{}B| ", pitch.value);
    case Step::Kind::aligned:
      return fmt::format(" |^{}B| ", pitch.value);
    case Step::Kind::natural:
      break;
  }
  return " | ";
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as above
std::string print(const Digit& digit) {
  std::string text = print_unit(digit);
  for (const Twist& twist : digit.twists) {
    text += twist.kind == Twist::Kind::exclusive_or ? '^'
            : twist.kind == Twist::Kind::plus       ? '+'
                                                    : '-';
    text += print_unit(twist.digit);
  }
  return text;
}

std::string print(const Term& term) { return print_term(term); }

std::string print(const Expression& expression) {
  std::string text;
  for (const FusedIndex& fused : expression.fused) {
    text += fmt::format("{} := {}; ", fused.name, print_body(fused.body));
  }
  for (std::size_t k = 0; k < expression.axes.size(); ++k) {
    if (k > 0) text += print_separator(expression.axes[k - 1].pitch);
    text += print_axis(expression.axes[k]);
  }
  return text;
}

}  // namespace stridewise
