// Which values are equal enough, many of one type at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// What is known of up to `most` pairs of elements.
struct Marks {
  static constexpr std::int64_t most = 256;

  std::array<std::int64_t, most> fails;  // 1: not equal, and not near enough
  std::array<double, most> abs;  // infinite where one is no finite number
  // Of those that fail:
  std::int64_t count = 0;
  double max_abs = 0;         // with infinite ones
  double max_finite_abs = 0;  // without
  double max_rel = 0;         // finite ones
  std::int64_t max_ulp = 0;   // of real floats of up to 64 bits; else 0
  std::int64_t nan_a = 0;     // NaN in A alone
  std::int64_t nan_b = 0;
};

struct JudgeFunctions;

class Judge {
 public:
  Judge(const ElementType& type, const Tolerance& tolerance);

  [[nodiscard]] const Tolerance& tolerance() const { return tolerance_; }
  // Whether all of `count` neighbouring elements are equal enough.
  [[nodiscard]] bool all_pass(const std::byte* a, const std::byte* b,
                              std::int64_t count) const;
  // Pre: count <= Marks::most.
  void mark(const std::byte* a, const std::byte* b, std::int64_t count,
            Marks& marks) const;

  // Whether errors as doubles may be rounded: of integers of 64 bits.
  [[nodiscard]] bool rounds() const;
  // Whether the first pair differs by more than the second one. Pre: rounds().
  [[nodiscard]] bool larger(const std::byte* a, const std::byte* b,
                            const std::byte* than_a,
                            const std::byte* than_b) const;
  // Two elements with their error; no index, no bytes.
  [[nodiscard]] Difference describe(const std::byte* a,
                                    const std::byte* b) const;

 private:
  ElementType type_;
  Tolerance tolerance_;
  const JudgeFunctions* functions_;
};

}  // namespace stridewise::inspect
