// One function a vendor; catalogue.cpp joins them. A layout is added by adding
// its entry to its vendor's file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"

namespace stridewise {

[[nodiscard]] std::vector<CatalogueEntry> onednn_entries();
[[nodiscard]] std::vector<CatalogueEntry> mace_entries();
[[nodiscard]] std::vector<CatalogueEntry> mli_entries();
[[nodiscard]] std::vector<CatalogueEntry> okk_entries();

// nstride, cstride, hstride and wstride, each natural where it is left out.
[[nodiscard]] std::vector<CatalogueParam> stride_params(
    std::string_view c_doc = "elements from c to c+1");

// Tags that people write often: what a misspelt one is compared with. The
// grammar, not this list, decides what a tag is.
[[nodiscard]] std::vector<std::string_view> common_tags();

}  // namespace stridewise
