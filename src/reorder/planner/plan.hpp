// Plans for any machine, and why they are what they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/planner/menu.hpp"
#include "machine/machine.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// What is known before anything is planned.
[[nodiscard]] PlanData begin_data(const Layout& src, const Layout& dst,
                                  const PlanOptions& options);

// As Plan::make, for a machine. `bills`, if there are any, get one for each nest.
[[nodiscard]] Result<PlanData> plan_for(
    const Machine& machine, const Layout& src, const Layout& dst,
    const PlanOptions& options, std::vector<engine::Bill>* bills = nullptr);

}  // namespace stridewise::detail
