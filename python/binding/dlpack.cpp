// Arrays by DLPack, of any type of whole bytes.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "module.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

using Any = nb::ndarray<nb::ro, nb::device::cpu>;
using Opaque = nb::ndarray<nb::numpy, nb::ro>;
using Exported = nb::ndarray<nb::array_api>;

// The array as integers of the elements' width, its type's code, bits and lanes.
std::tuple<Opaque, int, int, int> import_array(const Any& given) {
  const nb::dlpack::dtype type = given.dtype();
  const int bits = type.bits * type.lanes;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    throw nb::type_error(
        ("elements of " + std::to_string(bits) + " bits").c_str());
  }
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides;
  for (std::size_t d = 0; d < given.ndim(); ++d) {
    shape.push_back(given.shape(d));
    strides.push_back(given.stride(d));
  }
  const nb::capsule owner = capsule_of(std::make_unique<Any>(given));
  const nb::dlpack::dtype whole{
      static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt),
      static_cast<std::uint8_t>(bits), 1};
  return {Opaque(given.data(), shape.size(), shape.data(), owner,
                 strides.data(), whole),
          type.code, type.bits, type.lanes};
}

Exported export_array(const WritableMemory& memory,
                      const std::vector<std::size_t>& shape, int code,
                      int bits) {
  const nb::capsule owner =
      capsule_of(std::make_unique<WritableMemory>(memory));
  return Exported(
      memory.data(), shape.size(), shape.data(), owner, nullptr,
      {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1});
}

}  // namespace

void bind_dlpack(nb::module_& module) {
  module.def("from_dlpack", &import_array, "x"_a.noconvert(),
             nb::sig("def from_dlpack(x: object) -> "
                     "tuple[typing.Any, int, int, int]"));
  module.def("to_dlpack", &export_array, "memory"_a.noconvert(), "shape"_a,
             "code"_a, "bits"_a);
}

}  // namespace stridewise::python
