// What reference and dump say of elements of whole bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "stridewise/infer.hpp"

namespace stridewise::inference {

// infer() without `packed_bits` and `record`. Pre: the sizes are those of the shape, which
// has elements. Cost as there.
[[nodiscard]] InferReport decide(std::span<const InferPair> pairs,
                                 const InferOptions& options,
                                 std::int64_t elements);

}  // namespace stridewise::inference
