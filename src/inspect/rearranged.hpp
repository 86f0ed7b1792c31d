// Differences that are elements in wrong places: which index, digit or coordinate
// holds what another one should.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "inspect/samples.hpp"

namespace stridewise::inspect {

// Sentences, from samples around what differs. counts: by dim, as in DiffReport.
[[nodiscard]] std::vector<std::string> rearrangements(
    const Sides& sides, const std::vector<DiffCounts>& by_dim);

}  // namespace stridewise::inspect
