// A layout as a picture and as code.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/dialect.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/emit.hpp"
#include "stridewise/notation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

DrawOptions options_of(const std::string& type, const std::string& colour,
                       std::int64_t cells, const std::string& title) {
  DrawOptions options;
  options.type_name = type;
  options.colour = colour;
  options.title = title;
  options.max_cells = cells;
  return options;
}

}  // namespace

void bind_shown(LayoutClass& layout) {
  layout
      .def(
          "svg",
          [](const Layout& l, const std::string& type,
             const std::string& colour, std::int64_t cells,
             const std::string& title) {
            return value_of(
                draw_svg(l, options_of(type, colour, cells, title)));
          },
          "dtype"_a, "color"_a, "cells"_a, "title"_a)
      .def(
          "html",
          [](const Layout& l, const std::string& type,
             const std::string& colour, std::int64_t cells,
             const std::string& title) {
            return value_of(
                draw_html(l, options_of(type, colour, cells, title)));
          },
          "dtype"_a, "color"_a, "cells"_a, "title"_a)
      .def(
          "text",
          [](const Layout& l, const std::string& type,
             const std::string& colour, std::int64_t cells,
             const std::string& title, int width) {
            return value_of(
                draw_terminal(l, options_of(type, colour, cells, title),
                              {.width = width, .colours = false}));
          },
          "dtype"_a, "color"_a, "cells"_a, "title"_a, "width"_a)
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
