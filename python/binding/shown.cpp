// A layout as a picture and as code.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/dialect.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/element.hpp"
#include "stridewise/emit.hpp"
#include "stridewise/notation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

DrawLabel label_of(const std::string& name) {
  if (name == "index") return DrawLabel::index;
  if (name == "offset") return DrawLabel::offset;
  if (name == "value") return DrawLabel::value;
  throw nb::value_error(
      ("label: 'index', 'offset' or 'value', not '" + name + "'").c_str());
}

// `form`: "svg", "html", or else text of at most `width` characters.
std::string draw(const Layout& layout, const std::string& form, int width,
                 const std::string& type, const std::string& colour,
                 std::int64_t cells, const std::string& title,
                 const std::string& label, const std::optional<Layout>& to,
                 const std::optional<Memory>& data) {
  DrawOptions options{.label = label_of(label),
                      .colour = colour,
                      .max_cells = cells,
                      .to = to,
                      .title = title,
                      .type_name = type};
  if (data) {
    options.data = DrawData{
        value_of(parse_element_type(type)),
        {reinterpret_cast<const std::byte*>(data->data()), data->size()}};
  }
  if (form == "svg") return value_of(draw_svg(layout, options));
  if (form == "html") return value_of(draw_html(layout, options));
  return value_of(
      draw_terminal(layout, options, {.width = width, .colours = false}));
}

}  // namespace

void bind_shown(LayoutClass& layout) {
  layout
      .def("draw", &draw, "form"_a, "width"_a, "dtype"_a, "color"_a, "cells"_a,
           "title"_a, "label"_a, "to"_a.none(), "data"_a.noconvert().none())
      .def(
          "emit",
          [](const Layout& l, const std::string& language,
             const std::string& name) {
            return value_of(emit(l, {.language = value_of(
                                         parse_emit_language(language)),
                                     .name = name}))
                .code;
          },
          "language"_a, "name"_a)
      .def(
          "print_as",
          [](const Layout& l, const std::string& dialect) {
            return value_of(print_as(l, value_of(parse_dialect(dialect))));
          },
          "dialect"_a);
}

}  // namespace stridewise::python
