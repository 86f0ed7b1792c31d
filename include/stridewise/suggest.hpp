// "Did you mean": the candidate nearest to a misspelt name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stridewise {

// The nearest by edits (insert, delete, replace, swap case: all one), or empty
// when nothing is near enough to be meant. O(size of the names).
[[nodiscard]] std::string nearest(std::string_view name,
                                  std::span<const std::string> candidates);

}  // namespace stridewise
