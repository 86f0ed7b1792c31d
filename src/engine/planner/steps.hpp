// The candidates by stages: a block is brought into a buffer in the nearest cache, perhaps
// to another one, and from there to dst.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/planner/nest.hpp"
#include "engine/planner/work.hpp"

namespace stridewise::engine {

// Blocks of a work: some iterations of each of its loops.
struct Staged {
  std::vector<BlockLoop> around;  // over blocks, the innermost first
  Loops block;                    // in src and dst
  std::vector<Move>
      moves;  // of a block: into a stage, perhaps to another, and out of it
  std::int64_t bytes = 0;  // of the stage
  double cycles = 0;       // for all of it
};

// What the stage is laid out for, and how large blocks may be.
struct StageChoice {
  std::int64_t most_bytes;
  bool far = false;              // the last step copies whole runs of dst
  bool streams = false;          // past the caches
  bool converts_before = false;  // the first step copies whole runs of src
  bool tells_all = false;        // also those that cost more
};

// Those that cost less than that and than each one before.
void propose_staged(const Work& work, const Machine& machine,
                    const StageChoice& choice, double less_than,
                    std::vector<Staged>& all);

}  // namespace stridewise::engine
