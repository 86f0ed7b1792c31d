// Text that others wrote, as text that can be shown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stridewise {

// The same text as valid UTF-8 that has no effect but to be read: bytes that are
// no UTF-8, control characters, and what reverses the direction of text become
// U+FFFD; tabs and line ends become spaces.
[[nodiscard]] std::string printable(std::string_view text);

// How many columns of a terminal, or digits of a fixed-width font, a text takes.
// Pre: UTF-8.
[[nodiscard]] std::size_t columns_of(std::string_view text);

// The longest beginning that takes no more than `columns`. Pre: UTF-8.
[[nodiscard]] std::string_view first_columns(std::string_view text,
                                             std::size_t columns);

}  // namespace stridewise
