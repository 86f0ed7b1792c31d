// Texts, shapes and types -> a layout, and what it is.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/layout.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/element.hpp"
#include "stridewise/io.hpp"
#include "stridewise/notation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

using Dims = std::vector<std::pair<std::string, std::int64_t>>;

Dims dims_of(const Shape& shape) {
  Dims dims;
  for (const Dim& dim : shape) dims.emplace_back(dim.name, dim.extent);
  return dims;
}

std::string type_of(const std::optional<std::string>& type,
                    const LayoutSource& source) {
  if (type) return *type;
  if (!source.element_type.empty()) return source.element_type;
  return source.element_bits == 0 || source.element_bits == 32
             ? "f32"
             : "u" + std::to_string(source.element_bits);
}

// `shape` as text: named, or numbers in the layout's logical order; empty where the
// layout's own text tells it; "()" for no dims.
std::pair<Layout, std::string> bind(
    const std::string& text, const std::string& shape,
    const std::optional<std::string>& type,
    const std::map<std::string, std::vector<std::int64_t>, std::less<>>&
        tables) {
  const nb::gil_scoped_release others_run;
  std::vector<std::string> known;
  if (const Result<Shape> named = parse_shape(shape)) {
    for (const Dim& dim : *named) known.push_back(dim.name);
  }
  const LayoutSource source = value_of(resolve_layout(text, known));
  const ElementType element =
      value_of(parse_element_type(type_of(type, source)));
  // "()": a tensor of one element, which has no dims.
  const Shape bound = shape == "()"
                          ? Shape{}
                          : value_of(shape_of(shape, std::span(&source, 1)));
  return {value_of(source.bind(
              bound, Binding{.element_bits = element.bits, .tables = tables})),
          std::string(element.name)};
}

std::vector<std::tuple<std::string, std::string, std::int64_t, Dims>>
tensors_of(const Layout& layout) {
  std::vector<std::tuple<std::string, std::string, std::int64_t, Dims>> all;
  for (const Tensor& tensor : layout.tensors()) {
    all.emplace_back(tensor.name, tensor.type, tensor.element_bits,
                     dims_of(tensor.shape));
  }
  return all;
}

// Bits of one step of each dim, and where the first element lies; nullopt: a dim has no one
// stride.
std::optional<std::pair<std::vector<std::int64_t>, std::int64_t>> strides_of(
    const Layout& layout) {
  const Shape& shape = layout.shape();
  std::vector<std::int64_t> index(shape.size(), 0);
  if (layout.unreadable() || layout.elements() == 0) return std::nullopt;
  const std::int64_t first = layout.bit_of(index);
  std::vector<std::int64_t> strides;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    index[d] = shape[d].extent > 1 ? 1 : 0;
    strides.push_back(layout.bit_of(index) - first);
    index[d] = 0;
  }
  const std::vector<LayoutPiece> pieces = layout.pieces();
  if (pieces.size() != 1) return std::nullopt;
  for (const LayoutPiece::Digit& digit : pieces[0].digits) {
    // A digit of more than plain kinds, or of part of a dim.
    if (digit.extent == 1) continue;
    const Digit& d = digit.term.digit;
    const auto dim = std::ranges::find(shape, d.dim, &Dim::name);
    const bool whole = d.plain() && dim != shape.end() && d.div == 1 &&
                       (d.mod == 0 || d.mod >= dim->extent + d.bias);
    Digit forwards = d;
    forwards.reversed = false;
    const bool reversed = d.reversed && forwards.plain() &&
                          forwards.bias == 0 && forwards.div == 1 &&
                          forwards.mod == 0 && dim != shape.end();
    const bool one =
        digit.term.copies != 0 || (dim != shape.end() && dim->extent == 1);
    if (!whole && !reversed && !one) return std::nullopt;
  }
  return std::pair(strides, first);
}

}  // namespace

void bind_layout(nb::module_& module, LayoutClass& layout) {
  module.def("bind", &bind, "text"_a, "shape"_a, "dtype"_a.none(), "tables"_a);
  module.def("spelled_dims", [](const std::string& text) {
    return value_of(resolve_layout(text)).spelled_dims;
  });
  module.def("element_type", [](const std::string& name) {
    const ElementType type = value_of(parse_element_type(name));
    return std::pair(std::string(type.name), type.bits);
  });
  layout
      .def_prop_ro("shape", [](const Layout& l) { return dims_of(l.shape()); })
      .def_prop_ro("notation",
                   [](const Layout& l) { return print(l.expression()); })
      .def_prop_ro("tensor", &Layout::tensor)
      .def_prop_ro("tensors", &tensors_of)
      .def_prop_ro("element_bits", &Layout::element_bits)
      .def_prop_ro("size_bits", &Layout::size_bits)
      .def_prop_ro("size_bytes", &Layout::size_bytes)
      .def_prop_ro("used_bits", &Layout::used_bits)
      .def_prop_ro("dense", &Layout::dense)
      .def_prop_ro("valid", &Layout::valid)
      .def_prop_ro("defect",
                   [](const Layout& l) {
                     return l.defect() ? std::optional(l.defect()->message)
                                       : std::nullopt;
                   })
      .def_prop_ro(
          "bitwise",
          [](const Layout& l) {
            return l.tensor() >= 0 &&
                   l.tensors()[static_cast<std::size_t>(l.tensor())].bitwise;
          })
      .def_prop_ro("array_shape",
                   [](const Layout& l) { return array_shape(l); })
      .def_prop_ro("strides_bits", &strides_of)
      .def("part", [](const Layout& l, const std::string& name) {
        return value_of(l.part(name));
      });
}

}  // namespace stridewise::python
