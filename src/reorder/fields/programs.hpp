// Nests that a program of the engine moves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// The same moves by programs; none where one of them would not be faster than the kinds
// that choose_kind knows.
[[nodiscard]] std::vector<FieldNest> with_programs(
    const FieldNest& nest, const std::optional<Values>& values,
    const ProgramOptions& options);

// Whether the one nest there is writes each of so many bytes of dst, as a program.
[[nodiscard]] bool writes_all(const std::vector<FieldNest>& nests,
                              std::int64_t bytes);

}  // namespace stridewise::detail
