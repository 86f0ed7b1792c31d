// Runs the blocks of nests. Nothing here can fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/executor/convert.hpp"
#include "engine/planner/nest.hpp"

namespace stridewise::engine {

// What is read: from `begin` on, before `end`.
struct Source {
  const std::byte* begin;
  const std::byte* end;
};

// Task `task` of a nest, counted from its own first. `conversion` is there if a step of the
// nest converts. Pre: src and dst do not overlap.
void run_task(const Nest& nest, std::int64_t task, const Source& src,
              std::byte* dst, const Conversion* conversion = nullptr);

}  // namespace stridewise::engine
