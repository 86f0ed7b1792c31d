// Zeros where no element is, as parts of a program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/bits/bit_program.hpp"
#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// Whether blocks of a nest lie apart in dst: each loop steps over all that is within.
[[nodiscard]] bool lies_apart(const FieldNest& nest);

// Writes zeros to what no element is in, within blocks, and between them where `between`.
// False where blocks do not lie apart. Pre: parts ascend in dst.
[[nodiscard]] bool fill_zeros(const FieldNest& nest, std::int64_t dst_bits,
                              bool between,
                              std::vector<engine::BitPart>& parts);

}  // namespace stridewise::detail
