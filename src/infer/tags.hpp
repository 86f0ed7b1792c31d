// Tags of the grammar, found from offsets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "infer/offsets.hpp"

namespace stridewise::inference {

struct TagBlock {
  std::size_t dim;
  std::int64_t size;
};

// A tag's letters for the dims: their own where oneDNN's families have them, else
// a, b, c ...
[[nodiscard]] std::string tag_letters(const Shape& shape);

// "nChw16c" of the outer dims, slowest first, and blocks, outermost first.
[[nodiscard]] std::string tag_text(const std::string& letters,
                                   const std::vector<std::size_t>& outer,
                                   const std::vector<TagBlock>& blocks);

// Candidates for the tag of these offsets, fewest blocks first: a superset of
// the tags of up to four blocks, of customary sizes where a size does not show.
[[nodiscard]] std::vector<std::string> tags_of(const Offsets& offsets,
                                               const Shape& shape,
                                               std::int64_t element_bytes,
                                               std::int64_t size_bytes);

}  // namespace stridewise::inference
