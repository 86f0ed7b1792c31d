// How a block lies in a stage, and what brings it there and from there to dst.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/planner/block.hpp"
#include "engine/planner/nest.hpp"
#include "engine/planner/work.hpp"

namespace stridewise::engine {

// The order of a stage: one loop nearest, if there is such, and all else as on a side.
struct StageOrder {
  std::size_t nearest;
  Side as;
};

struct InStage {
  std::vector<BlockLoop> around;  // over blocks, the innermost first
  Work first, second;             // of a block: into the stage, and out of it
  Loops block;                    // of its own, in src and dst
  std::int64_t bytes = 0;         // of the stage
  // Which cut the loop has by which runs of dst go on from block to block, and how many
  // more iterations of it the stage has than are the block's own; 0: none.
  std::int64_t joint = 0;
  std::int64_t joined = 0;
};

// Nothing where the stage would be too large, zeros would not follow whole runs of dst, or
// the last block would have less than those before it read of it.
[[nodiscard]] std::optional<InStage> lay_out_stage(const Work& work,
                                                   const Block& block,
                                                   const StageOrder& order,
                                                   std::int64_t joined);

// A work out of the stage, of no more than what is the block's own.
[[nodiscard]] Work own_part(const InStage& stage, Work out);

// Drops loops of one iteration, sorts the others by dst, and merges each that continues
// another on both sides, but for those that are cut.
[[nodiscard]] Loops normalised(Loops loops);

}  // namespace stridewise::engine
