// A tensor that is a part of records: each record has some of it, at the same place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "stridewise/infer.hpp"

namespace stridewise::inference {

// infer() of the bytes that the part has in all records, one after the other, told as
// "rec=... |bytes of a record| @place ...". A place that is not told is looked for: where
// the part has as many bits 1 as the reference. O(records + what infer() takes, for each
// such place). Errors: a part that leaves the record, or whose size must be told.
[[nodiscard]] Result<InferReport> decide_in_records(
    std::span<const InferPair> pairs, const InferOptions& options,
    std::int64_t elements);

}  // namespace stridewise::inference
