// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/nest.hpp"

namespace stridewise::engine {

void widen(Nest& nest, const Widths& widths) {
  const auto in_src = [&](std::int64_t& bytes) {
    bytes = bytes / widths.moved * widths.src;
  };
  const auto in_dst = [&](std::int64_t& bytes) {
    bytes = bytes / widths.moved * widths.dst;
  };
  in_src(nest.src_offset);
  in_dst(nest.dst_offset);
  for (BlockLoop& loop : nest.around) {
    in_src(loop.loop.src);
    in_dst(loop.loop.dst);
  }
  for (Loop& loop : nest.block) {
    in_src(loop.src);
    in_dst(loop.dst);
  }
  for (std::size_t s = 0; s < nest.steps.size(); ++s) {
    Step& step = nest.steps[s];
    if (!step.converts) continue;
    Tile& tile = step.tile;
    tile.columns /= widths.moved;
    step.element_bytes = widths.moved;
    for (std::size_t k = 0; k < step.cut.size(); ++k) {
      if (step.cut[k].count != Count::columns) continue;
      // A cut is of bytes, or of loops of so many bytes.
      if (step.cut[k].factor % widths.moved == 0) {
        step.cut[k].factor /= widths.moved;
      } else {
        nest.around[k].whole /= widths.moved;
        nest.around[k].last /= widths.moved;
      }
    }
    if (s == 0) {
      in_src(tile.row_pitch);
      for (Loop& plane : tile.planes) in_src(plane.src);
      for (Loop& row : step.rows) in_src(row.src);
    }
    if (s + 1 == nest.steps.size()) {
      in_dst(tile.column_pitch);
      for (Loop& plane : tile.planes) in_dst(plane.dst);
      for (Loop& row : step.rows) in_dst(row.dst);
    }
  }
}

}  // namespace stridewise::engine
