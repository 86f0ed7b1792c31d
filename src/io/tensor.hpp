// What the name of a file says about its contents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/io.hpp"

namespace stridewise {

[[nodiscard]] bool is_npy(const std::filesystem::path& path);

// Archives of arrays are neither arrays nor raw bytes.
[[nodiscard]] Result<void> refuse_archive(const std::filesystem::path& path);

}  // namespace stridewise
