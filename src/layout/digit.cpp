// SPDX-License-Identifier: Apache-2.0
#include "layout/digit.hpp"

#include <algorithm>

namespace stridewise::detail {

Reach reach_of(const BoundDigit& digit, std::int64_t extent) {
  if (extent == 0) return {0, 1};
  const std::int64_t low = digit.bias / digit.div;
  const std::int64_t high = (digit.bias + extent - 1) / digit.div;
  if (digit.mod == 0) return {low, high - low + 1};
  if (low / digit.mod != high / digit.mod) return {0, digit.mod};
  return {low % digit.mod, high - low + 1};
}

// Climbs from y % 1 to y % known: a digit (y / div) % mod with div | known extends
// what is known of y to div * mod.
std::optional<Chain> chain_of(std::span<const BoundDigit> digits) {
  if (digits.empty()) return Chain{};
  Chain chain{.bias = digits[0].bias};
  if (!std::ranges::all_of(
          digits, [&](const BoundDigit& d) { return d.bias == chain.bias; })) {
    return std::nullopt;
  }
  while (chain.known != BoundDigit::infinity) {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      if (chain.known % digits[k].div == 0 &&
          digits[k].period() > chain.known &&
          (!best || digits[k].period() > digits[*best].period())) {
        best = k;
      }
    }
    if (!best) break;
    chain.redundant = chain.redundant || digits[*best].div != chain.known;
    chain.parts.push_back({*best, digits[*best].div});
    chain.known = digits[*best].period();
  }
  chain.redundant = chain.redundant || chain.parts.size() != digits.size();
  return chain;
}

}  // namespace stridewise::detail
