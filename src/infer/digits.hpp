// The steps of one dim -> digits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stridewise::inference {

// Digits of one bias, each dividing the next: ((x + bias) / div) % mod.
struct Chain {
  struct Part {
    std::int64_t div;
    std::int64_t mod;  // 0: the rest of the dim
    std::int64_t stride;

    friend bool operator==(const Part&, const Part&) = default;
  };
  std::int64_t bias = 0;
  std::vector<Part> parts;  // fastest first; none: the dim has one index

  // The same sum, in which no digit has values of x / div from both sides of `div`: where
  // a digit spans it, it becomes two. Unchanged where that is no whole number of steps.
  [[nodiscard]] Chain cut_at(std::int64_t div) const;

  // The sum of digit * stride at index x.
  [[nodiscard]] std::int64_t at(std::int64_t x) const;

  friend bool operator==(const Chain&, const Chain&) = default;
};

// The chains whose sums differ from the steps by one constant, the simplest
// first. Several where a block is cut by both ends of the dim, so that its size
// does not show. `origin`, a stride or two of where index 0 lies, suggests a bias.
// Steps may be `unknown`. Strides are positive multiples of `unit`. Empty: no
// chain does.
[[nodiscard]] std::vector<Chain> fit_chains(std::span<const std::int64_t> steps,
                                            std::int64_t origin,
                                            std::int64_t unit);

// The first of those whose bias is 0; nullopt: there is none. With `falling`, strides may
// be negative: a digit that runs backwards.
[[nodiscard]] std::optional<Chain> fit_chain_from_zero(
    std::span<const std::int64_t> steps, bool falling = false);

}  // namespace stridewise::inference
