// Tensors in files that hold several, by name.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/container.hpp"
#include "stridewise/io.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

using Bytes = nb::ndarray<nb::numpy, nb::ro, std::uint8_t, nb::ndim<1>>;

// The bytes of a tensor, mapped where they are plain; the name of its type, empty where
// elements are no plain ones; its shape.
std::tuple<Bytes, std::string, std::vector<std::int64_t>> open_contained(
    const std::string& path) {
  auto file = std::make_unique<TensorFile>(
      value_of(in_native_order(value_of(open_tensor(path)))));
  const std::span<const std::byte> data = file->data();
  std::string type;
  std::vector<std::int64_t> shape = {file->data_bytes};
  if (file->npy) {
    if (file->npy->type) type = file->npy->type->name;
    shape = file->npy->shape;
  }
  const nb::capsule owner = capsule_of(std::move(file));
  return {Bytes(data.data(), {data.size()}, owner), std::move(type),
          std::move(shape)};
}

}  // namespace

void bind_files(nb::module_& module) {
  module.def(
      "is_contained",
      [](const std::string& path) {
        return is_container(split_container_path(path).file);
      },
      "path"_a);
  module.def("open_contained", &open_contained, "path"_a);
}

}  // namespace stridewise::python
