// The error of expressions and sizes that make no layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/checked.hpp"
#include "stridewise/result.hpp"

namespace stridewise::detail {

inline unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::invalid_value, std::move(message));
}

}  // namespace stridewise::detail
