// A digit of a bound layout, (x + bias) / div % mod, and what several tell of x.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace stridewise::detail {

struct BoundDigit {
  static constexpr std::int64_t infinity =
      std::numeric_limits<std::int64_t>::max();

  std::int64_t bias;
  std::int64_t div;
  std::int64_t mod;  // 0: none

  // After so many steps of x its values begin anew.
  [[nodiscard]] std::int64_t period() const {
    return mod == 0 ? infinity : div * mod;
  }
};

// The values of a digit that the indices of its dim reach: [low, low + count).
struct Reach {
  std::int64_t low;
  std::int64_t count;
};
[[nodiscard]] Reach reach_of(const BoundDigit& digit, std::int64_t extent);

// Digits of one bias, of which each extends what those before it tell: x + bias
// is the sum of weight * value over `parts`, known modulo `known`.
struct Chain {
  struct Part {
    std::size_t digit;
    std::int64_t weight;
  };
  std::int64_t bias = 0;
  std::int64_t known = 1;  // BoundDigit::infinity: exactly
  bool redundant =
      false;  // the digits tell more than the parts: check them all
  std::vector<Part> parts = {};

  [[nodiscard]] std::int64_t modulus() const {
    return known == BoundDigit::infinity ? 0 : known;
  }
};

// nullopt where the digits do not share a bias.
[[nodiscard]] std::optional<Chain> chain_of(std::span<const BoundDigit> digits);

}  // namespace stridewise::detail
