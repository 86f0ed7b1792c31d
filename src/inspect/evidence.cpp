// SPDX-License-Identifier: Apache-2.0
#include "inspect/evidence.hpp"

#include <cmath>

namespace stridewise::inspect {

void Evidence::add(const Sides& sides, const Element& a, const Element& b) {
  a_.push_back(a);
  b_.push_back(b);
  agree_ += sides.near(a, b) ? 1 : 0;
}

void Evidence::join(const Evidence& other) {
  a_.insert(a_.end(), other.a_.begin(), other.a_.end());
  b_.insert(b_.end(), other.b_.begin(), other.b_.end());
  agree_ += other.agree_;
}

double Evidence::chance(const Sides& sides, double prior) const {
  return chance_of(a_.size(), prior,
                   [&](std::size_t k, std::size_t j) -> std::optional<bool> {
                     return sides.near(a_[k], b_[j]);
                   });
}

double bits_of(double share, double chance) {
  if (share <= chance) return 0;
  const double hit = share * std::log2(share / chance);
  return share < 1 ? hit + (1 - share) * std::log2((1 - share) / (1 - chance))
                   : hit;
}

}  // namespace stridewise::inspect
