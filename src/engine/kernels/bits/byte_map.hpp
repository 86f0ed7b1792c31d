// What programs make of codes in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace stridewise::engine {

// What becomes of a byte x: x ^ flip, no less than `low` and no more than `high`, less
// `minus`. So codes are narrowed to what their type holds, and signs widened.
struct ByteMap {
  std::uint8_t flip = 0;
  std::uint8_t low = 0;
  std::uint8_t high = 255;
  std::uint8_t minus = 0;

  [[nodiscard]] std::uint8_t of(unsigned x) const {
    const unsigned y = std::clamp<unsigned>(x ^ flip, low, high);
    return static_cast<std::uint8_t>(y - minus);
  }
  friend bool operator==(const ByteMap&, const ByteMap&) = default;
};

}  // namespace stridewise::engine
