// Facts -> costs, and the order of candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "stridewise/advise.hpp"

namespace stridewise::advising {

// All but `convert`, which price() of a pair of layouts tells. `reads`: whether an access is
// known, for lanes and conflicts.
void set_costs(Candidate& candidate, const Access& access);

// Of one alone: what is not known counts as nothing.
[[nodiscard]] double own_score(const Candidate& candidate,
                               const Weights& weights);

// Scores, marks the front, and sorts: those that fit first. Pre: costs are set.
void rank(std::vector<Candidate>& candidates, const Weights& weights);

}  // namespace stridewise::advising
