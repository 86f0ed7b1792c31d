// An entry and the text of its parameters -> a LayoutSource.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "notation/cursor.hpp"
#include "stridewise/catalogue.hpp"

namespace stridewise {

// Reads "(name=value,...)" at `cursor`, if it stands there, and fills in the
// entry's template.
[[nodiscard]] Result<LayoutSource> instantiate(const CatalogueEntry& entry,
                                               Cursor& cursor);

}  // namespace stridewise
