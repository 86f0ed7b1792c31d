// What the parts of this folder share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/container.hpp"

namespace stridewise {

// "2x17x5x4"
[[nodiscard]] std::string print_extents(std::span<const std::int64_t> extents);

// One tensor of a container. Errors: as open_tensor().
[[nodiscard]] Result<TensorFile> open_contained(
    const std::filesystem::path& path, const ContainerPath& place);

}  // namespace stridewise
