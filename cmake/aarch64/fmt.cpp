// The functions of fmt that are no templates: to name one is to compile it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

namespace stridewise {

extern auto* const functions_of_fmt =
    static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(
        &fmt::vformat);

}  // namespace stridewise
