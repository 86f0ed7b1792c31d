// Rules by which a value of A comes from the value of B that it should be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stridewise/values.hpp"

namespace stridewise::inspect {

// A value of each side, as doubles.
struct Two {
  double a;
  double b;
};

struct Rule {
  std::string text;                  // "A is 2 times B"
  std::function<double(double)> of;  // what A is where B is that
};

// A number with as few digits as keep it within a part in 10^4, but for what digits serve.
[[nodiscard]] std::string print_number(double number);

// The factor that most of these pairs have, and the offset; nullopt where they tell none.
// Others may disagree. O(pairs log pairs).
[[nodiscard]] std::optional<double> factor_of(const std::vector<Two>& pairs);
[[nodiscard]] std::optional<double> offset_of(const std::vector<Two>& pairs);

// A sign, a factor, an offset, both.
[[nodiscard]] std::vector<Rule> linear_rules(const std::vector<Two>& pairs);

// Values that were rounded to a type of fewer bits on the way, or otherwise than to the
// nearest, or that wrapped around where they should saturate. `stored` is how A's elements
// become the values that are compared; nullopt: as they are.
[[nodiscard]] std::vector<Rule> rounding_rules(
    const std::optional<Values>& stored, const ElementType& compared);

// Limits that all of these pairs keep, where B is beyond them and A is not.
[[nodiscard]] std::optional<Rule> clamp_rule(const std::vector<Two>& pairs);

}  // namespace stridewise::inspect
