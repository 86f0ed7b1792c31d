// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "layout/invalid.hpp"
#include "layout/walk.hpp"

namespace stridewise::detail {
namespace {

std::string name_of(const Term& term) {
  if (term.copies != 0) return fmt::format("*{}", term.copies);
  return term.digit.dim.empty() ? "(...)" : term.digit.dim;
}

}  // namespace

Result<std::vector<TwistedDigit>> Walk::digits_of(std::span<const Term> terms,
                                                  const Scope& scope,
                                                  Context& context) {
  std::vector<TwistedDigit> digits(terms.size());
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (terms[k].copies != 0) continue;
    Result<TwistedDigit> digit = variables_.digit(terms[k].digit, scope);
    if (!digit) return unexpected(digit.error());
    context.bitwise = context.bitwise || variables_.speaks_of_bits(*digit);
    digits[k] = *std::move(digit);
  }
  return digits;
}

Result<std::int64_t> Walk::add_terms(std::span<const Term> terms,
                                     const std::vector<TwistedDigit>& digits,
                                     Space& space, std::int64_t unit,
                                     std::int32_t axis, std::size_t first) {
  std::int64_t below = 0;
  for (std::size_t k = terms.size(); k-- > 0;) {
    PieceTerm term{.digit = digits[k],
                   .axis = axis,
                   .copies = terms[k].copies,
                   .written = terms[k]};
    if (term.copies < 0) return invalid("a negative number of copies");
    const Result<std::int64_t> stride =
        stride_bits(terms[k].stride, name_of(terms[k]), space.natural(), unit);
    if (!stride) return stride;
    term.stride = *stride;
    if (term.copies > 1 && *stride == 0) {
      return invalid(name_of(terms[k]) + " has all its copies in one place");
    }
    const std::int64_t extent = term.extent();
    if (*stride < 0) {
      const Result<std::int64_t> back = turn(terms[k], term);
      if (!back) return back;
      const Checked sum = add(below, *back);
      if (!sum || *sum > largest) {
        return too_large("the space of dim " + name_of(terms[k]));
      }
      below = *sum;
    }
    // A stride given for a dim of one index is never taken.
    const bool given = terms[k].stride.kind == Step::Kind::exact ||
                       terms[k].stride.kind == Step::Kind::bytes;
    if (!given || extent != 1 || !of_one_index(term)) {
      if (auto added = space.add(extent, term.stride, name_of(terms[k]));
          !added) {
        return unexpected(added.error());
      }
    }
    drafts_.add_term(term, first);
  }
  return below;
}

// Makes of a term backwards one forwards, of the digit reversed; returns how far it goes
// back.
Result<std::int64_t> Walk::turn(const Term& written, PieceTerm& term) const {
  if (term.copies != 0) return invalid("copies backwards");
  if (!term.digit.plain()) {
    return invalid(
        fmt::format("a stride backwards of a digit of {} that is "
                    "reversed, looked up or twisted: write ~ before "
                    "a digit instead",
                    name_of(written)));
  }
  term.stride = -term.stride;
  term.digit.unit.reversed = true;
  const Checked back =
      mul(std::max<std::int64_t>(term.extent() - 1, 0), term.stride);
  if (!back || *back > largest) {
    return too_large("the space of dim " + name_of(written));
  }
  return *back;
}

bool Walk::of_one_index(const PieceTerm& term) const {
  if (term.copies != 0 || !term.digit.twists.empty()) return false;
  const Variable& variable = variables_.at(term.digit.unit.variable);
  return variable.kind == Variable::Kind::dim && variable.extent <= 1 &&
         term.digit.unit.bias == 0 && term.written.digit.after == 0;
}

Result<Walk::Extent> Walk::add_base(const BodyView& view, std::int64_t below,
                                    const Space& space, std::int64_t unit,
                                    std::size_t first) {
  if (view.base < 0) {
    return invalid(fmt::format("a base of {}", view.base));
  }
  if (unit == 0 && view.base != 0 && !view.base_in_bytes) {
    return invalid(
        fmt::format("a base before parts whose elements differ in width: "
                    "write it in bytes, @{}B",
                    view.base));
  }
  Checked base = mul(view.base, view.base_in_bytes ? 8 : unit);
  if (!base || *base > largest) return too_large("a base");
  // Without a base, memory begins at the last element of what goes backwards.
  if (*base != 0) {
    if (*base < below) {
      return invalid(fmt::format(
          "strides go {} bytes back from a base at byte {}, before the "
          "memory",
          ceil_div(below, 8), *base / 8));
    }
    *base -= below;
  }
  const Checked size = add(*base, space.size());
  if (!size || *size > largest) return too_large("the size of the tensor");
  drafts_.move_from(first, *base);
  return Extent{*size, unit};
}

}  // namespace stridewise::detail
