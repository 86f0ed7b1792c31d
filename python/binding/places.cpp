// Where elements lie, and what lies at a place.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/offsets.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

using Numbers = nb::ndarray<nb::numpy, std::int64_t>;
using Indices =
    nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// An array of its own, of these extents.
struct Owned {
  std::unique_ptr<std::int64_t[]> numbers;
  std::vector<std::size_t> extents;
  std::int64_t count;

  explicit Owned(const std::vector<std::int64_t>& shape) : count(1) {
    for (const std::int64_t extent : shape) {
      extents.push_back(static_cast<std::size_t>(extent));
      count *= extent;
    }
    numbers.reset(new std::int64_t[static_cast<std::size_t>(count)]);
  }
  [[nodiscard]] std::span<std::int64_t> span() const {
    return {numbers.get(), static_cast<std::size_t>(count)};
  }
  Numbers array() && {
    const nb::capsule owner = capsule_of(std::move(numbers));
    return Numbers(owner.data(), extents.size(), extents.data(), owner);
  }
};

void check_readable(const Layout& layout) {
  if (layout.unreadable()) throw LayoutError{*layout.unreadable()};
}

Offsets table_of(const Layout& layout, const std::string& unit) {
  return value_of(Offsets::make(layout, value_of(parse_offset_unit(unit))));
}

Numbers offsets(const Layout& layout, const std::string& unit) {
  const Offsets table = table_of(layout, unit);
  Owned made(table.extents());
  {
    const nb::gil_scoped_release others_run;
    table.fill(0, made.span());
  }
  return std::move(made).array();
}

Numbers inverse(const Layout& layout, const std::string& unit) {
  const Offsets table = table_of(layout, unit);
  Owned made({table.places()});
  Result<void> filled;
  {
    const nb::gil_scoped_release others_run;
    filled = table.fill_inverse(0, made.span());
  }
  value_of(filled);
  return std::move(made).array();
}

// The number, row by row, of the first one of `indices` that is outside the shape; -1:
// there is none. A row is an index.
std::int64_t outside(const Layout& layout, const Indices& indices) {
  const Shape& shape = layout.shape();
  for (std::size_t row = 0; row < indices.shape(0); ++row) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t x = indices(row, d);
      if (x < 0 || x >= shape[d].extent) {
        return static_cast<std::int64_t>(row * shape.size() + d);
      }
    }
  }
  return -1;
}

// The first bit of each index.
Numbers bits_at(const Layout& layout, const Indices& indices) {
  check_readable(layout);
  if (indices.shape(1) != layout.shape().size()) {
    throw nb::value_error("each row must have one number a dim");
  }
  const std::int64_t at = outside(layout, indices);
  if (at >= 0) {
    const std::size_t dims = layout.shape().size();
    const Dim& dim = layout.shape()[static_cast<std::size_t>(at) % dims];
    const std::int64_t x = indices(static_cast<std::size_t>(at) / dims,
                                   static_cast<std::size_t>(at) % dims);
    throw nb::index_error((dim.name + "=" + std::to_string(x) +
                           " is outside of 0 .. " +
                           std::to_string(dim.extent - 1))
                              .c_str());
  }
  const auto rows = static_cast<std::int64_t>(indices.shape(0));
  Owned made({rows});
  {
    const nb::gil_scoped_release others_run;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t* const index =
          indices.data() + row * static_cast<std::int64_t>(indices.shape(1));
      made.numbers[static_cast<std::size_t>(row)] =
          layout.bit_of({index, indices.shape(1)});
    }
  }
  return std::move(made).array();
}

// The place of one index, in units of so many bits; -1: not whole numbers alone, or none
// that the shape has, or no whole unit.
std::int64_t place_of(const Layout& layout,
                      const nb::typed<nb::tuple, nb::any, nb::ellipsis>& index,
                      std::int64_t unit) {
  const Shape& shape = layout.shape();
  constexpr std::size_t most = 16;
  std::array<std::int64_t, most> numbers{};
  if (layout.unreadable() || index.size() != shape.size() ||
      index.size() > most) {
    return -1;
  }
  for (std::size_t d = 0; d < index.size(); ++d) {
    PyObject* const x = index[d].ptr();
    if (!PyLong_CheckExact(x)) return -1;
    int beyond = 0;
    numbers.at(d) = PyLong_AsLongLongAndOverflow(x, &beyond);
    if (beyond != 0 || numbers.at(d) < 0 || numbers.at(d) >= shape[d].extent) {
      return -1;
    }
  }
  const std::int64_t bit = layout.bit_of({numbers.data(), index.size()});
  return bit % unit == 0 ? bit / unit : -1;
}

// "element", "padding", "gap" or "other"; the index; the tensor.
using FoundHere =
    std::tuple<std::string, std::vector<std::int64_t>, std::int64_t>;
FoundHere find(const Layout& layout, std::int64_t bit) {
  if (layout.unfindable()) throw LayoutError{*layout.unfindable()};
  if (bit < 0 || bit >= layout.size_bits()) {
    throw nb::index_error(("bit " + std::to_string(bit) +
                           " is outside of a memory of " +
                           std::to_string(layout.size_bits()))
                              .c_str());
  }
  std::size_t most = layout.shape().size();
  for (const Tensor& tensor : layout.tensors()) {
    most = std::max(most, tensor.shape.size());
  }
  std::vector<std::int64_t> index(most, 0);
  const Found found = layout.find(bit, index);
  const char* place = "gap";
  if (found.place == Place::element) place = "element";
  if (found.place == Place::padding) place = "padding";
  if (found.place == Place::other) place = "other";
  if (found.tensor >= 0) {
    index.resize(
        layout.tensors()[static_cast<std::size_t>(found.tensor)].shape.size());
  }
  return {place, index, found.tensor};
}

}  // namespace

void bind_places(LayoutClass& layout) {
  layout.def("offsets", &offsets, "unit"_a)
      .def("inverse", &inverse, "unit"_a)
      .def("bits_at", &bits_at, "indices"_a.noconvert())
      .def("place_of", &place_of, "index"_a, "unit"_a)
      .def("find", &find, "bit"_a);
}

}  // namespace stridewise::python
