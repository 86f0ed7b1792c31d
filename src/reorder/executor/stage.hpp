// Values that change on the way. The kernel moves the narrower of the two types:
// where src's is wider, its values are converted into a buffer in the nearest cache,
// from which the kernel moves them as if it were src; where dst's is wider, the
// kernel moves them into the buffer, and runs of them are converted into dst. Where
// dst is padded with zeros that converting would change, kernels move dst's type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// Converts the runs of src that a tile of copies is.
void convert_directly(const PlanData& data, const ScheduledNest& scheduled,
                      const Tile& tile);

// The same tile with its values in `stage`, converted; tile.src is where it begins
// in src. Pre: the nest converts before its kernel, and `stage` has stage_bytes.
[[nodiscard]] Tile read_staged(const PlanData& data,
                               const ScheduledNest& scheduled, Tile tile,
                               std::byte* stage);

// Runs the kernel of a nest that converts after it; tile.dst is where the tile
// begins in dst.
void write_staged(const PlanData& data, const ScheduledNest& scheduled,
                  const Tile& tile, std::byte* stage);

}  // namespace stridewise::detail
