// SPDX-License-Identifier: Apache-2.0
#include "layout/knowledge.hpp"

#include <algorithm>
#include <map>

#include "base/checked.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t most_values_tried = 1 << 18;

// 2 * lcm of all divs and periods: what the digits do repeats within half.
Checked two_periods(std::span<const Known> digits) {
  Checked common = 1;
  for (const Known& known : digits) {
    const BoundDigit& d = known.digit;
    if (common) common = lcm(*common, d.mod == 0 ? d.div : d.div * d.mod);
  }
  return mul(common, 2);
}

std::int64_t value(const BoundDigit& digit, std::int64_t x) {
  const std::int64_t v = (x + digit.bias) / digit.div;
  return digit.mod == 0 ? v : v % digit.mod;
}

}  // namespace

Climb climb(std::span<const Known> digits, std::int64_t bias,
            std::int64_t from) {
  Climb climb{.known = from};
  std::size_t of_bias = 0;
  for (const Known& known : digits) of_bias += known.digit.bias == bias ? 1 : 0;
  while (climb.known != BoundDigit::infinity) {
    const Known* best = nullptr;
    for (const Known& known : digits) {
      if (known.digit.bias == bias && climb.known % known.digit.div == 0 &&
          known.digit.period() > climb.known &&
          (best == nullptr || known.digit.period() > best->digit.period())) {
        best = &known;
      }
    }
    if (best == nullptr) break;
    climb.redundant = climb.redundant || best->digit.div != climb.known;
    climb.parts.push_back({best->slot, best->digit.div});
    climb.known = best->digit.period();
  }
  climb.redundant = climb.redundant || climb.parts.size() != of_bias ||
                    of_bias != digits.size();
  return climb;
}

Result<std::int64_t> common_period(std::span<const Known> digits) {
  Checked common = 1;
  for (const Known& known : digits) {
    if (known.digit.mod == 0 || !common) continue;
    common = lcm(*common, known.digit.period());
  }
  if (common && *common <= most_values_tried) return *common;
  return fail(ErrorCode::unsupported,
              "digits repeat so late together that what lies at a place cannot "
              "be told");
}

Result<std::optional<Collision>> collision(std::span<const Known> digits,
                                           std::int64_t low,
                                           std::int64_t high) {
  const std::int64_t range =
      std::min(high - low, two_periods(digits).value_or(high - low));
  if (range > most_values_tried) {
    return fail(ErrorCode::unsupported, "too irregular");
  }
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (std::int64_t x = low; x < low + range; ++x) {
    std::vector<std::int64_t> values;
    for (const Known& known : digits) values.push_back(value(known.digit, x));
    const auto [entry, fresh] = seen.emplace(std::move(values), x);
    if (!fresh) return Collision{entry->second, x};
  }
  return std::nullopt;
}

}  // namespace stridewise::detail
