// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/convert.hpp"

#include "engine/kernels/walk.hpp"

namespace stridewise::engine {

void convert_runs(const Tile& tile, const Conversion& conversion,
                  bool streams) {
  ValueRuns runs{};
  runs.count = tile.columns;
  runs.runs = tile.rows;
  runs.src_pitch = tile.row_pitch;
  runs.dst_pitch = tile.column_pitch;
  each_plane(tile, [&](const std::byte* src, std::byte* dst) {
    runs.src = src;
    runs.dst = dst;
    if (streams) {
      conversion.values.stream(runs, conversion.quantisation);
    } else {
      conversion.values.run(runs, conversion.quantisation);
    }
  });
}

}  // namespace stridewise::engine
