// Numbers that are near as codes that are equal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stridewise/infer.hpp"

namespace stridewise::inference {

// Both sides as elements of `width` bytes. Numbers within the tolerance have one code, but
// for a few at the borders where values are dense. That of zero is 0.
struct Coded {
  std::vector<std::byte> reference;
  std::vector<std::byte> dump;
};
[[nodiscard]] Coded code_numbers(std::span<const double> reference,
                                 std::span<const double> dump,
                                 const NearOptions& options);

// What makes integers of the reference.
struct Scale {
  double scale = 1;
  double zero_point = 0;

  [[nodiscard]] double quantise(double real,
                                const NearOptions::Range& range) const;
};

// The scale that makes the dump's integers of the reference, by their order: the n-th
// smallest of both sides belong together, but for padding. nullopt: there is none.
[[nodiscard]] std::optional<Scale> scale_by_rank(
    std::span<const double> reference, std::span<const double> dump,
    const NearOptions::Range& range);

// The scale by pairs that belong together; nullopt: they tell none.
[[nodiscard]] std::optional<Scale> scale_of_pairs(
    std::span<const double> reals, std::span<const double> integers,
    const NearOptions::Range& range);

}  // namespace stridewise::inference
