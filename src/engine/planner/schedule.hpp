// Candidates as nests: what one block is, and how blocks are shared out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/planner/nest.hpp"
#include "engine/planner/steps.hpp"
#include "engine/planner/work.hpp"

namespace stridewise::engine {

// What is known of the whole conversion.
struct Reach {
  bool near = true;      // the caches next to a core hold both sides
  bool streams = false;  // stores pass by the caches
};

[[nodiscard]] Nest nest_of(Move move, const Machine& machine,
                           const Reach& reach);
[[nodiscard]] Nest nest_of(Staged staged, const Machine& machine,
                           const Reach& reach);
// Zeros where loops of dst lead, elements of such a width.
[[nodiscard]] Nest nest_of_zeros(Loops loops, std::int64_t width,
                                 const Machine& machine, const Reach& reach);

}  // namespace stridewise::engine
