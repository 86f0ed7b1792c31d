// The profile of this machine, found by measuring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/problem.hpp"

namespace stridewise::cli {

struct TuneProgress {
  std::int64_t tried;     // settings
  std::int64_t measured;  // plans
  double gain;  // how many times as fast the best profile is as the first
};

// The text of a profile with which plans of the problems are fastest in the mean (geometric),
// from the one that `machine` names on: numbers are changed one after the other, and what
// gains is kept. A plan is measured once, in turns with that of the first profile. Ends after
// so many seconds, or where nothing gains.
[[nodiscard]] std::string tune(
    const std::vector<BoundProblem>& problems, const std::string& machine,
    double most_seconds,
    const std::function<void(const TuneProgress&)>& progress);

}  // namespace stridewise::cli
