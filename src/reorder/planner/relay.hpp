// Ways by a memory: elements of a few bits that a transpose would take from as many places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/planner/menu.hpp"
#include "machine/machine.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// Fills a plan for places that follow no plain strides of whole bytes, by a memory where
// that is better. Errors: those of plan_by_fields.
[[nodiscard]] Result<void> plan_irregular(PlanData& data,
                                          const Machine& machine,
                                          const Layout& src, const Layout& dst,
                                          const PlanOptions& options,
                                          std::vector<engine::Bill>* bills);

}  // namespace stridewise::detail
