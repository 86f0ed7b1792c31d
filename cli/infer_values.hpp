// How the values of a reference and a dump belong together, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "json.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::cli {

// "f32 of the reference as f16: all equal"; empty where they are equal and of one type, or
// nothing fits.
[[nodiscard]] std::string values_text(const TypedReport& typed,
                                      const TypedOptions& options);
[[nodiscard]] Json values_json(const TypedReport& typed,
                               const TypedOptions& options);

}  // namespace stridewise::cli
