// SPDX-License-Identifier: Apache-2.0
#include "inspect/evidence.hpp"

#include <algorithm>
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
  // Enough to know a share by a hundredth.
  constexpr std::size_t most = 128;
  const std::size_t step = std::max<std::size_t>(1, a_.size() / most);
  double agree = 2 * prior;
  double all = 2;
  for (std::size_t k = 0; k < a_.size(); k += step) {
    for (std::size_t j = 0; j < b_.size(); j += step) {
      if (j == k) continue;
      agree += sides.near(a_[k], b_[j]) ? 1 : 0;
      ++all;
    }
  }
  return agree / all;
}

double bits_of(double share, double chance) {
  if (share <= chance) return 0;
  const double hit = share * std::log2(share / chance);
  return share < 1 ? hit + (1 - share) * std::log2((1 - share) / (1 - chance))
                   : hit;
}

}  // namespace stridewise::inspect
