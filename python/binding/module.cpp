// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <nanobind/stl/string.h>

#include "errors.hpp"
#include "stridewise/version.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  using namespace stridewise::python;
  module.doc() = "The C++ library; stridewise is what to import.";
  module.def("version", [] { return STRIDEWISE_VERSION; });
  bind_errors();
  nb::class_<stridewise::Layout> layout(module, "Layout", nb::is_final());
  bind_layout(module, layout);
  bind_places(layout);
  bind_shown(layout);
  bind_plan(module, layout);
  bind_dlpack(module);
  bind_inspect(module);
  bind_advise(module);
  bind_files(module);
}
