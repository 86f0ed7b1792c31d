// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/utf8.hpp"
#include "layout/invalid.hpp"
#include "layout/walk.hpp"
#include "stridewise/element.hpp"

namespace stridewise::detail {
namespace {

constexpr int most_nested_parts = 64;  // of parts in parts
constexpr std::size_t max_variables_of_all = 1 << 16;

}  // namespace

// NOLINTBEGIN(misc-no-recursion): bodies hold bodies, most_nested_parts deep
Result<Walk::Extent> Walk::body(const BodyView& view, const Scope& scope,
                                Context context) {
  const auto cut = std::ranges::find_if(
      view.terms, [](const Term& term) { return !term.cuts.empty(); });
  const auto left =
      view.terms.first(static_cast<std::size_t>(cut - view.terms.begin()));
  if (left.size() > max_terms) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} digits; at most {} are supported",
                            view.terms.size(), max_terms));
  }
  const Result<std::vector<TwistedDigit>> digits =
      digits_of(left, scope, context);
  if (!digits) return unexpected(digits.error());
  const std::size_t first = drafts_.size();
  const bool is_cut = cut != view.terms.end();
  if (is_cut && cut->digit.dim == "#") context.bitwise = true;
  const Result<Extent> inner = is_cut ? cut_body(view, cut, scope, context)
                               : view.parts.empty()
                                   ? leaf(scope, context)
                                   : parts(view.parts, scope, context);
  if (!inner) return inner;
  Space space(inner->bits);
  const Result<std::int64_t> shift =
      add_terms(left, *digits, space, inner->unit, context.axis, first);
  if (!shift) return unexpected(shift.error());
  if (is_cut || !view.parts.empty()) {
    data_.parts_nest =
        data_.parts_nest && drafts_.nest(first, left.size(), inner->bits);
  }
  return add_base(view, *shift, space, inner->unit, first);
}

Result<Walk::Extent> Walk::leaf(const Scope& scope, const Context& context) {
  const std::int32_t bits = scope.find("#")->second;
  const Result<std::int32_t> tensor = tensor_of(context);
  if (!tensor) return unexpected(tensor.error());
  if (drafts_.size() >= max_pieces) {
    return fail(ErrorCode::unsupported,
                fmt::format("more than {} pieces", max_pieces));
  }
  Draft draft{.piece = {.tensor = *tensor}, .scope = scope};
  draft.piece.unit = context.bitwise ? 1 : variables_.at(bits).extent;
  draft.piece.bit_variable = context.bitwise ? -1 : bits;
  const std::int64_t unit = draft.piece.unit;
  drafts_.add(std::move(draft));
  return Extent{unit, unit};
}

Result<std::int32_t> Walk::tensor_of(const Context& context) {
  auto& tensors = data_.tensors;
  const auto same = std::ranges::find_if(tensors, [&](const TensorData& t) {
    return t.tensor.name == context.tensor;
  });
  if (same == tensors.end()) {
    tensors.push_back({.number = static_cast<std::int32_t>(tensors.size()),
                       .tensor = {.name = context.tensor,
                                  .type = context.type,
                                  .element_bits = context.element_bits,
                                  .bitwise = context.bitwise}});
    return tensors.back().number;
  }
  if (same->tensor.type != context.type) {
    return invalid(
        fmt::format("the parts of {} differ in type: {} and {}", context.tensor,
                    same->tensor.type.empty() ? "none" : same->tensor.type,
                    context.type.empty() ? "none" : context.type));
  }
  same->tensor.bitwise = same->tensor.bitwise || context.bitwise;
  return same->number;
}

Result<Walk::Extent> Walk::parts(const NestedList<Part>& list,
                                 const Scope& scope, const Context& context) {
  if (++depth_ > most_nested_parts) {
    return fail(ErrorCode::unsupported,
                fmt::format("more than {} parts in parts", most_nested_parts));
  }
  Checked size = 0;
  std::int64_t unit = -1;  // of all parts, while it is one
  for (const Part& part : list) {
    const Result<Extent> extent = one_part(part, scope, context, *size);
    if (!extent) return extent;
    size = add(*size, extent->bits);
    if (!size || *size > largest) return too_large("the size of the parts");
    // A slice without elements has none of any width.
    if (extent->bits == 0) continue;
    unit = unit < 0 || unit == extent->unit ? extent->unit : 0;
  }
  --depth_;
  return Extent{*size, std::max<std::int64_t>(unit, 0)};
}

