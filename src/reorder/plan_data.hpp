// What a Plan keeps: nests with the work shared out. Written by the planner,
// read by the executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "reorder/kernels/kernel.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::detail {

// A nest is run by iterations: one step of its outer loops, times one part of
// its tile (a large tile is cut along `split_dim` into parts of `split_count`).
// Task t of the nest does iterations [t * per_task, (t + 1) * per_task).
struct ScheduledNest {
  PlanNest nest;
  const Kernel* kernel;
  void (*run)(const Tile&);  // of the kernel: with or without streaming
  std::vector<std::int64_t> row_offsets;  // of nest.rows; empty without them
  std::size_t split_dim;
  std::size_t zeros_dim;  // the zeros of the tile follow its last part there
  std::int64_t split_count;
  std::int64_t parts;
  std::int64_t iterations;
  std::int64_t per_task;
  std::int64_t first_task;
};

// Zeros the places that hold no element by asking the inverse of each: for
// layouts whose digits interleave so that no rectangles describe them.
struct Sieve {
  Layout layout;
  std::int64_t per_task;  // places
  std::int64_t first_task;
};

struct PlanData {
  std::vector<ScheduledNest> nests;
  std::optional<Sieve> sieve;  // its tasks come last
  std::int64_t tasks = 0;
  std::int64_t src_bytes = 0;
  std::int64_t dst_bytes = 0;
};

// Cuts tiles and counts tasks; appends to data.nests and data.tasks.
void schedule(PlanData& data, PlanNest nest, bool streams);
void schedule_sieve(PlanData& data, const Layout& layout);

}  // namespace stridewise::detail
