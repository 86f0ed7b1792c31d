// The value of a Result; ends the program with the error where there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "stridewise/result.hpp"

template <class T>
T must(stridewise::Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  std::exit(2);
}
