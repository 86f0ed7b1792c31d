// SPDX-License-Identifier: Apache-2.0
#include "draw/options.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.hpp"
#include "draw/axis.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int64_t widest_grid = 1024;  // cells
constexpr std::int64_t most_cells = 1'000'000;

Expression logical_expression(const Shape& shape) {
  Expression expression;
  Axis row{.name = "row"};
  Axis column{.name = "column"};
  for (std::size_t back = 0; back < shape.size(); ++back) {
    const std::size_t d = shape.size() - 1 - back;
    const bool across = back == 0 || (back > 1 && back % 2 == 0);
    Axis& axis = across ? column : row;
    axis.terms.insert(axis.terms.begin(), Term{{.dim = shape[d].name}});
  }
  expression.axes = {std::move(row), std::move(column)};
  return expression;
}

}  // namespace

Result<void> check_sizes(const Layout& layout, const DrawOptions& options) {
  if (options.max_cells < 1 || options.max_cells > most_cells) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a picture of {} cells; between 1 and {} can be "
                            "drawn",
                            options.max_cells, grouped(most_cells)));
  }
  if (options.max_columns < 0 || options.max_columns > most_cells) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a picture of {} columns; between 1 and {} can "
                            "be drawn",
                            options.max_columns, grouped(most_cells)));
  }
  if (options.grid_bytes < 0 ||
      options.grid_bytes / layout.element_bytes() > widest_grid) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a grid of {} bytes; a row holds 1 to {} elements",
                            options.grid_bytes, widest_grid));
  }
  if (options.data && static_cast<std::int64_t>(options.data->bytes.size()) !=
                          layout.size_bytes()) {
    return fail(ErrorCode::mismatch,
                fmt::format("the data has {} bytes, the layout takes {}",
                            options.data->bytes.size(), layout.size_bytes()));
  }
  for (const DrawMark& mark : options.marks) {
    if (mark.byte < 0 || mark.byte >= layout.size_bytes()) {
      return fail(
          ErrorCode::invalid_value,
          fmt::format("mark '{}' at byte {} is outside the tensor's "
                      "{} bytes",
                      printable(mark.name), mark.byte, layout.size_bytes()));
    }
  }
  return {};
}

Result<void> check_options(const Layout& layout, const DrawOptions& options) {
  if (!layout.valid()) return unexpected(*layout.defect());
  if (options.data && options.data->type.bytes() != layout.element_bytes()) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("the data has elements of {} bytes, the layout "
                    "of {}",
                    options.data->type.bytes(), layout.element_bytes()));
  }
  return check_sizes(layout, options);
}

Result<void> check_grid(const Layout& layout, const DrawOptions& options,
                        bool any_rows) {
  if (options.grid_bytes == 0 || any_rows) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("a grid of {} bytes is for rows and banks; the "
                          "columns of an image are the steps of its axis "
                          "('{}')",
                          options.grid_bytes, print(layout.expression())));
}

Result<Layout> logical_layout(const Layout& layout, const std::string& text) {
  Expression expression = logical_expression(layout.shape());
  if (!text.empty()) {
    Result<Expression> given = parse_expression(text);
    if (!given) return unexpected(given.error());
    expression = *std::move(given);
  }
  Result<Layout> logical =
      Layout::bind(expression, layout.shape(), layout.element_bytes());
  if (!logical) return unexpected(logical.error());
  if (!logical->valid()) return unexpected(*logical->defect());
  if (logical->axes().size() != 2) {
    return fail(ErrorCode::invalid_value,
                fmt::format("the logical tensor is drawn in two axes, rows and "
                            "columns, as in 'n h | c w'; not '{}'",
                            print(expression)));
  }
  return logical;
}

}  // namespace stridewise::draw
