// The pass over all elements: counts, errors and the first and worst of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/samples.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// An element that differs.
struct Example {
  Index index;
  Element a, b;
};

// What the pass collects beside the report.
struct Extent {
  std::int64_t first_byte_a = -1;  // least and largest place that differs
  std::int64_t last_byte_a = -1;
  std::vector<Example> examples = {};  // at random, up to 512
};

// Fills all of the report but its findings.
[[nodiscard]] Result<Extent> compare(const Sides& sides,
                                     const DiffOptions& options,
                                     DiffReport& report);

}  // namespace stridewise::inspect
