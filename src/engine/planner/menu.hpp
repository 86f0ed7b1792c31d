// The candidates for a move, each with its price: the cheapest becomes the nest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/planner/nest.hpp"
#include "engine/planner/schedule.hpp"
#include "engine/planner/work.hpp"

namespace stridewise::engine {

// A way to move a work, and why it costs what it does.
struct Candidate {
  std::string way;
  double cycles_per_byte;
  std::string why;
};
// All that were weighed; the first is the one that was taken.
using Bill = std::vector<Candidate>;

// What each way does, in a line.
struct MenuRow {
  std::string_view name;
  std::string_view what;
};
[[nodiscard]] std::span<const MenuRow> menu_rows();

// The nest for a work on a machine; a bill, if one is asked for, gets all candidates. Its
// offsets and tasks are left to the caller. Pre: the loops of the work are merged where they
// can be, and each has two iterations at least.
[[nodiscard]] Nest choose(const Work& work, const Machine& machine,
                          const Reach& reach, Bill* bill = nullptr);

// The same where values change: on the way of runs that both sides have, or before a move to
// dst, or after one from src. The caller widens the nest. Nothing where zeros make blocks
// too large: then they are to be written by themselves.
enum class Converts : std::uint8_t { before, after };
[[nodiscard]] std::optional<Nest> choose_converting(const Work& work,
                                                    const Machine& machine,
                                                    const Reach& reach,
                                                    Converts converts,
                                                    Bill* bill = nullptr);

}  // namespace stridewise::engine
