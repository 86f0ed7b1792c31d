// Layouts that are more than plain digits, from the place of each element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "infer/data.hpp"
#include "infer/names.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::inference {

// Where values are distinct and the dump has each of them: a layout of the catalogue; dims
// or digits that run backwards; digits that are xored, added or taken away; several dims
// that count as one. nullopt: none of these, or the tensor has more than 4 million
// elements. O(elements x layouts tried).
[[nodiscard]] std::optional<InferFit> find_beyond(const InferData& data,
                                                  const Dims& dims,
                                                  std::int64_t elements);

// Dims or digits that run backwards, where the dump is the layout's memory and no more: in
// plain digits, the same places would take a base before the dump's first byte.
[[nodiscard]] std::optional<InferFit> find_backwards(const InferData& data,
                                                     const Dims& dims,
                                                     std::int64_t elements);

// Whether each element of the reference has a value of its own, and the dump has each: then
// a layout of which a part would be missing is not that of the dump.
[[nodiscard]] bool has_all(const InferData& data, const Dims& dims,
                           std::int64_t elements);

}  // namespace stridewise::inference
