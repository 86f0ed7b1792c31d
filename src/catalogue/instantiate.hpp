// An entry, the text of its parameters and the sizes -> an expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalogue/arithmetic.hpp"
#include "notation/cursor.hpp"
#include "stridewise/catalogue.hpp"

namespace stridewise {

using ParamTexts = std::map<std::string, std::string, std::less<>>;

// An entry whose parameters have values.
struct Instance {
  Expression expression;
  NamedNumbers values;               // of its parameters
  std::vector<std::string> choices;  // "param=choice"
};

// What arithmetic knows of a tensor: extents by dim, element_bits and element_bytes.
[[nodiscard]] NamedNumbers numbers_of(const Shape& shape,
                                      std::int64_t element_bits);

// Fills in the entry's template. `sizes`: the extents of its dims, element_bits and
// element_bytes; empty: not known yet, then any stand for them. Where a parameter is at
// fault, its name is written to `culprit`.
[[nodiscard]] Result<Instance> fill_in(const CatalogueEntry& entry,
                                       const ParamTexts& arguments,
                                       const NamedNumbers& sizes,
                                       std::string& culprit);

// Reads "(name=value,...)" at `cursor`, if it stands there, and fills in the
// entry's template.
[[nodiscard]] Result<LayoutSource> instantiate(
    const std::shared_ptr<const CatalogueEntry>& entry, Cursor& cursor);

}  // namespace stridewise
