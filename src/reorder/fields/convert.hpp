// Fields whose values change on the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reorder/fields/field_plan.hpp"
#include "stridewise/values.hpp"

namespace stridewise::detail {

// A nest of kind `values`: each field is an element of src. Pre: as FieldPlan::run; src has
// `src_bytes` bytes.
void convert_fields(const FieldNest& nest, const Values& values,
                    const std::byte* src, std::int64_t src_bytes,
                    std::byte* dst);

}  // namespace stridewise::detail
