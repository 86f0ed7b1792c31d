// Division by a number known when a layout is bound: a shift where it is a
// power of two (most blocks are), the machine's division elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace stridewise {

class Divider {
 public:
  constexpr Divider() = default;
  // Pre: d > 0.
  constexpr explicit Divider(std::int64_t d)
      : d_(d),
        shift_(std::has_single_bit(static_cast<std::uint64_t>(d))
                   ? std::countr_zero(static_cast<std::uint64_t>(d))
                   : -1) {}

  [[nodiscard]] constexpr std::int64_t value() const { return d_; }

  // Pre: x >= 0.
  [[nodiscard]] constexpr std::int64_t quotient(std::int64_t x) const {
    return shift_ >= 0 ? x >> shift_ : unsigned_quotient(x);
  }
  [[nodiscard]] constexpr std::int64_t remainder(std::int64_t x) const {
    return shift_ >= 0 ? x & (d_ - 1) : x - unsigned_quotient(x) * d_;
  }

 private:
  // Halves the latency where both fit 32 bits, which is nearly always.
  [[nodiscard]] constexpr std::int64_t unsigned_quotient(std::int64_t x) const {
    const auto a = static_cast<std::uint64_t>(x);
    const auto b = static_cast<std::uint64_t>(d_);
    if (((a | b) >> 32) == 0) {
      return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    }
    return static_cast<std::int64_t>(a / b);
  }

  std::int64_t d_ = 1;
  std::int32_t shift_ = 0;
};

}  // namespace stridewise
