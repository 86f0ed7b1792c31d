// The places of a nest's outer tables, one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reorder/fields/field_plan.hpp"

namespace stridewise::detail {

// Calls visit(src, dst) for each step of a loop from `base` on, in bits.
template <class Visit>
void each_step(const PlaceLoop& loop, const Places& base, const Visit& visit) {
  if (loop.places.empty()) {
    Places at = base;
    for (std::int64_t k = 0; k < loop.count; ++k) {
      visit(at.src, at.dst);
      at.src += loop.step.src;
      at.dst += loop.step.dst;
    }
    return;
  }
  for (const Places& p : loop.places) visit(base.src + p.src, base.dst + p.dst);
}

// The same for each combination of the outer tables; the last one has a loop of its own.
template <class Visit>
void each_place(const FieldNest& nest, const Visit& visit) {
  if (nest.outer.empty()) return visit(nest.base.src, nest.base.dst);
  std::array<std::int64_t, most_loops> at{};
  std::array<Places, most_loops + 1> sum;  // NOLINT: filled below
  const std::size_t depth = nest.outer.size() - 1;
  sum[0] = nest.base;
  std::size_t changed = 0;
  for (;;) {
    for (std::size_t k = changed; k < depth; ++k) {
      const Places step = nest.outer[k].at(at[k]);
      sum[k + 1] = {sum[k].src + step.src, sum[k].dst + step.dst};
    }
    each_step(nest.outer[depth], sum[depth], visit);
    std::size_t k = depth;
    while (k > 0 && ++at[k - 1] == nest.outer[k - 1].size()) at[--k] = 0;
    if (k == 0) return;
    changed = k - 1;
  }
}

}  // namespace stridewise::detail