// Gives the scope the part's slices of its dims; returns whether one is empty.
Result<bool> Walk::add_slices(const Part& part, Scope& scope) {
  bool empty = false;
  for (const Slice& slice : part.slices) {
    const auto dim = scope.find(slice.dim);
    if (dim == scope.end()) {
      return fail(ErrorCode::unknown_name,
                  fmt::format("a slice of '{}', which is no dim",
                              printable(slice.dim)));
    }
    const std::int64_t extent = variables_.at(dim->second).extent;
    if (variables_.at(dim->second).kind == Variable::Kind::fused) {
      return invalid(
          fmt::format("a slice of the fused index {}; slices are of "
                      "dims",
                      slice.dim));
    }
    const std::int64_t high =
        slice.high < 0 ? extent : std::min(slice.high, extent);
    empty = empty || slice.low >= high;
    dim->second = variables_.add_slice(
        dim->second, slice.low, std::max<std::int64_t>(high - slice.low, 0));
  }
  return empty;
}

Result<Walk::Extent> Walk::one_part(const Part& part, Scope scope,
                                    Context context, std::int64_t at) {
  if (!part.name.empty()) context.tensor = part.name;
  if (!part.type.empty()) {
    const Result<ElementType> type = parse_element_type(part.type);
    if (!type) return unexpected(type.error());
    context.type = part.type;
    context.element_bits = type->bits;
  }
  if (!part.name.empty() || !part.type.empty()) {
    if (context.bitwise) {
      return invalid(fmt::format(
          "a digit of # left of part {} is of another element's bits",
          part.name));
    }
    scope["#"] = bits_of(context.element_bits);
  }
  const Result<bool> empty = add_slices(part, scope);
  if (!empty) return unexpected(empty.error());
  // A slice beyond the end of its dim has no elements, and takes nothing.
  if (*empty) return Extent{0, 0};
  const std::size_t first = drafts_.size();
  const Body& body = part.body;
  const Result<Extent> extent = this->body(
      {body.base, body.base_in_bytes, body.terms, body.parts}, scope, context);
  if (extent) drafts_.move_from(first, at);
  return extent;
}

Result<Walk::Extent> Walk::cut_body(const BodyView& view,
                                    std::span<const Term>::iterator cut,
                                    const Scope& scope,
                                    const Context& context) {
  const auto found = scope.find(cut->digit.dim);
  if (found == scope.end()) {
    return fail(ErrorCode::unknown_name,
                fmt::format("a cut of '{}', which is no dim",
                            printable(cut->digit.dim)));
  }
  if (variables_.at(found->second).kind == Variable::Kind::fused) {
    return invalid(fmt::format("a cut of the fused index {}; cuts are of dims",
                               cut->digit.dim));
  }
  if (variables_.size() > max_variables_of_all) {
    return fail(ErrorCode::unsupported, "too many pieces");
  }
  const auto rest =
      view.terms.last(static_cast<std::size_t>(view.terms.end() - cut - 1));
  Extent all{0, 0};
  std::int64_t start = 0;
  const std::int64_t extent = variables_.at(found->second).extent;
  std::vector<std::int64_t> sizes = cut->cuts;
  sizes.push_back(0);  // of what is left
  for (const std::int64_t size : sizes) {
    if (size < 0) return invalid("a cut into pieces of negative size");
    const std::int64_t left = extent - start;
    const std::int64_t piece = size == 0 ? left : size;
    const std::int64_t count = piece == 0 ? 0 : left / piece;
    if (count == 0) continue;
    const Result<std::int64_t> bits =
        cut_pieces({0, false, rest, view.parts}, *cut, scope, context,
                   {start, piece, count, all.bits, size != 0}, all.unit);
    if (!bits) return unexpected(bits.error());
    all.bits = *bits;
    start += piece * count;
  }
  return all;
}

// Pieces of one size, one after the other; returns where they end.
Result<std::int64_t> Walk::cut_pieces(const BodyView& rest, const Term& cut,
                                      Scope scope, const Context& context,
                                      const Pieces& pieces,
                                      std::int64_t& unit) {
  std::int32_t& variable = scope.find(cut.digit.dim)->second;
  const std::int32_t whole =
      variables_.add_slice(variable, pieces.start, pieces.size * pieces.count);
  variable =
      pieces.count == 1 ? whole : variables_.add_rest(whole, pieces.size);
  const std::size_t first = drafts_.size();
  const Result<Extent> extent = body(rest, scope, context);
  if (!extent) return unexpected(extent.error());
  unit = extent->unit;
  const Checked end = add(pieces.at, mul(pieces.count, extent->bits));
  if (!end || *end > largest) return too_large("the size of the pieces");
  if (pieces.listed) {
    const TwistedDigit number{.unit = {.variable = whole,
                                       .div = Divider(pieces.size),
                                       .count = pieces.count,
                                       .extent = pieces.count}};
    drafts_.add_term({.digit = number,
                      .stride = extent->bits,
                      .axis = context.axis,
                      .written = cut},
                     first);
  }
  drafts_.move_from(first, pieces.at);
  return *end;
}
// NOLINTEND(misc-no-recursion)

}  // namespace stridewise::detail
