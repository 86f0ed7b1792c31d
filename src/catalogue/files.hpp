// The files of the folder catalogue/, which the build puts into the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace stridewise {

struct CatalogueFile {
  std::string_view name;  // "onednn.toml"
  std::string_view text;
};

// Sorted by name.
[[nodiscard]] std::span<const CatalogueFile> catalogue_files();

}  // namespace stridewise
