// Layouts of values that repeat, from the innermost digits outwards.
//
// Of a true prefix of the digits every tile of the reference stands in the dump, as often as
// in the reference; of a wrong one only as many as chance gives. Prefixes that hold grow by
// one digit at a time, until their tiles are so rare that each is known by its values alone.
// Then a tile has a place, as an element has where values are distinct.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "infer/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

// The byte of an element in the dump; -1 where no tile tells.
using PlaceOf = std::function<std::int64_t(std::int64_t element)>;

// Whether a layout was found by these places, so that the search ends.
using TryPlaces = std::function<bool(const PlaceOf& places)>;

// Calls `attempt` with the places that each likely structure gives, the likeliest first, of
// up to 64. Tens of thousands of structures are looked for in the data, or in a part of
// large ones, until `most_read` elements are looked at. Memory: 256 MiB and the windows of one
// structure, 100 MiB at most.
[[nodiscard]] bool search_tiles(const InferData& data, const Shape& shape,
                                std::int64_t elements, std::int64_t most_read,
                                const TryPlaces& attempt);

}  // namespace stridewise::inference
