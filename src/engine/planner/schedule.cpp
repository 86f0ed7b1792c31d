// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/schedule.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "engine/planner/programs.hpp"

namespace stridewise::engine {
namespace {

constexpr std::int64_t one = 1;

// The step of a move, without its planes.
Step step_of(Move& move, const Machine& machine) {
  Step step;
  const bool elements = move.kind == Kind::transpose ||
                        move.kind == Kind::zip || move.kind == Kind::unzip;
  step.kernel = find_kernel(move.kind, elements ? move.unit : 1, machine.isa);
  Tile& tile = step.tile;
  tile.zeros = move.zeros;
  if (of_runs(move.kind)) {
    const Loop runs = move.rows.empty() ? Loop{} : move.rows.front();
    tile.rows = runs.count;
    tile.columns = move.unit;  // bytes
    tile.row_pitch = runs.src;
    tile.column_pitch = runs.dst;
  } else if (move.kind == Kind::program) {
    step.element_bytes = move.unit;
    step.program = program_of(move, *step.kernel);
  } else {
    step.element_bytes = move.unit;
    tile.rows = count_of(move.rows);
    tile.columns = count_of(move.columns);
    tile.row_pitch = move.rows.front().src;
    tile.column_pitch = move.columns.front().dst;
    if (move.rows.size() > 1)
      step.row_table = places_of(move.rows, 0, &Loop::src);
    if (move.columns.size() > 1) {
      step.column_table = places_of(move.columns, 0, &Loop::dst);
    }
  }
  step.rows = std::move(move.rows);
  step.columns = std::move(move.columns);
  return step;
}

// Bytes that a tile moves, without its planes.
std::int64_t bytes_of(const Step& step) {
  const std::int64_t count = step.kernel->kind == Kind::program
                                 ? count_of(step.rows) * count_of(step.columns)
                                 : step.tile.rows * step.tile.columns;
  return step.element_bytes * count;
}

// How many rows and columns a call takes at most.
struct Part {
  std::int64_t rows, columns;
};
Part part_of(const Step& step, const Profile& profile) {
  const Tile& tile = step.tile;
  const std::int64_t unit = step.element_bytes;
  switch (step.kernel->kind) {
    case Kind::transpose: {
      constexpr std::int64_t page = 4096;
      const std::int64_t bytes = profile.transpose_bytes;
      // Of few columns more rows, so that a call is worth it.
      const std::int64_t least = std::min(
          tile.rows, std::max(profile.column_bytes / unit,
                              bytes / (unit * tile.columns) / 64 * 64));
      const auto whole = [](std::int64_t count) {
        return std::max<std::int64_t>(count / line_bytes * line_bytes,
                                      line_bytes);
      };
      if (step.column_table.empty() && tile.column_pitch % line_bytes != 0) {
        // Columns that share lines of dst must meet while those are in the L1 cache.
        const std::int64_t of_few = bytes / unit / tile.columns / 64 * 64;
        return {std::max(std::min(tile.rows, of_few), least),
                whole(bytes / least / unit)};
      }
      const std::int64_t columns = whole(page / unit);
      Part part{std::max(least, one), columns};
      if (part.rows >= tile.rows) {
        part.columns = std::max(
            part.columns, whole(profile.columns_bytes / (tile.rows * unit)));
      }
      return part;
    }
    case Kind::zip:
      return {tile.rows, profile.zip_bytes / unit};
    case Kind::unzip:
      return {profile.zip_bytes / unit, tile.columns};
    case Kind::program:
      return {1, 1};
    default:
      break;
  }
  const std::int64_t bytes = profile.copy_bytes;
  return {std::max<std::int64_t>(bytes / std::max(tile.columns, one), 1),
          bytes};
}

// Cuts `count` of a step in parts; the loop over them is added to `around`.
void cut(Nest& nest, Step& step, Count which, std::int64_t& count,
         std::int64_t most, const Loop& loop) {
  if (count <= most) return;
  std::int64_t parts = ceil_div(count, most);
  // A last part that is short goes with the one before it.
  const std::int64_t rest = count - (parts - 1) * most;
  if (rest * 4 < most) --parts;
  const std::int64_t last = count - (parts - 1) * most;
  nest.around.push_back(
      {{parts, loop.src * most, loop.dst * most}, most, last});
  step.cut.push_back({which, 1});
  count = std::max(most, last);
}

void share_out(Nest& nest, const Machine& machine, std::int64_t block_bytes) {
  nest.blocks = blocks_of(nest.around);
  nest.blocks_per_task =
      std::max(machine.profile.task_bytes / std::max(block_bytes, one), one);
}

// How many strips by turns the L1 cache has a line of each row for, `most` at most: those a
// power of two apart share sets, and half of it is dst's.
std::int64_t strips_in_l1(const Step& step, const Profile& profile,
                          std::int64_t most) {
  constexpr std::int64_t l1_sets = 64;
  const std::int64_t pitch = std::abs(step.tile.row_pitch);
  if (!step.row_table.empty() || pitch < line_bytes) return 1;
  const std::int64_t lines =
      profile.l1_ways * l1_sets / std::gcd(pitch / line_bytes, l1_sets) / 2;
  const std::int64_t rows = line_bytes / step.element_bytes;  // of a strip
  return std::clamp(lines / rows, one, most);
}

// Whether a kernel asks for src before it reads it.
bool asks(Kind kind) {
  return kind == Kind::transpose || kind == Kind::zip || kind == Kind::unzip;
}

void set_hints(Step& step, const Machine& machine, const Reach& reach) {
  const Profile& profile = machine.profile;
  Hints& hints = step.hints;
  if (step.kernel->kind != Kind::transpose) {
    if (asks(step.kernel->kind) && !reach.near) {
      hints.ahead = profile.far_ahead_bytes;
    }
    return;
  }
  // Squares of whole lines read each once, whatever the L1 cache keeps.
  const bool whole = profile.whole_lines && machine.isa >= Isa::avx512 &&
                     (step.element_bytes == 4 || step.element_bytes == 8);
  const std::int64_t row_bytes = step.tile.columns * step.element_bytes;
  if (!reach.near) {
    hints.ahead = profile.far_ahead_bytes;
    hints.strips = profile.far_strips;
    hints.whole_lines =
        whole && step.row_table.empty() &&
        strips_in_l1(step, profile, hints.strips) < hints.strips;
  } else if (row_bytes <= line_bytes) {
    // Of few columns many strips go side by side.
    hints.strips =
        std::min<std::int64_t>(line_bytes / row_bytes * profile.short_row_lines,
                               profile.short_row_strips);
    hints.whole_lines = whole;
  } else {
    hints.strips = whole ? profile.near_strips
                         : strips_in_l1(step, profile, profile.near_strips);
    hints.whole_lines = whole;
  }
}

// Which count of a tile has the loop of such a cut.
Cut cut_of(const Step& step, std::span<const Loop> planes, std::int64_t cut) {
  const auto in = [&](std::span<const Loop> loops, Count count,
                      std::int64_t factor) {
    for (const Loop& loop : loops) {
      if (loop.cut == cut) return Cut{count, factor};
      factor *= loop.count;
    }
    return Cut{};
  };
  const bool runs = of_runs(step.kernel->kind);
  if (const Cut found = in(step.rows, Count::rows, 1);
      found.count != Count::none) {
    return found;
  }
  const std::int64_t unit =
      runs ? step.tile.columns / count_of(step.columns) : 1;
  if (const Cut found = in(step.columns, Count::columns, unit);
      found.count != Count::none) {
    return found;
  }
  for (std::size_t k = 0; k < planes.size(); ++k) {
    if (planes[k].cut == cut) {
      return {count_of_plane(k), 1};
    }
  }
  return {};
}

// Of the planes of a tile, which it takes: whole ones, then a part of one.
struct TakenPlanes {
  std::size_t inside = 0;  // whole
  bool cuts = false;       // the next one
  // After that, whole, what reads the same lines of src.
  bool shares = false;
  std::int64_t bytes = 0;  // of an iteration of the one that is cut

