// What the parser of TOML takes for granted of a text, asked before it reads one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace stridewise {

// Whether a key has more than 16 parts, "a.a.a...": they are read by as many calls in each
// other. O(bytes).
[[nodiscard]] bool has_deep_keys(std::string_view text);

// The line, from 1, of the first key that is not of ASCII alone; 0: there is none. The
// parser has no defined behaviour for others (toml++ 3.3, whitespace beyond ASCII). Strings
// that are values, and comments, may hold anything. O(bytes).
[[nodiscard]] std::size_t line_of_foreign_key(std::string_view text);

}  // namespace stridewise
