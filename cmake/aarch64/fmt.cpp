// What of fmt is not in its headers alone: naming a function makes it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

namespace stridewise {

extern auto* const functions_of_fmt =
    static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(
        &fmt::vformat);

}  // namespace stridewise
