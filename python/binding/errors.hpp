// Errors of the library as exceptions of Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "stridewise/result.hpp"

namespace stridewise::python {

// Becomes stridewise.LayoutError.
struct LayoutError {
  Error error;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw LayoutError{std::move(result.error())};
  return *std::move(result);
}

inline void value_of(const Result<void>& result) {
  if (!result) throw LayoutError{result.error()};
}

void bind_errors();

}  // namespace stridewise::python
