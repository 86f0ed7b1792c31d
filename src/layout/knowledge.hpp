// What digits tell of a variable: values of (y / div) % mod for y = x + bias, by slot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layout/digit.hpp"
#include "layout/inverse.hpp"

namespace stridewise::detail {

struct Known {
  BoundDigit digit;
  std::int32_t slot;
};

// Digits that each extend what those before them tell of y, from multiples of `from` up.
struct Climb {
  std::vector<DecodeStep::Part> parts = {};
  std::int64_t known =
      1;  // y / from is known modulo known / from; infinity: exactly
  bool redundant = false;  // the digits tell more than the parts

  [[nodiscard]] std::int64_t modulus() const {
    return known == BoundDigit::infinity ? 0 : known;
  }
};

// Takes digits of that bias alone. O(digits^2).
[[nodiscard]] Climb climb(std::span<const Known> digits, std::int64_t bias,
                          std::int64_t from);

// Two values in [low, high) that all the digits map to the same; nullopt where there are
// none. Exact: what collides anywhere collides within two common periods. Error
// unsupported where that is too many to try.
struct Collision {
  std::int64_t a, b;
};
[[nodiscard]] Result<std::optional<Collision>> collision(
    std::span<const Known> digits, std::int64_t low, std::int64_t high);

// After so many values those digits that have a mod repeat. Error unsupported where that
// is more than can be searched.
[[nodiscard]] Result<std::int64_t> common_period(std::span<const Known> digits);

}  // namespace stridewise::detail
