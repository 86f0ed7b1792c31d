// The pass that puts tails of blocks inside of others back: rows of a transpose of which
// some are zeros, and the fills that wrote those.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {
namespace {

using Loops = std::vector<PlanLoop>;

constexpr std::int64_t lane = 16, line = 64;

// The move as columns of up to a line, whose rows are zeros in some places; nullopt, and
// no fill is taken, where one loop of rows says all, or columns are few, or most rows
// zeros.
std::optional<Lowered> with_padded_rows(const Piece& move,
                                        std::vector<Piece>& fills,
                                        std::int64_t unit) {
  const Kernel* const kernel = find_kernel(KernelKind::padded_rows, unit);
  const auto column =
      std::ranges::find(move.loops, unit, &PlanLoop::src_stride);
  if (kernel == nullptr || column == move.loops.end() ||
      column->count * unit < lane || column->dst_stride < lane) {
    return std::nullopt;
  }
  const bool inside = std::ranges::any_of(move.loops, [&](const PlanLoop& l) {
    return l.dst_stride > unit && l.dst_stride < line;
  });
  if (!inside) return std::nullopt;
  Loops around = move.loops;
  std::vector<Piece> left = fills;
  Loops rows;  // the fastest last
  std::int64_t bytes = unit, present = unit;
  while (bytes < line) {
    const auto next = std::ranges::find(around, bytes, &PlanLoop::dst_stride);
    if (next == around.end() || next->src_stride == unit) break;
    const std::int64_t step = bytes, whole = next->count;
    auto row = take_most(around, next, line / step);
    if (!row) break;
    bytes *= row->count;
    present *= row->count;
    if (row->count == whole) {
      const std::int64_t more =
          unit * take_zeros(left, move.dst_offset + bytes, around, unit,
                            step / unit, (line - bytes) / unit);
      row->zeros = more / step;
      bytes += more;
    }
    rows.insert(rows.begin(), *row);
  }
  // Rows of zeros take as long as others.
  const bool few_zeros = present < bytes && 2 * present >= bytes;
  if (!few_zeros || rows.size() < 2 || bytes < lane) return std::nullopt;
  std::erase(around, *column);
  fills = std::move(left);
  return Lowered{PlanNest{.loops = std::move(around),
                          .tile = {{bytes / unit, 0, unit}, *column},
                          .rows = std::move(rows),
                          .element_bytes = unit,
                          .src_offset = move.src_offset,
                          .dst_offset = move.dst_offset},
                 kernel};
}

}  // namespace

std::vector<Lowered> take_padded_rows(std::vector<Piece>& moves,
                                      std::vector<Piece>& fills,
                                      std::int64_t element_bytes) {
  std::vector<Lowered> taken;
  std::erase_if(moves, [&](const Piece& move) {
    auto lowered = with_padded_rows(move, fills, element_bytes);
    if (lowered) taken.push_back(*std::move(lowered));
    return lowered.has_value();
  });
  return taken;
}

}  // namespace stridewise
