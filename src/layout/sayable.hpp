// What an expression that was built by hand may hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stridewise/layout.hpp"

namespace stridewise::detail {

// Error invalid_value: a name that is no identifier. Names stand in emitted code and in pages
// as they are.
[[nodiscard]] Result<void> check_identifier(const char* what,
                                            const std::string& name);

// Error invalid_value: it holds what no text says, as a pitch of the last axis, or two
// things that exclude each other. What passes is what parsing its text gives.
[[nodiscard]] Result<void> check_sayable(const Expression& expression);

}  // namespace stridewise::detail
