// Plans for places that follow no plain strides of whole bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/planner/menu.hpp"
#include "machine/machine.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// Fills a plan whose sizes are set. Errors: those of plan_fields.
[[nodiscard]] Result<void> plan_by_fields(PlanData& data,
                                          const Machine& machine,
                                          const Layout& src, const Layout& dst,
                                          const PlanOptions& options,
                                          std::vector<engine::Bill>* bills);

}  // namespace stridewise::detail
