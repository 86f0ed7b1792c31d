// SPDX-License-Identifier: Apache-2.0
#include "layout/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "layout/invalid.hpp"

namespace stridewise::detail {
namespace {}  // namespace

Result<void> Walk::build_scope() {
  for (std::size_t d = 0; d < data_.shape.size(); ++d) {
    scope_[data_.shape[d].name] =
        variables_.add({.kind = Variable::Kind::dim,
                        .source = static_cast<std::int32_t>(d),
                        .own_dim = static_cast<std::int32_t>(d),
                        .extent = data_.shape[d].extent,
                        .name = data_.shape[d].name});
  }
  scope_["#"] = bits_of(data_.binding.element_bits);
  if (data_.expression.fused.size() > max_terms) {
    return fail(ErrorCode::unsupported, "more fused indices than 64");
  }
  for (const FusedIndex& fused : data_.expression.fused) {
    if (scope_.contains(fused.name)) {
      return invalid(
          fmt::format("'{}' is a dim already; a fused index needs a name of "
                      "its own",
                      fused.name));
    }
    const Result<std::int32_t> variable =
        variables_.add_fused(fused.body, scope_, fused.name);
    if (!variable) return unexpected(variable.error());
    scope_[fused.name] = *variable;
  }
  return {};
}

std::int32_t Walk::bits_of(std::int64_t width) {
  const auto known = bit_variables_.find(width);
  if (known != bit_variables_.end()) return known->second;
  const std::int32_t variable = variables_.add(
      {.kind = Variable::Kind::bit, .extent = width, .name = "#"});
  bit_variables_.emplace(width, variable);
  return variable;
}

// A coordinate left of `inner` bits; returns what both take.
Result<std::int64_t> Walk::left_axis(std::size_t a, std::int64_t inner) {
  Axis& axis = data_.expression.axes[a];
  const bool cut = std::ranges::any_of(
      axis.terms, [](const Term& term) { return !term.cuts.empty(); });
  if (cut || !axis.parts.empty()) {
    return invalid("parts and cuts belong to the last axis");
  }
  const Result<std::int64_t> pitch =
      pitch_bits(axis.pitch, data_.axes[a].name, inner, drafts_.unit());
  if (!pitch) return pitch;
  data_.axes[a].pitch_bits = *pitch;
  if (axis.base_in_bytes) {
    const Checked bits = mul(axis.base, 8);
    if (!bits || *pitch == 0 || *bits % *pitch != 0) {
      return invalid(
          fmt::format("axis {} begins at byte {}, which is not a multiple "
                      "of its step of {} bytes",
                      data_.axes[a].name, axis.base, ceil_div(*pitch, 8)));
    }
    axis.base = *bits / *pitch;
    axis.base_in_bytes = false;
  }
  const auto number = static_cast<std::int32_t>(a);
  Context context{{}, {}, data_.binding.element_bits, false, number};
  const Result<std::vector<TwistedDigit>> digits =
      digits_of(axis.terms, scope_, context);
  if (!digits) return unexpected(digits.error());
  if (context.bitwise) return invalid("digits of # belong to the last axis");
  for (const Term& term : axis.terms) {
    const Checked bits = mul(term.stride.value, 8);
    if (term.stride.kind == Step::Kind::bytes && *pitch != 0 &&
        (!bits || *bits % *pitch != 0)) {
      return invalid(fmt::format(
          "a stride of {} bytes on axis {} is not a multiple of its step of {} "
          "bytes",
          term.stride.value, data_.axes[a].name, ceil_div(*pitch, 8)));
    }
  }
  Space space(*pitch);
  const Result<std::int64_t> below =
      add_terms(axis.terms, *digits, space, *pitch, number, 0);
  if (!below) return below;
  data_.parts_nest =
      data_.parts_nest && drafts_.nest(0, axis.terms.size(), *pitch);
  static const NestedList<Part> none;
  const Result<Extent> extent =
      add_base({axis.base, false, {}, none}, *below, space, *pitch, 0);
  if (!extent) return unexpected(extent.error());
  data_.axes[a].base = axis.base;
  data_.axes[a].extent = *pitch == 0 ? 0 : extent->bits / *pitch;
  return extent->bits;
}

Result<void> Walk::finish() {
  if (data_.tensors.empty()) {
    // No slice has an element.
    const Result<std::int32_t> tensor =
        tensor_of({{}, {}, data_.binding.element_bits, false, 0});
    if (!tensor) return unexpected(tensor.error());
  }
  Result<std::vector<Piece>> pieces = drafts_.finish(variables_);
  if (!pieces) return unexpected(pieces.error());
  data_.pieces = *std::move(pieces);
  return {};
}

Result<std::int64_t> Walk::run() {
  if (auto scope = build_scope(); !scope) return unexpected(scope.error());
  const std::size_t last = data_.expression.axes.size() - 1;
  Axis& axis = data_.expression.axes[last];
  const Result<Extent> inner =
      body({axis.base, axis.base_in_bytes, axis.terms, axis.parts}, scope_,
           {{},
            {},
            data_.binding.element_bits,
            false,
            static_cast<std::int32_t>(last)});
  if (!inner) return unexpected(inner.error());
  if (axis.base_in_bytes && inner->unit > 0 &&
      axis.base * 8 % inner->unit == 0) {
    axis.base = axis.base * 8 / inner->unit;
    axis.base_in_bytes = false;
  }
  std::int64_t size = inner->bits;
  for (std::size_t a = last; a-- > 0;) {
    const Result<std::int64_t> outer = left_axis(a, size);
    if (!outer) return unexpected(outer.error());
    size = *outer;
  }
  data_.size_bits = size;
  if (auto finished = finish(); !finished) {
    return unexpected(finished.error());
  }
  return inner->bits;
}

}  // namespace stridewise::detail
