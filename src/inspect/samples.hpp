// Elements that are asked where their values are: those of a comparison, drawn at
// random.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

using Index = std::vector<std::int64_t>;

inline constexpr int samples = 48;  // asked for one question

// Both sides of a comparison; B is the reference.
struct Sides {
  const Layout& a;
  std::span<const std::byte> a_bytes;
  const Layout& b;
  std::span<const std::byte> b_bytes;

  [[nodiscard]] std::size_t width() const {
    return static_cast<std::size_t>(a.element_bytes());
  }
  [[nodiscard]] const std::byte* at_a(const Index& x) const {
    return place_a(a.offset(x));
  }
  [[nodiscard]] const std::byte* at_b(const Index& x) const {
    return b_bytes.data() + static_cast<std::size_t>(b.offset(x)) * width();
  }
  // Pre: within A.
  [[nodiscard]] const std::byte* place_a(std::int64_t place) const {
    return a_bytes.data() + static_cast<std::size_t>(place) * width();
  }
  [[nodiscard]] bool same(const std::byte* x, const std::byte* y) const {
    return std::memcmp(x, y, width()) == 0;
  }
  // Whether A has at this place what B has of x.
  [[nodiscard]] bool has(std::int64_t place, const Index& x) const {
    return place >= 0 && place < a.places() && same(place_a(place), at_b(x));
  }
};

}  // namespace stridewise::inspect
