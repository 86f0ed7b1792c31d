// Tags that people write often.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace stridewise {

// What a misspelt tag is compared with. The grammar, not this list, decides what a tag is.
[[nodiscard]] std::vector<std::string_view> common_tags();

}  // namespace stridewise
