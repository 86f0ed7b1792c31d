// Expression + sizes -> numbers: extents, strides, pitches, size.
// Works from the last axis to the first, because a pitch is what lies right of
// it, and in an axis from the last term to the first, for the same reason.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "base/identifier.hpp"
#include "base/utf8.hpp"
#include "layout/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {
namespace {

using detail::LayoutData;

unexpected<Error> overflow(const std::string& what) {
  return fail(ErrorCode::overflow,
              what + " overflows 64 bits; no memory is that large");
}

std::string print_dims(const Shape& shape) {
  std::string text;
  for (const Dim& dim : shape) {
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : ",", dim.name, dim.extent);
  }
  return text;
}

std::string axis_name(const Expression& expression, std::size_t k) {
  const Axis& axis = expression.axes[k];
  if (!axis.name.empty()) return axis.name;
  const bool last = k + 1 == expression.axes.size();
  const bool taken = std::ranges::any_of(
      expression.axes, [](const Axis& a) { return a.name == "offset"; });
  return last && !taken ? "offset" : fmt::format("axis{}", k);
}

// What the parser never lets pass, for expressions built by hand.
Result<void> check_numbers(const Term& term) {
  const Digit& digit = term.digit;
  const bool aligned = term.stride.kind == Step::Kind::aligned;
  if (digit.bias < 0 || digit.div < 1 || digit.mod < 0 ||
      term.stride.value < (aligned ? 1 : 0)) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a digit of {} with bias {}, divisor {}, modulus "
                            "{} and stride {}",
                            digit.dim, digit.bias, digit.div, digit.mod,
                            term.stride.value));
  }
  const Checked period = mul(digit.div, std::max<std::int64_t>(digit.mod, 1));
  if (!period || *period > largest) {
    return overflow("the period of a digit of " + digit.dim);
  }
  return {};
}

Result<std::int64_t> digit_extent(const Digit& digit, const Dim& dim) {
  const Checked end = add(dim.extent, digit.bias);
  if (!end || *end > largest) return overflow("the last index of " + dim.name);
  if (digit.mod != 0) return digit.mod;
  return dim.extent == 0 ? 0 : (*end - 1) / digit.div + 1;
}

// The stride of a term whose right neighbours take `natural` steps of an axis
// of which each step is `step_bytes`.
Result<std::int64_t> resolve_stride(const Term& term, std::int64_t natural,
                                    std::int64_t step_bytes) {
  switch (term.stride.kind) {
    case Step::Kind::natural:
      return natural;
    case Step::Kind::exact:
      return term.stride.value;
    case Step::Kind::aligned:
      break;
  }
  const Checked unit = lcm(term.stride.value, step_bytes);
  if (!unit) return overflow("the alignment of " + term.digit.dim);
  const Checked bytes = round_up(mul(natural, step_bytes), *unit);
  if (!bytes) return overflow("the aligned stride of " + term.digit.dim);
  return *bytes / step_bytes;
}

Result<std::int64_t> resolve_pitch(const Step& pitch, const std::string& axis,
                                   std::int64_t natural_bytes,
                                   std::int64_t element_bytes) {
  if (pitch.kind == Step::Kind::natural) return natural_bytes;
  if (pitch.value < 1) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a pitch of {} bytes", pitch.value));
  }
  if (pitch.kind == Step::Kind::aligned) {
    const Checked unit = lcm(pitch.value, element_bytes);
    const Checked bytes = unit ? round_up(natural_bytes, *unit) : std::nullopt;
    if (!bytes) return overflow("the aligned pitch of axis " + axis);
    return *bytes;
  }
  if (pitch.value < natural_bytes) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("each {} takes {} bytes, more than the {} bytes from one "
                    "to the next",
                    axis, natural_bytes, pitch.value));
  }
  if (pitch.value % element_bytes != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("the pitch of axis {}, {} bytes, is not a multiple "
                            "of the element's {} bytes",
                            axis, pitch.value, element_bytes));
  }
  return pitch.value;
}

// Binds the terms of one axis; appends them to data.terms (slowest first) and
// returns base + the larger of (largest extent x stride) and (last + 1).
Result<std::int64_t> bind_terms(LayoutData& data, const Axis& axis,
                                std::int32_t axis_index) {
  const BoundAxis& bound_axis = data.axes[static_cast<std::size_t>(axis_index)];
  const std::size_t count = axis.terms.size();
  std::vector<BoundTerm> bound(count);
  Checked space = 1;  // largest extent x stride so far
  Checked last = 0;   // last position so far
  for (std::size_t k = count; k-- > 0;) {
    const Term& term = axis.terms[k];
    const auto dim = std::ranges::find(data.shape, term.digit.dim, &Dim::name);
    if (dim == data.shape.end()) {
      return fail(ErrorCode::unknown_name,
                  fmt::format("the layout has a dim '{}' that the shape ({}) "
                              "does not have",
                              term.digit.dim, print_dims(data.shape)));
    }
    if (auto checked = check_numbers(term); !checked) {
      return unexpected(checked.error());
    }
    const Result<std::int64_t> extent = digit_extent(term.digit, *dim);
    if (!extent) return unexpected(extent.error());
    const Result<std::int64_t> stride =
        resolve_stride(term, *space, bound_axis.pitch_bytes);
    if (!stride) return unexpected(stride.error());
    const Checked reach = mul(*extent, *stride);
    last = add(last, mul(std::max<std::int64_t>(*extent - 1, 0), *stride));
    if (!reach || !last || *last >= largest) {
      return overflow("the space of dim " + dim->name);
    }
    space = std::max(*space, *reach);
    bound[k] =
        BoundTerm{.axis = axis_index,
                  .dim = static_cast<std::int32_t>(dim - data.shape.begin()),
                  .bias = term.digit.bias,
                  .div = term.digit.div,
                  .mod = term.digit.mod,
                  .extent = *extent,
                  .stride = *stride,
                  .flat_stride = 0};
  }
  data.terms.insert(data.terms.end(), bound.begin(), bound.end());
  const Checked extent =
      add(bound_axis.base, std::max(*space, add(last, 1).value_or(largest)));
  if (!extent) return overflow("the extent of an axis");
  return *extent;
}

