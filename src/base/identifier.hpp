// The names of dims, axes and functions: what C, OpenCL and CUDA take for one, in
// any locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace stridewise {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool begins_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool continues_identifier(char c) {
  return begins_identifier(c) || is_digit(c);
}

// A letter or '_', then letters, digits and '_'.
constexpr bool is_identifier(std::string_view name) {
  return !name.empty() && begins_identifier(name.front()) &&
         std::ranges::all_of(name, continues_identifier);
}

}  // namespace stridewise
