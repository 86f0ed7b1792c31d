// Expression + sizes -> a Layout: names are checked here, the rest is done by the files
// that data.hpp names.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "layout/closure.hpp"
#include "layout/data.hpp"
#include "layout/sayable.hpp"
#include "layout/tensors.hpp"
#include "layout/walk.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {
namespace {

using detail::LayoutData;

// What an element may be wide.
constexpr std::int64_t most_element_bits = std::int64_t{1} << 40;

std::string axis_name(const Expression& expression, std::size_t k) {
  const Axis& axis = expression.axes[k];
  if (!axis.name.empty()) return axis.name;
  const bool last = k + 1 == expression.axes.size();
  const bool taken = std::ranges::any_of(
      expression.axes, [](const Axis& a) { return a.name == "offset"; });
  return last && !taken ? "offset" : fmt::format("axis{}", k);
}

Result<void> check_names(const Expression& expression, const Shape& shape) {
  std::set<std::string> dims;
  for (const Dim& dim : shape) {
    if (auto named = detail::check_identifier("dim", dim.name); !named)
      return named;
    if (!dims.insert(dim.name).second) {
      return fail(ErrorCode::invalid_value,
                  "the shape names dim '" + dim.name + "' twice");
    }
  }
  for (const FusedIndex& fused : expression.fused) {
    if (auto named = detail::check_identifier("fused index", fused.name);
        !named) {
      return named;
    }
  }
  for (const std::string& part : expression.parts()) {
    if (auto named = detail::check_identifier("part", part); !named)
      return named;
  }
  for (const std::string& table : expression.tables()) {
    if (auto named = detail::check_identifier("table", table); !named)
      return named;
  }
  std::set<std::string> axes;
  for (std::size_t k = 0; k < expression.axes.size(); ++k) {
    if (auto named = detail::check_identifier("axis", axis_name(expression, k));
        !named) {
      return named;
    }
    if (!axes.insert(axis_name(expression, k)).second) {
      return fail(ErrorCode::invalid_value,
                  "two axes are named '" + axis_name(expression, k) + "'");
    }
  }
  if (shape.size() > detail::max_dims) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} dims; at most {} are supported", shape.size(),
                            detail::max_dims));
  }
  if (expression.axes.empty()) {
    return fail(ErrorCode::invalid_value, "a layout needs at least one axis");
  }
  return {};
}

// One step of the last axis: what all places are multiples of.
void finish_last_axis(LayoutData& data, std::int64_t extent_bits) {
  BoundAxis& last = data.axes.back();
  const Axis& axis = data.expression.axes.back();
  std::int64_t step = 0;
  for (const detail::Piece& piece : data.pieces) {
    step = std::gcd(std::gcd(step, piece.unit), piece.base);
    for (const detail::PieceTerm& term : piece.terms) {
      if (term.extent() > 1) step = std::gcd(step, term.stride);
    }
  }
  if (step == 0) step = data.binding.element_bits;
  last.pitch_bits = step;
  last.extent = ceil_div(extent_bits, step);
  const std::int64_t unit =
      data.pieces.empty() ? step : data.pieces.front().unit;
  last.base =
      axis.base_in_bytes ? axis.base * 8 / step : axis.base * (unit / step);
  for (BoundAxis& bound : data.axes) {
    bound.pitch_bytes = ceil_div(bound.pitch_bits, 8);
  }
}

}  // namespace

Result<Layout> Layout::bind(const Expression& expression, const Shape& shape,
                            std::int64_t element_bytes) {
  const Checked bits = mul(element_bytes, 8);
  if (element_bytes < 1 || !bits) {
    return fail(ErrorCode::invalid_value,
                fmt::format("an element of {} bytes", element_bytes));
  }
  return bind(expression, shape, Binding{.element_bits = *bits});
}

Result<Layout> Layout::bind(const Expression& expression, const Shape& shape,
                            const Binding& binding) {
  if (binding.element_bits < 1 || binding.element_bits > most_element_bits) {
    return fail(ErrorCode::invalid_value,
                fmt::format("an element of {} bits", binding.element_bits));
  }
  if (auto names = check_names(expression, shape); !names) {
    return unexpected(names.error());
  }
  if (auto sayable = detail::check_sayable(expression); !sayable) {
    return unexpected(sayable.error());
  }
  if (const auto count = element_count(shape); !count) {
    return unexpected(count.error());
  }
  auto data = std::make_shared<LayoutData>();
  data->expression = expression;
  data->shape = shape;
  data->binding = binding;
  data->axes.resize(expression.axes.size());
  for (std::size_t k = 0; k < data->axes.size(); ++k) {
    data->axes[k].name = axis_name(expression, k);
  }
  const Result<std::int64_t> last = detail::Walk(*data).run();
  if (!last) return unexpected(last.error());
  finish_last_axis(*data, *last);
  const bool grains =
      data->tensors.size() > 1 || !data->tensors.front().tensor.name.empty();
  for (const detail::Piece& piece : data->pieces) {
    data->inverses.push_back(detail::Closure(piece, shape, grains).run());
  }
  if (auto finished = detail::finish_tensors(*data); !finished) {
    return unexpected(finished.error());
  }
  const std::int32_t chosen = data->tensors.size() == 1 ? 0 : -1;
  return Layout(std::move(data), chosen);
}

}  // namespace stridewise
