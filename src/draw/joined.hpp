// Several axes as one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "draw/axis.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::draw {

// Coordinates in mixed radix, the last axis fastest.
struct Joined {
  std::vector<std::size_t> axes;
  std::vector<AxisTerm> terms;
  std::int64_t base = 0;
  std::int64_t extent = 1;  // gaps of pitches count
  std::int64_t used = 0;    // steps up to the last one of all digits

  // The axes first .. last - 1.
  Joined(const Layout& layout, std::size_t first, std::size_t last);

  [[nodiscard]] std::vector<std::int64_t> coordinates(
      const Layout& layout, std::int64_t joined) const;
  [[nodiscard]] std::int64_t place(const Layout& layout,
                                   std::int64_t joined) const;
  // Places from that one to the end of what holds it.
  [[nodiscard]] std::int64_t room(const Layout& layout,
                                  std::int64_t joined) const;
  // Of a place in the whole memory.
  [[nodiscard]] std::int64_t joined_of(const Layout& layout,
                                       std::int64_t place) const;
};

// Values of the digits at a coordinate; empty where the terms do not nest, or
// the coordinate is none of theirs.
[[nodiscard]] std::vector<std::int64_t> digits_at(const Joined& axis,
                                                  std::int64_t at);

}  // namespace stridewise::draw
