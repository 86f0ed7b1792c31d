// The model of what kernels cost, by which plans choose between ways to move a piece.
// Fitted to measurements of a machine with AVX-512; what is compared differs by more.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>

#include "reorder/kernels/grouped_blocks.hpp"
#include "reorder/plan_data.hpp"
#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {
namespace {

std::int64_t bytes_of_tile(const PlanNest& nest) {
  return nest.tile[0].count * nest.tile[1].count * nest.element_bytes;
}

// What a tile takes in dst, with its zeros.
std::int64_t dst_of_tile(const PlanNest& nest) {
  return (nest.tile[0].count + nest.zeros) * nest.tile[1].count *
         nest.element_bytes;
}

// The bytes of src from the first to the last element of a tile.
std::int64_t reach_of_tile(const PlanNest& nest) {
  if (!nest.rows.empty()) {
    std::int64_t reach = nest.tile[1].count * nest.element_bytes;
    for (const PlanLoop& loop : nest.rows) {
      reach += (loop.count - 1) * loop.src_stride;
    }
    return reach;
  }
  return (nest.tile[0].count - 1) * nest.tile[0].src_stride +
         nest.tile[1].count * nest.element_bytes;
}

// Whether tiles are permuted to whole vectors, from as many. Of lanes, each takes more.
bool fills_vectors(const Lowered& lowered) {
  const Kernel& kernel = *lowered.kernel;
  const std::int64_t tile = dst_of_tile(lowered.nest);
  return kernel.kind == KernelKind::permuted && !permutes_lanes(kernel) &&
         tile % permuted_vector(kernel) == 0 &&
         reach_of_tile(lowered.nest) <= tile;
}

// What permuted tiles take more that do not follow each other in dst, or only a few:
// vectors are then loaded and stored in part.
double cost_of_parts(const PlanNest& nest) {
  constexpr double of_tile = 60;
  constexpr std::int64_t some = 256;  // bytes
  const std::int64_t tile = dst_of_tile(nest);
  const bool many = !nest.loops.empty() &&
                    nest.loops.back().dst_stride == tile &&
                    nest.loops.back().count * tile >= some;
  return many ? 0 : of_tile / static_cast<double>(tile);
}

// What blocks of many loops take more: all vectors that hold one in src are loaded, and
// each of dst is permuted from them.
double cost_of_block(const PlanNest& nest, std::int64_t vector) {
  constexpr double of_vector = 11;
  const std::int64_t tile = dst_of_tile(nest);
  const std::int64_t ins = ceil_div(reach_of_tile(nest), vector);
  const std::int64_t outs = ceil_div(tile, vector);
  const std::int64_t moved = 2 * ins + outs * (2 + ins);
  return of_vector * static_cast<double>(moved) / static_cast<double>(tile);
}

// What they take more where lanes alone are permuted: each one of dst is put together
// from all that hold the tile in src.
double cost_of_lanes(const PlanNest& nest) {
  constexpr std::int64_t lane = 16;
  constexpr double of_lane = 0.1 * lane;
  const std::int64_t tile = dst_of_tile(nest);
  const std::int64_t lanes =
      ceil_div(reach_of_tile(nest), lane) * ceil_div(tile, lane);
  return of_lane * static_cast<double>(lanes) / static_cast<double>(tile);
}

// What calls take of a tile of so many bytes and that many loops around it.
double cost_of_loops(std::span<const PlanLoop> around, std::size_t loops,
                     std::int64_t tile_bytes) {
  constexpr double call = 1400, much = 32 << 10;
  auto bytes = static_cast<double>(tile_bytes);
  for (const PlanLoop& loop : around.last(std::min(around.size(), loops))) {
    bytes *= static_cast<double>(loop.count);
  }
  return call / std::min(bytes, much);
}

}  // namespace

double cost_of(const Lowered& lowered) {
  constexpr double least = 1.6, lane = 16;
  const PlanNest& nest = lowered.nest;
  const auto unit = static_cast<double>(lowered.kernel->element_bytes);
  const double rows =
      static_cast<double>(nest.tile[0].count + nest.zeros) * unit;
  const double columns = static_cast<double>(nest.tile[1].count) * unit;
  switch (lowered.kernel->kind) {
    case KernelKind::copy:
    case KernelKind::fill:
      return 1 + 100 / columns;
    case KernelKind::permuted:
      return least + (fills_vectors(lowered) ? 0 : cost_of_parts(nest)) +
             (permutes_lanes(*lowered.kernel) ? cost_of_lanes(nest) : 0) +
             (nest.rows.empty()
                  ? 0
                  : cost_of_block(nest, permuted_vector(*lowered.kernel)));
    case KernelKind::ungrouped:
      return least + 1;  // by way of the stack
    case KernelKind::grouped: {
      // Some columns at once: the last ones again, by lanes those of each run.
      const std::int64_t columns_at_once = lowered.kernel->block_columns;
      const std::int64_t run = nest.columns.back().count;
      const bool by_runs =
          permutes_lanes(*lowered.kernel) && run >= columns_at_once;
      const auto block = static_cast<double>(columns_at_once);
      const auto count =
          static_cast<double>(by_runs ? run : nest.tile[1].count);
      return least * std::ceil(count / block) * block / count;
    }
    case KernelKind::strided:
      return 1 + 100 / unit;
    case KernelKind::transpose: {
      // Short columns are read by whole lanes of each row.
      const double read = columns < detail::line
                              ? 48 * std::ceil(columns / lane) / columns
                              : least;
      // Zeros take none of it.
      const double moved = static_cast<double>(nest.tile[0].count) * unit;
      const double plane = moved * columns;
      // Tiles that squares suit ill take what strips do once for all.
      constexpr double of_plane = 1400, few = 128;
      double alone = 0;
      if (columns < lane && moved < detail::line) {
        alone = of_plane / plane;
      } else if (columns >= lane && plane < few) {
        alone = of_plane / 2 / plane;
      }
      // Lines that columns with zeros write in parts are gone before the next part.
      constexpr double of_line = 90;
      const bool crowded =
          nest.zeros > 0 && moved < detail::line &&
          detail::share_sets(nest.tile[1].count, nest.tile[1].dst_stride);
      return read + std::max(0.0, 30 / moved - 0.5) + alone +
             (crowded ? of_line / moved : 0);
    }
    default: {
      // Parts of lanes are moved by few elements, but for whole vectors' first bytes.
      const bool by_first = lowered.kernel->kind == KernelKind::interleave &&
                            !permutes_lanes(*lowered.kernel) &&
                            columns > lane && columns < detail::line;
      const double of_tile = std::fmod(columns, lane) == 0 ? 60
                             : by_first                    ? 120
                                                           : 1000;
      return least + of_tile / (rows * columns / unit);
    }
  }
}

double cost_of_calls(std::span<const PlanLoop> around,
                     std::int64_t tile_bytes) {
  // Calls may take more loops; but what kernels do of each plane costs as much.
  return cost_of_loops(around, 2, tile_bytes);
}

double cost_of_calls(const Lowered& lowered) {
  // To permute vectors takes nothing of a plane.
  return cost_of_loops(lowered.nest.loops, fills_vectors(lowered) ? 4 : 2,
                       bytes_of_tile(lowered.nest));
}

double cost_of_all(const Lowered& lowered) {
  return cost_of(lowered) + cost_of_calls(lowered);
}

}  // namespace stridewise
