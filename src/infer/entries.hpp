// Catalogue entries as templates: what their parameters stand for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "infer/names.hpp"

namespace stridewise::inference {

enum class Role : std::uint8_t { block, pitch, base, start, stride, choice };

[[nodiscard]] Role role_of(const CatalogueEntry& entry,
                           const CatalogueParam& param);

// The entries whose dims these may be, tags apart.
[[nodiscard]] std::vector<const CatalogueEntry*> entries_for(const Dims& dims);

// What pitches are when nobody says: the defaults of these entries.
[[nodiscard]] std::vector<std::int64_t> default_pitches(const Dims& dims);

// "npus=4,start=2" for each combination of the numbers, strides left out;
// defaults first.
[[nodiscard]] std::vector<std::string> arguments_of(const CatalogueEntry& entry,
                                                    const Numbers& numbers);

// "name(arguments,more)", without parentheses where there is nothing in them.
[[nodiscard]] std::string call(const CatalogueEntry& entry,
                               const std::string& arguments,
                               const std::string& more);

}  // namespace stridewise::inference