Result<void> bind_axes(LayoutData& data) {
  const std::size_t count = data.expression.axes.size();
  data.axes.resize(count);
  std::int64_t natural_bytes = data.element_bytes;
  for (std::size_t k = count; k-- > 0;) {
    Axis& axis = data.expression.axes[k];
    BoundAxis& bound = data.axes[k];
    bound.name = axis_name(data.expression, k);
    const Result<std::int64_t> pitch = resolve_pitch(
        axis.pitch, bound.name, natural_bytes, data.element_bytes);
    if (!pitch) return unexpected(pitch.error());
    bound.pitch_bytes = *pitch;
    if (axis.base < 0) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("axis {} begins at {}", bound.name, axis.base));
    }
    if (axis.base_in_bytes) {
      if (axis.base % *pitch != 0) {
        return fail(ErrorCode::invalid_value,
                    fmt::format("axis {} begins at byte {}, which is not a "
                                "multiple of its step of {} bytes",
                                bound.name, axis.base, *pitch));
      }
      axis.base /= *pitch;
      axis.base_in_bytes = false;
    }
    bound.base = axis.base;
    const Result<std::int64_t> extent =
        bind_terms(data, axis, static_cast<std::int32_t>(k));
    if (!extent) return unexpected(extent.error());
    bound.extent = *extent;
    const Checked bytes = mul(*extent, *pitch);
    if (!bytes || *bytes > largest) return overflow("the size of the tensor");
    natural_bytes = *bytes;
  }
  data.places = data.elements == 0 ? 0 : natural_bytes / data.element_bytes;
  // Terms were appended axis by axis from the last: restore memory order.
  std::ranges::stable_sort(data.terms, {}, &BoundTerm::axis);
  return {};
}

// Everything below fits 64 bits because each place lies under `places`.
void flatten(LayoutData& data) {
  for (const BoundAxis& axis : data.axes) {
    data.base_offset += axis.base * (axis.pitch_bytes / data.element_bytes);
  }
  for (BoundTerm& term : data.terms) {
    const std::int64_t pitch =
        data.axes[static_cast<std::size_t>(term.axis)].pitch_bytes /
        data.element_bytes;
    // A stride of a digit with one value may be any number: it is never taken.
    term.flat_stride = mul(term.stride, pitch).value_or(0);
    data.flat_terms.push_back(
        detail::FlatTerm{.bias = term.bias,
                         .flat_stride = term.flat_stride,
                         .div = Divider(term.div),
                         .mod = Divider(std::max<std::int64_t>(term.mod, 1)),
                         .dim = term.dim,
                         .has_div = term.div != 1,
                         .has_mod = term.mod != 0});
  }
}

// Names stand in emitted code and in pages as they are.
Result<void> check_identifier(const char* what, const std::string& name) {
  if (is_identifier(name)) return {};
  return fail(ErrorCode::invalid_value,
              fmt::format("the {} '{}' is no identifier: letters, digits and "
                          "'_', not a digit first",
                          what, printable(name)));
}

Result<void> check_names(const Expression& expression, const Shape& shape) {
  std::set<std::string> dims;
  for (const Dim& dim : shape) {
    if (auto named = check_identifier("dim", dim.name); !named) return named;
    if (!dims.insert(dim.name).second) {
      return fail(ErrorCode::invalid_value,
                  "the shape names dim '" + dim.name + "' twice");
    }
  }
  std::set<std::string> axes;
  std::size_t terms = 0;
  for (std::size_t k = 0; k < expression.axes.size(); ++k) {
    terms += expression.axes[k].terms.size();
    if (auto named = check_identifier("axis", axis_name(expression, k));
        !named) {
      return named;
    }
    if (!axes.insert(axis_name(expression, k)).second) {
      return fail(ErrorCode::invalid_value,
                  "two axes are named '" + axis_name(expression, k) + "'");
    }
  }
  if (terms > detail::max_terms || shape.size() > detail::max_dims) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("{} digits and {} dims; at most {} and {} are "
                    "supported",
                    terms, shape.size(), detail::max_terms, detail::max_dims));
  }
  if (expression.axes.empty()) {
    return fail(ErrorCode::invalid_value, "a layout needs at least one axis");
  }
  return {};
}

}  // namespace

Result<Layout> Layout::bind(const Expression& expression, const Shape& shape,
                            std::int64_t element_bytes) {
  if (element_bytes < 1) {
    return fail(ErrorCode::invalid_value,
                fmt::format("an element of {} bytes", element_bytes));
  }
  if (auto names = check_names(expression, shape); !names) {
    return unexpected(names.error());
  }
  auto data = std::make_shared<LayoutData>();
  data->expression = expression;
  data->shape = shape;
  data->element_bytes = element_bytes;
  const Result<std::int64_t> elements = element_count(shape);
  if (!elements) return unexpected(elements.error());
  data->elements = *elements;
  if (auto bound = bind_axes(*data); !bound) return unexpected(bound.error());
  flatten(*data);
  detail::build_inverse(*data);
  data->defect = detail::find_defect(*data);
  return Layout(std::move(data));
}

}  // namespace stridewise
