// The pass over all elements: counts, errors and the first and worst of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/rearranged.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// What the pass collects beside the report.
struct Extent {
  std::int64_t first_byte_a = -1;  // least and largest place that differs
  std::int64_t last_byte_a = -1;
};

// Fills all of the report but its findings.
[[nodiscard]] Result<Extent> compare(const Sides& sides,
                                     const DiffOptions& options,
                                     DiffReport& report);

}  // namespace stridewise::inspect
