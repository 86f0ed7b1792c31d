// What diff found, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common.hpp"

namespace stridewise::cli {

// `note`: what else is to be known of the comparison; empty: nothing.
[[nodiscard]] std::string diff_text(const DiffReport& report,
                                    const Shape& shape,
                                    const std::string& note);
// What was found, without what it was found in.
[[nodiscard]] Json diff_json(const DiffReport& report, const Shape& shape);

}  // namespace stridewise::cli
