// How the innermost table of a nest is moved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// Chooses the kind of a nest whose base and tables are set, and fills what it needs.
void choose_kind(FieldNest& nest, const std::optional<Values>& values);

}  // namespace stridewise::detail
