// What reading and writing of .safetensors files share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "stridewise/element.hpp"

namespace stridewise {

// The number that a file begins with: how long the header is that follows.
inline constexpr std::size_t safetensors_prefix = 8;
// Readers refuse longer headers.
inline constexpr std::size_t longest_safetensors_header = 100'000'000;

// Beginnings of keys that tell more of the tensor whose name follows.
inline constexpr std::string_view layout_key = "stridewise.layout.";
inline constexpr std::string_view shape_key = "stridewise.shape.";
inline constexpr std::string_view type_key = "stridewise.dtype.";

// The type of a name such as "F16"; nullopt: it is not known.
[[nodiscard]] std::optional<ElementType> safetensors_type(
    std::string_view name);

}  // namespace stridewise
