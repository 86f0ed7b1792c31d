// Values of elements whose bits lie apart.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// The stages that change values between src and dst, one of which tells where single bits
// lie: src where `src_apart`, else dst. Pre: options.values.
[[nodiscard]] Result<std::vector<FieldPlan::Stage>> plan_stages(
    const Layout& src, const Layout& dst, const PlanOptions& options,
    const ProgramOptions& programs, bool src_apart);

}  // namespace stridewise::detail
