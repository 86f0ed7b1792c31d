// The candidates that are one kernel.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "engine/planner/cost.hpp"
#include "engine/planner/programs.hpp"
#include "engine/planner/work.hpp"

namespace stridewise::engine {
namespace {

constexpr std::int64_t lane = 16;

void sort_by(Loops& loops, Side side) {
  std::ranges::stable_sort(loops, {}, side);
}

// Elements that are neighbours on both sides are one longer element.
struct Units {
  Loops loops;
  std::int64_t unit;
  Loops run = {};  // what makes it, the innermost first
};
// Of runs of bytes the last loop may be cut.
Units units_of(const Work& work, bool for_runs = false) {
  Units units{work.loops, work.width};
  for (;;) {
    const auto next = std::ranges::find_if(units.loops, [&](const Loop& loop) {
      return loop.src == units.unit && loop.dst == units.unit &&
             (for_runs || loop.cut == 0);
    });
    if (next == units.loops.end()) return units;
    units.unit *= next->count;
    units.run.push_back(*next);
    units.loops.erase(next);
    if (units.run.back().cut != 0) return units;
  }
}

std::int64_t tile_bytes(const Move& move) {
  std::int64_t bytes = move.unit * count_of(move.rows);
  if (move.kind != Kind::copy) bytes *= count_of(move.columns);
  for (std::size_t k = 0; k < move.planes.size() && k < 4; ++k) {
    bytes *= move.planes[k].count;
  }
  return bytes;
}

// Takes loops that go on where the side's end, until it has `wanted` bytes.
void extend(Loops& chain, Loops& left, Side side, std::int64_t unit,
            std::int64_t wanted, std::int64_t most_count) {
  for (;;) {
    const std::int64_t count = count_of(chain);
    if (count * unit >= wanted) return;
    const Loop* const next = find_loop(left, side, count * unit);
    if (next == nullptr || count * next->count > most_count) return;
    chain.push_back(take(left, next));
  }
}

void propose_transposes(const Work& work, const Machine& machine,
                        std::vector<Move>& moves) {
  Units units = units_of(work);
  const std::int64_t unit = units.unit;
  if (!std::has_single_bit(static_cast<std::uint64_t>(unit)) || unit > 32)
    return;
  const std::int64_t zeros = work.zeros;
  if (zeros > 0 && unit != work.width) return;
  const Loop* const column = find_loop(units.loops, &Loop::src, unit);
  if (column == nullptr) return;
  Move move = {};
  move.kind = Kind::transpose;
  move.unit = unit;
  Loops left = units.loops;
  move.columns = {take(left, find_loop(left, &Loop::src, unit))};
  if (const Loop* const row = find_loop(left, &Loop::dst, unit)) {
    move.rows = {take(left, row)};
  } else if (zeros > 0) {
    move.rows = {{1, 0, unit}};
  } else {
    return;
  }
  move.zeros = zeros;
  constexpr std::int64_t page = 4096, most_count = 1 << 16;
  const auto finish = [&](Move made, Loops planes) {
    sort_by(planes, &Loop::dst);
    made.planes = std::move(planes);
    const std::int64_t rows = count_of(made.rows) + made.zeros;
    const std::int64_t columns = count_of(made.columns);
    const std::int64_t row_bytes = rows * unit;
    const bool dense =
        made.columns.size() == 1 && made.columns[0].dst == row_bytes;
    if (row_bytes < lane && !dense) return;
    const bool again = moves.back().kind == Kind::transpose &&
                       moves.back().rows == made.rows &&
                       moves.back().columns == made.columns;
    if (again) return;
    made.cycles = cycles_of_transpose(machine, unit, rows, columns,
                                      count_of(made.planes)) +
                  cycles_of_calls(machine, work.bytes(), tile_bytes(made));
    moves.push_back(std::move(made));
  };
  // With what both sides go on by in the rows, or in the columns.
  for (const bool rows_first : {true, false}) {
    Move made = move;
    Loops planes = left;
    const auto rows = [&] {
      if (zeros == 0) {
        extend(made.rows, planes, &Loop::dst, unit, line_bytes, most_count);
      }
    };
    if (rows_first) rows();
    extend(made.columns, planes, &Loop::src, unit, page, most_count);
    if (!rows_first) rows();
    finish(std::move(made), std::move(planes));
  }
}

void propose_zips(const Work& work, const Machine& machine,
                  std::vector<Move>& moves) {
  Units units = units_of(work);
  const std::int64_t unit = units.unit;
  if (!std::has_single_bit(static_cast<std::uint64_t>(unit)) || unit > 4)
    return;
  if (work.zeros > 0 && unit != work.width) return;
  Loops left = units.loops;
  const Loop* const column = find_loop(left, &Loop::src, unit);
  if (column == nullptr) return;
  Move move = {};
  move.kind = Kind::zip;
  move.unit = unit;
  move.zeros = work.zeros;
  move.columns = {take(left, column)};
  const Loop* const row = find_loop(left, &Loop::dst, unit);
  if (row == nullptr && work.zeros == 0) return;
  move.rows = {row == nullptr ? Loop{1, 0, unit} : take(left, row)};
  const std::int64_t rows = move.rows[0].count + move.zeros;
  const auto of_two = [&](std::int64_t count) {
    return (count == 2 || count == 4 || count == 8) && count * unit < lane;
  };
  sort_by(left, &Loop::dst);
  move.planes = std::move(left);
  const std::int64_t planes = count_of(move.planes);
  if (of_two(rows) && move.columns[0].dst == rows * unit &&
      move.columns[0].count * unit >= lane) {
    move.cycles =
        cycles_of_zip(machine, rows * unit * move.columns[0].count, planes) +
        cycles_of_calls(machine, work.bytes(), tile_bytes(move));
    moves.push_back(move);
  }
  const std::int64_t lanes = move.rows[0].src / unit;
  if (work.zeros == 0 && move.rows[0].src % unit == 0 && of_two(lanes) &&
      lanes >= move.columns[0].count && move.rows[0].count * unit >= lane) {
    move.kind = Kind::unzip;
    move.cycles =
        cycles_of_zip(machine, lanes * unit * move.rows[0].count, planes) +
        cycles_of_calls(machine, work.bytes(), tile_bytes(move));
    moves.push_back(move);
  }
}

}  // namespace

std::vector<std::int64_t> places_of(std::span<const Loop> loops,
                                    std::int64_t zeros, Side side) {
  std::vector<std::int64_t> places = {0};
  bool first = true;
  for (const Loop& loop : loops) {
    const std::size_t made = places.size();
    for (std::int64_t k = 1; k < loop.count; ++k) {
      for (std::size_t i = 0; i < made; ++i) {
        const std::int64_t before = places[i];
        places.push_back(before == no_row ? no_row : before + k * (loop.*side));
      }
    }
    if (first && zeros > 0) {
      for (std::int64_t k = 0; k < zeros; ++k) places.push_back(no_row);
    }
    first = false;
  }
  return places;
}

bool can_be_cut(const Move& move) {
  const auto outermost = [](const Loops& loops) {
    for (std::size_t k = 0; k + 1 < loops.size(); ++k) {
      if (loops[k].cut != 0) return false;
    }
    return true;
  };
  // Programs and zips are made for all of their rows.
  if (move.kind == Kind::program || move.kind == Kind::zip) {
    return outermost(move.columns) &&
           std::ranges::all_of(move.rows,
                               [](const Loop& l) { return l.cut == 0; });
  }
  return outermost(move.rows) && outermost(move.columns);
}

Move copy_of(const Work& work, const Machine& machine) {
  Units units = units_of(work, true);
  const bool zeros_follow = work.zeros > 0;
  Move move = {};
  move.kind = Kind::copy;
  move.unit = units.unit;
  move.columns = units.run;
  if (zeros_follow) move.zeros = work.zeros * work.width;
  sort_by(units.loops, &Loop::dst);
  if (!units.loops.empty()) {
    move.rows = {units.loops.front()};
    units.loops.erase(units.loops.begin());
  }
  // Short runs that share lines of src are taken one after the other.
  if (move.unit < line_bytes) {
    const auto column = std::ranges::find(units.loops, move.unit, &Loop::src);
    if (column != units.loops.end()) {
      std::rotate(units.loops.begin(), column, column + 1);
    }
  }
  move.planes = std::move(units.loops);
  const std::int64_t runs = work.bytes() / move.unit;
  move.cycles = cycles_of_copy(machine, move.unit + move.zeros, runs) +
                cycles_of_calls(machine, work.bytes(), tile_bytes(move));
  return move;
}

void propose_moves(const Work& work, const Machine& machine,
                   std::vector<Move>& moves) {
  moves.push_back(copy_of(work, machine));
  if (units_of(work).unit > 64) return;
  propose_transposes(work, machine, moves);
  propose_zips(work, machine, moves);
  const Move& best = *std::ranges::min_element(moves, {}, &Move::cycles);
  if (auto program = best_program(work, machine, best.cycles)) {
    moves.push_back(*std::move(program));
  }
}

Move cheapest_move(const Work& work, const Machine& machine) {
  std::vector<Move> moves;
  propose_moves(work, machine, moves);
  return *std::ranges::min_element(moves, {}, &Move::cycles);
}

}  // namespace stridewise::engine
