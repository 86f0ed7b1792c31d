// Least sums of functions of a few variables each: by elimination of one variable after the
// other (bucket elimination; Dechter 1999), with mini-buckets where a table would be too large.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stridewise::advising {

using Variable = std::size_t;

// What is not allowed costs.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

// A table over variables, the last one fastest. Infinite: not allowed.
struct Factor {
  std::vector<Variable> variables;
  std::vector<double> values;
};

struct Problem {
  std::vector<std::size_t> domains;  // values of each variable
  std::vector<Factor> factors;

  // The sum for an assignment.
  [[nodiscard]] double cost(const std::vector<std::size_t>& values) const;
};

struct Solution {
  std::vector<std::size_t> values;
  double cost = 0;   // infinite: none is allowed
  double bound = 0;  // no assignment costs less
};

// Tables have up to `most_entries`. Exact where those suffice: then bound == cost.
[[nodiscard]] Solution least(const Problem& problem, std::int64_t most_entries);

}  // namespace stridewise::advising
