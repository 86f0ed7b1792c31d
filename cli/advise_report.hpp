// What `advise` answers: a table, sentences, JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common.hpp"

namespace stridewise::cli {

[[nodiscard]] Json candidate_json(const Candidate& candidate);

// A row for each candidate, and a sentence for each column that they have. `now`: the layout
// that the tensor is in, as a last row.
[[nodiscard]] std::string advise_table(const std::vector<Candidate>& candidates,
                                       const std::optional<Candidate>& now);

// What is to be said of a layout beside the best values of its own parameters; empty where
// those are its own.
[[nodiscard]] std::string verdict(const Candidate& now, const Candidate& best);

}  // namespace stridewise::cli
