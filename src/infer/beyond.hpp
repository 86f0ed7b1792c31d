// Layouts that are more than plain digits, from the place of each element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "infer/known.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::inference {

// A layout of the catalogue; dims or digits that run backwards; digits that are xored,
// added or taken away; several dims that count as one. nullopt: none of these. Each place
// that the first element may have is tried. O(elements x layouts tried).
[[nodiscard]] std::optional<InferFit> find_beyond(KnownPlaces& known);

// Dims or digits that run backwards, where the dump is the layout's memory and no more: in
// plain digits, the same places would take a base before the dump's first byte.
[[nodiscard]] std::optional<InferFit> find_backwards(KnownPlaces& known);

}  // namespace stridewise::inference
