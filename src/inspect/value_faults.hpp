// Differences that are values, not places: a factor, an offset, a sign, a clamp, another
// rounding, the bytes of each element in reverse order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "inspect/compare.hpp"

namespace stridewise::inspect {

// "A is 2 times B, where c=3", "A is B times a factor of each c: 0.5, 2, 1.5 and so on";
// empty: no such rule explains what differs. `differ` are examples of it; by_dim counts
// it, as in DiffReport.
[[nodiscard]] std::string value_fault(const Sides& sides,
                                      const std::vector<Example>& differ,
                                      const std::vector<DiffCounts>& by_dim);

}  // namespace stridewise::inspect
