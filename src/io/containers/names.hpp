// Which files are containers, by their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "stridewise/container.hpp"

namespace stridewise {

// By the ending of the name, in either case; nullopt: it is another one.
[[nodiscard]] std::optional<ContainerFormat> container_format(
    const std::filesystem::path& path);

// Whether a text ends in .safetensors, in either case.
[[nodiscard]] bool is_safetensors(std::string_view text);

}  // namespace stridewise