  [[nodiscard]] std::size_t count() const {
    return inside + (cuts ? 1 : 0) + (shares ? 1 : 0);
  }
};
TakenPlanes planes_to_take(const Step& step, std::span<const Loop> planes,
                           const Part& part, std::int64_t most_bytes) {
  const bool program = step.kernel->kind == Kind::program;
  const Tile& tile = step.tile;
  TakenPlanes taken;
  taken.bytes = bytes_of(step);
  const bool whole = tile.rows <= part.rows && tile.columns <= part.columns;
  if (!whole) return taken;
  const std::size_t most = std::min(planes.size(), most_planes);
  while (taken.inside < most &&
         taken.bytes * planes[taken.inside].count <= most_bytes) {
    taken.bytes *= planes[taken.inside++].count;
  }
  taken.cuts = taken.inside < most && (program || most_bytes / taken.bytes > 1);
  taken.shares = program && taken.cuts && taken.inside == 0 &&
                 planes.size() > 1 && shares_lines(planes[1]);
  if (taken.shares) taken.bytes *= planes[1].count;
  return taken;
}

// Hands planes of a small tile to it, as long as it stays small. Those that are left are
// around it.
void take_planes(Nest& nest, Step& step, std::span<const Loop> planes,
                 const Part& part, const Machine& machine) {
  // Programs go through a tile once for each piece, which is not worth fewer tiles.
  const std::int64_t most_bytes = step.kernel->kind == Kind::program
                                      ? machine.profile.program_bytes
                                      : machine.profile.planes_bytes;
  const TakenPlanes taken = planes_to_take(step, planes, part, most_bytes);
  for (std::size_t k = 0; k < taken.count(); ++k) {
    step.tile.planes[k] = planes[k];
  }
  for (std::size_t k = planes.size(); k-- > taken.count();) {
    nest.around.push_back({planes[k]});
    step.cut.push_back({});
  }
  if (!taken.cuts) return;
  cut(nest, step, count_of_plane(taken.inside),
      step.tile.planes[taken.inside].count,
      std::max(most_bytes / taken.bytes, machine.profile.program_tiles),
      planes[taken.inside]);
}

// Cuts rows and columns that a call does not take whole. Zeros follow whole ones, but those
// of a copy each of its runs.
void cut_tile(Nest& nest, Step& step, const Part& part) {
  Tile& tile = step.tile;
  const std::int64_t unit = step.element_bytes;
  const bool runs = of_runs(step.kernel->kind);
  const bool zeros_of_runs =
      runs && tile.column_pitch >= tile.columns + tile.zeros;
  if (tile.zeros == 0 || zeros_of_runs) {
    const Loop row{tile.rows, step.row_table.empty() ? tile.row_pitch : 0,
                   runs ? tile.column_pitch : unit};
    cut(nest, step, Count::rows, tile.rows, part.rows, row);
  }
  if (runs && tile.zeros > 0) return;
  const std::int64_t pitch = step.column_table.empty() ? tile.column_pitch : 0;
  const Loop column{tile.columns, runs ? 1 : unit, runs ? 1 : pitch};
  cut(nest, step, Count::columns, tile.columns, part.columns, column);
}

// Planes of a transpose go by src. Runs of whole lines go by the two loops by which the
// sides go on, the shorter one first: so both are streams, few on one side.
void order_for_memory(Move& move) {
  if (move.kind == Kind::transpose) {
    std::ranges::stable_sort(move.planes, {}, &Loop::src);
    return;
  }
  if (move.kind != Kind::copy || move.unit % line_bytes != 0 ||
      move.zeros != 0 || move.rows.empty()) {
    return;
  }
  Loops& loops = move.planes;
  loops.insert(loops.begin(), move.rows.front());
  const auto to_front = [&](Side side) {
    const auto found = std::ranges::find(loops, move.unit, side);
    std::rotate(loops.begin(), found, found + 1);
  };
  const Loop* const of_src = find_loop(loops, &Loop::src, move.unit);
  const Loop* const of_dst = find_loop(loops, &Loop::dst, move.unit);
  if (of_src != nullptr && of_dst != nullptr) {
    const bool src_first = of_src->count < of_dst->count;
    to_front(src_first ? &Loop::dst : &Loop::src);
    to_front(src_first ? &Loop::src : &Loop::dst);
  }
  move.rows = {loops.front()};
  loops.erase(loops.begin());
}

}  // namespace

Nest nest_of(Move move, const Machine& machine, const Reach& reach) {
  Nest nest;
  if (!reach.near) order_for_memory(move);
  const Loops planes = move.planes;
  Step step = step_of(move, machine);
  const Part part = part_of(step, machine.profile);
  take_planes(nest, step, planes, part, machine);
  cut_tile(nest, step, part);
  set_hints(step, machine, reach);
  step.streams = reach.streams && step.kernel->stream != nullptr;
  std::int64_t bytes = bytes_of(step);
  for (const Loop& plane : step.tile.planes) bytes *= plane.count;
  nest.steps.push_back(std::move(step));
  share_out(nest, machine, bytes);
  return nest;
}

Nest nest_of_zeros(Loops loops, std::int64_t width, const Machine& machine,
                   const Reach& reach) {
  // As a copy of dst to itself would be, but that nothing is read.
  for (Loop& loop : loops) loop.src = loop.dst;
  const Work work{std::move(loops), width};
  Move move = copy_of(work, machine);
  move.kind = Kind::fill;
  for (Loops* const read : {&move.rows, &move.columns, &move.planes}) {
    for (Loop& loop : *read) loop.src = 0;
  }
  Nest nest = nest_of(std::move(move), machine, reach);
  for (BlockLoop& over : nest.around) over.loop.src = 0;
  nest.bytes = work.bytes();
  return nest;
}

Nest nest_of(Staged staged, const Machine& machine, const Reach& reach) {
  Nest nest;
  for (std::size_t k = staged.around.size(); k-- > 0;) {
    nest.around.push_back(staged.around[k]);
  }
  // Beyond the caches src is read in its order: the machine reads ahead so.
  if (!reach.near) {
    std::ranges::stable_sort(
        nest.around, std::greater<>(),
        [](const BlockLoop& over) { return over.loop.src; });
  }
  for (std::size_t m = 0; m < staged.moves.size(); ++m) {
    Move& move = staged.moves[m];
    const Loops planes = move.planes;
    Step step = step_of(move, machine);
    for (std::size_t k = 0; k < planes.size(); ++k)
      step.tile.planes[k] = planes[k];
    step.cut.assign(nest.around.size(), {});
    for (std::size_t k = 0; k < nest.around.size(); ++k) {
      if (nest.around[k].cuts()) {
        step.cut[k] = cut_of(step, planes, nest.around[k].loop.cut);
      }
    }
    if (m + 1 == staged.moves.size()) {
      step.streams = reach.streams && step.kernel->stream != nullptr;
    }
    nest.steps.push_back(std::move(step));
  }
  nest.block = std::move(staged.block);
  Step& first = nest.steps.front();
  if (!reach.near && !nest.around.empty() && asks(first.kernel->kind)) {
    first.hints.ahead = nest.around.back().loop.src;
  }
  share_out(nest, machine, staged.bytes);
  return nest;
}

}  // namespace stridewise::engine
