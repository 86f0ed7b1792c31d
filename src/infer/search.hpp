// Layouts that explain a dump of repeating values, by trying them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "infer/data.hpp"
#include "infer/names.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::inference {

struct SearchResult {
  std::vector<InferFit> fits;  // different functions, at most 16
  // Where there are none: those that explain most of a sample, at most 16.
  std::vector<InferFit> near;
};

// The catalogue with parameters in customary ranges, tags of up to three blocks,
// and dims in every order with an alignment, a pitch or a base.
[[nodiscard]] SearchResult search_layouts(const InferData& data,
                                          const Dims& dims,
                                          std::int64_t elements);

}  // namespace stridewise::inference
