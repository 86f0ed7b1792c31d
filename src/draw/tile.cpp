// SPDX-License-Identifier: Apache-2.0
#include "draw/tile.hpp"

#include <algorithm>
#include <span>

#include "stridewise/reorder.hpp"

namespace stridewise::draw {
namespace {

// Is `rest` a sum of steps and less than `width`? Strides nest in most plans;
// where they do not, the next smaller count is tried too.
bool reaches(std::int64_t rest, std::span<const Tile::Loop> loops,
             std::int64_t width) {
  if (rest < 0) return false;
  if (loops.empty()) return rest < width;
  const Tile::Loop& loop = loops.front();
  std::int64_t room = width;  // what all smaller loops reach
  for (const Tile::Loop& inner : loops.subspan(1)) {
    room += (inner.count - 1) * inner.stride;
  }
  for (std::int64_t k = std::min(loop.count - 1, rest / loop.stride);
       k >= 0 && rest - k * loop.stride < room; --k) {
    if (reaches(rest - k * loop.stride, loops.subspan(1), width)) return true;
  }
  return false;
}

}  // namespace

bool Tile::holds(std::int64_t byte) const {
  return reaches(byte - begin, loops, width);
}

Result<Tile> make_tile(const Layout& src, const Layout& dst) {
  const Result<Plan> plan = Plan::make(src, dst);
  if (!plan) return unexpected(plan.error());
  Tile tile{.kernel = "none"};
  std::int64_t most = 0;
  for (const PlanNest& nest : plan->nests()) {
    if (nest.fills || nest.bytes <= most) continue;
    most = nest.bytes;
    tile = {.kernel = nest.kernel,
            .begin = nest.src_offset,
            .width = nest.element_bytes};
    const auto add = [&](const std::vector<PlanLoop>& many,
                         const PlanLoop& one) {
      for (const PlanLoop& loop : many.empty() ? std::vector{one} : many) {
        if (loop.count > 1) tile.loops.push_back({loop.count, loop.src_stride});
      }
    };
    add(nest.rows, nest.tile[0]);
    add(nest.columns, nest.tile[1]);
  }
  std::ranges::stable_sort(tile.loops, std::ranges::greater{},
                           &Tile::Loop::stride);
  return tile;
}

}  // namespace stridewise::draw
