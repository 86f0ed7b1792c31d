// Elements of less than their bytes in the dump: nibbles, bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "stridewise/infer.hpp"

namespace stridewise::inference {

// decide() of a dump that is a stream of `packed_bits` bits each, without records. The
// dump is read as one byte, or as element_bytes, for each place.
[[nodiscard]] InferReport decide_packed(std::span<const InferPair> pairs,
                                        const InferOptions& options,
                                        std::int64_t elements);

}  // namespace stridewise::inference
