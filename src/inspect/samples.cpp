// SPDX-License-Identifier: Apache-2.0
#include "inspect/samples.hpp"

#include <algorithm>
#include <set>

#include "base/random.hpp"

namespace stridewise::inspect {
namespace {

std::int64_t indices_of(const Offer& offer) {
  std::int64_t count = 0;
  for (const std::int64_t range : offer.ranges) {
    count += std::min(offer.step, offer.extent - range * offer.step);
  }
  return count;
}

// Index number k of those that a dim offers.
std::int64_t index_at(const Offer& offer, std::int64_t k) {
  return offer.ranges[static_cast<std::size_t>(k / offer.step)] * offer.step +
         k % offer.step;
}

}  // namespace

std::vector<Offer> all_indices(const Shape& shape) {
  std::vector<Offer> all;
  for (const Dim& dim : shape) {
    all.push_back({.ranges = {0}, .step = dim.extent, .extent = dim.extent});
  }
  return all;
}

Offer counted_indices(const DiffCounts& counts) {
  Offer offer{.ranges = {}, .step = counts.step, .extent = counts.extent};
  for (std::size_t k = 0; k < counts.counts.size(); ++k) {
    if (counts.counts[k] == 0) continue;
    offer.ranges.push_back(static_cast<std::int64_t>(k));
  }
  return offer;
}

std::vector<Index> draw(std::span<const Offer> offers, int count) {
  std::vector<std::int64_t> counts;
  std::int64_t all = 1;
  for (const Offer& offer : offers) {
    counts.push_back(indices_of(offer));
    if (counts.back() == 0) return {};
    all = all > count ? all : all * counts.back();
  }
  std::vector<Index> drawn;
  const auto add = [&](auto number_of) {
    Index& x = drawn.emplace_back();
    for (std::size_t d = 0; d < offers.size(); ++d) {
      x.push_back(index_at(offers[d], number_of(counts[d])));
    }
  };
  if (all <= count) {
    for (std::int64_t k = 0; k < all; ++k) {
      std::int64_t rest = k;
      add([&rest](std::int64_t of) {
        const std::int64_t number = rest % of;
        rest /= of;
        return number;
      });
    }
    return drawn;
  }
  Sequence sequence;
  std::set<Index> known;
  // Of few more than are asked for, most are drawn again and again.
  for (int tries = 0; std::ssize(drawn) < count && tries < 4 * count; ++tries) {
    add([&sequence](std::int64_t of) { return sequence.below(of); });
    if (!known.insert(drawn.back()).second) drawn.pop_back();
  }
  return drawn;
}

}  // namespace stridewise::inspect
