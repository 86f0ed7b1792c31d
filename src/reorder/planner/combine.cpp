// The pass that decides where streaming stores need whole lines put together in
// the nearest cache first: dst is read and written again by memory where a line
// streams in parts.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise::detail {
namespace {

// Puts columns that follow each other in dst one after the other, and each run
// of them as far from a line as it is in dst.
Combine combine_columns(std::span<const std::int64_t> offsets,
                        std::int64_t column_bytes) {
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t k) { return offsets[k]; });
  Combine combine;
  combine.columns = std::ssize(offsets);
  combine.spared = line;
  combine.offsets.resize(offsets.size());
  std::int64_t end = 0;
  for (const std::size_t k : order) {
    const std::int64_t at = offsets[k];
    if (combine.runs.empty() ||
        at != combine.runs.back().dst + combine.runs.back().bytes) {
      end = ceil_div(end, line) * line + at % line;
      combine.runs.push_back({end, at, 0});
    }
    combine.offsets[k] = end;
    combine.runs.back().bytes += column_bytes;
    end += column_bytes;
  }
  return combine;
}

}  // namespace

Combine combine_of(const PlanNest& nest, const Kernel& kernel,
                   std::span<const std::int64_t> column_offsets,
                   bool crowded_src) {
  // Bytes of a block, which fits a page wherever in a line it begins.
  constexpr std::int64_t some = (4 << 10) - line;
  constexpr std::int64_t long_run = 1 << 10;
  const std::int64_t unit = kernel.element_bytes;
  const std::int64_t column = (nest.tile[0].count + nest.zeros) * unit;
  // Elements of 16 bytes and more are written in order as they are. Of long
  // columns that begin and end with lines, or as far after them as dst does, all
  // but two lines are written whole; longer ones stream from anywhere.
  const bool by_lines =
      column % line == 0 &&
      std::ranges::all_of(column_offsets,
                          [](std::int64_t at) { return at % line == 0; });
  const bool longest = column > 16 * line && nest.zeros == 0;
  if (kernel.kind != KernelKind::transpose || unit >= 16 ||
      column > most_combined || longest || (by_lines && column > 8 * line)) {
    return {};
  }
  if (nest.columns.empty()) {
    // Rows that kernels pack are worth packing by some lines. Where such blocks do not
    // fit, long columns stream by themselves; short ones are put together by one line
    // of each row.
    const bool fits = 4 * line / unit * column <= most_combined;
    const bool packs = nest.zeros > 0 || !nest.rows.empty();
    if (packs && !fits && column >= long_column) return {};
    const bool packed = fits && (packs || crowded_src);
    const std::int64_t least = (packed ? 4 : 1) * line / unit;
    const std::int64_t columns =
        std::max<std::int64_t>(some / (column * least), 1) * least;
    const bool odd = column % line != 0 && column != line / 2;
    const bool some_lines = column > line;
    if (nest.tile[1].dst_stride != column || !(odd || some_lines) ||
        columns * column > most_combined) {
      return {};
    }
    const std::int64_t some_columns = std::min(columns, nest.tile[1].count);
    return {.columns = some_columns,
            .spared = odd              ? 0
                      : nest.zeros > 0 ? line
                                       : unit,
            .offsets = {},
            .runs = {{0, 0, some_columns * column}}};
  }
  Combine best;
  std::int64_t columns = 1;
  for (std::size_t k = nest.columns.size(); k-- > 0;) {
    columns *= nest.columns[k].count;
    if (columns * column > most_combined) break;
    Combine combine = combine_columns(
        column_offsets.first(static_cast<std::size_t>(columns)), column);
    if (combine.runs.back().stage + combine.runs.back().bytes > most_combined) {
      break;
    }
    const std::int64_t run = combine.runs.front().bytes;
    if (run >= 4 * line &&
        (best.runs.empty() || (best.runs.front().bytes < long_run &&
                               best.runs.front().bytes < run))) {
      best = std::move(combine);
    }
  }
  return best;
}

}  // namespace stridewise::detail
