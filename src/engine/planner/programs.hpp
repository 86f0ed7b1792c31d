// The candidate that is a program: which loops make its run of dst.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/kernels/program_table.hpp"
#include "engine/planner/work.hpp"

namespace stridewise::engine {

// The cheapest program for a work that costs less than `cycles`, if there is one.
[[nodiscard]] std::optional<Move> best_program(const Work& work,
                                               const Machine& machine,
                                               double cycles);

// The table of such a move for its kernel.
[[nodiscard]] ProgramMemory program_of(const Move& move, const Kernel& kernel);

}  // namespace stridewise::engine
