// What `check` found, for people and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "common.hpp"

namespace stridewise::cli {

// `missing`: elements that are not in the file.
[[nodiscard]] std::string check_text(const CheckReport& report,
                                     const Shape& shape, std::int64_t missing);

// What was found, without what it was found in.
[[nodiscard]] Json check_json(const CheckReport& report, const Shape& shape);

}  // namespace stridewise::cli
