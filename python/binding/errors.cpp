// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <array>

namespace nb = nanobind;

namespace stridewise::python {
namespace {

const char* name_of(ErrorCode code) {
  constexpr std::array names = {
      "syntax",         "unknown_name", "invalid_value", "overflow",
      "invalid_layout", "mismatch",     "unsupported",   "io"};
  return names.at(static_cast<std::size_t>(code));
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown,
                                       void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const LayoutError& fault) {
      const Error& error = fault.error;
      const nb::object type =
          nb::module_::import_("stridewise._errors").attr("LayoutError");
      const nb::object made = type(error.to_string(), error.message, error.text,
                                   error.position, name_of(error.code));
      PyErr_SetObject(type.ptr(), made.ptr());
    }
  });
}

}  // namespace stridewise::python
