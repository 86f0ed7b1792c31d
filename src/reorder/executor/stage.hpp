// A tile by way of a buffer in the nearest cache: values are converted from runs
// that lie ready there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// Does what scheduled.run(tile) stands for. `at` is where the tile begins in
// dst as the plan sees it, in bytes from `dst`; tile.dst is not used. Pre: the
// tile has no loops around it and fits the stage.
void run_staged(const PlanData& data, const ScheduledNest& scheduled, Tile tile,
                std::byte* dst, std::int64_t at);

}  // namespace stridewise::detail
