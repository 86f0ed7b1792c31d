// Nests in forms that move faster: the same fields, in other tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// Joins nests that have the same outer tables: what they write to one byte is written at
// once.
[[nodiscard]] std::vector<FieldNest> joined(std::vector<FieldNest> nests);

// The nest as several whose outer tables step by whole bytes; itself where they do, or
// where too many would be needed.
[[nodiscard]] std::vector<FieldNest> in_whole_bytes(FieldNest nest);

// The bits of dst from the first of the innermost table to the last.
[[nodiscard]] std::int64_t span_of(const std::vector<Field>& fields);

// The least step of a loop in dst; bits.
[[nodiscard]] std::int64_t least_step(const PlaceLoop& loop);

// Whether all steps of a loop are whole bytes.
[[nodiscard]] bool steps_by_bytes(const PlaceLoop& loop);

// What lies within a byte in the base goes to the fields, so that the base is whole bytes.
void make_base_whole(FieldNest& nest);

}  // namespace stridewise::detail
