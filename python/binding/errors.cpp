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

constexpr const char* about =
    "What is wrong with a layout, where, and what would be right.\n\n"
    "Attributes:\n"
    "    message: what is wrong, in one line.\n"
    "    text: the text that the fault is in; empty where it is in none.\n"
    "    position: the byte of the text where the fault is; -1: nowhere.\n"
    "    code: 'syntax', 'unknown_name', 'invalid_value', 'overflow',\n"
    "        'invalid_layout', 'mismatch', 'unsupported' or 'io'.";

}  // namespace

void bind_errors(nb::module_& module) {
  // Never destroyed: the translator outlives the module.
  static PyObject* const type = PyErr_NewExceptionWithDoc(
      "stridewise.LayoutError", about, PyExc_ValueError, nullptr);
  module.attr("LayoutError") = nb::borrow(type);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void*) {
        try {
          std::rethrow_exception(thrown);
        } catch (const LayoutError& fault) {
          const Error& error = fault.error;
          nb::object made = nb::borrow(type)(error.to_string());
          made.attr("message") = error.message;
          made.attr("text") = error.text;
          made.attr("position") = error.position;
          made.attr("code") = name_of(error.code);
          PyErr_SetObject(type, made.ptr());
        }
      });
}

}  // namespace stridewise::python
