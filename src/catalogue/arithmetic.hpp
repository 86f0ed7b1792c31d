// Whole-number arithmetic of templates and checks: names, numbers, + - * / %
// and parentheses; '/' floors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "stridewise/result.hpp"

namespace stridewise {

using NamedNumbers = std::map<std::string, std::int64_t, std::less<>>;

// Errors: a name without a value (code unknown_name), division by zero, 64-bit overflow.
[[nodiscard]] Result<std::int64_t> evaluate(std::string_view text,
                                            const NamedNumbers& values);

}  // namespace stridewise
