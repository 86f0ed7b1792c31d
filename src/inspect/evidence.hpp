// How much what was found says: whether A holds in some places what B has elsewhere, or
// whether values that are few agree by chance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "inspect/samples.hpp"

namespace stridewise::inspect {

// What a finding must have beyond the number of those that were tried: unrelated data
// give one in 2^40 times, if samples were independent.
inline constexpr double least_bits = 40;

// How surprising each of many trials is where such a share of them hits and chance gives
// another one: so many bits. Source: Chernoff's bound of the binomial tail,
// P(share of n hit) <= 2^(-n bits). 0 where chance gives as many.
[[nodiscard]] double bits_of(double share, double chance);

// How often pairs of one thing and another, that do not belong together, agree: what chance
// gives. agrees(k, j) of k != j, nullopt where such a pair tells nothing; `prior` counts as
// what two pairs have shown, as few pairs hardly tell it. Asks at most 2^14 pairs.
template <class Agrees>
double chance_of(std::size_t count, double prior, const Agrees& agrees) {
  // Enough to know a share by a hundredth.
  constexpr std::size_t most = 128;
  const std::size_t step = std::max<std::size_t>(1, count / most);
  double agree = 2 * prior;
  double all = 2;
  for (std::size_t k = 0; k < count; k += step) {
    for (std::size_t j = 0; j < count; j += step) {
      if (j == k) continue;
      const std::optional<bool> told = agrees(k, j);
      if (!told) continue;
      agree += *told ? 1 : 0;
      ++all;
    }
  }
  return agree / all;
}

// Pairs of a value of A and the one of B that a hypothesis says it is.
class Evidence {
 public:
  void add(const Sides& sides, const Element& a, const Element& b);

  [[nodiscard]] int pairs() const { return static_cast<int>(a_.size()); }
  [[nodiscard]] int agree() const { return agree_; }
  [[nodiscard]] double share() const {
    return a_.empty() ? 0 : static_cast<double>(agree_) / pairs();
  }
  // How often a value of A agrees with a value of B of another pair: what chance gives
  // with these values. Above 0 always, as pairs are finitely many.
  // Of few pairs that is hardly known: `prior` counts as what two more have shown.
  [[nodiscard]] double chance(const Sides& sides, double prior = 0.5) const;
  // How surprising so many agreements are where each comes by that chance.
  [[nodiscard]] double bits(const Sides& sides, double prior = 0.5) const {
    return pairs() * bits_of(share(), chance(sides, prior));
  }
  // Joins what another hypothesis of the same finding has.
  void join(const Evidence& other);

 private:
  std::vector<Element> a_;
  std::vector<Element> b_;
  int agree_ = 0;
};

}  // namespace stridewise::inspect
