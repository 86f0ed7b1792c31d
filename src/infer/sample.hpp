// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "infer/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

// Elements that tell layouts apart: those of the rarest values.
struct Sample {
  std::vector<std::int64_t> elements;
  std::vector<std::vector<std::int64_t>> indices;
};

// Elements all over the tensor: all of a small one, none of one that is large, as each look
// at mapped memory brings in what lies around.
[[nodiscard]] Sample spread_sample(const Shape& shape, std::int64_t elements);

// The keys of at most `most` elements, sorted: of all, or of some drawn from them.
[[nodiscard]] std::vector<std::uint64_t> sorted_keys(const InferData& data,
                                                     std::int64_t elements,
                                                     std::int64_t most);

[[nodiscard]] Sample sample_of(const InferData& data, const Shape& shape,
                               std::int64_t elements);

}  // namespace stridewise::inference
