// The candidates that are one kernel.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <optional>
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

// Elements that follow each other in src by one loop, and in dst by another.
struct Crossed {
  std::int64_t unit;  // bytes of an element
  Loop column, row;
  Loops left;
};
// Nothing where they are no power of two, or longer than that; runs that zeros follow are
// no elements.
std::optional<Crossed> crossed(const Work& work, const Units& units,
                               std::int64_t longest) {
  const std::int64_t unit = units.unit;
  if (!std::has_single_bit(static_cast<std::uint64_t>(unit)) ||
      unit > longest || (work.zeros > 0 && unit != work.width)) {
    return std::nullopt;
  }
  Crossed all{unit, {}, {1, 0, unit}, units.loops};
  const Loop* const column = find_loop(all.left, &Loop::src, unit);
  if (column == nullptr) return std::nullopt;
  all.column = take(all.left, column);
  const Loop* const row = find_loop(all.left, &Loop::dst, unit);
  // Zeros follow single elements, too.
  if (row == nullptr && work.zeros == 0) return std::nullopt;
  if (row != nullptr) all.row = take(all.left, row);
  return all;
}

// Adds a transpose, if there is a kernel for it that is not on the list yet.
void add_transpose(const Work& work, const Machine& machine, Move move,
                   Loops planes, std::vector<Move>& moves) {
  sort_by(planes, &Loop::dst);
  move.planes = std::move(planes);
  const std::int64_t rows = count_of(move.rows) + move.zeros;
  const std::int64_t row_bytes = rows * move.unit;
  const bool dense =
      move.columns.size() == 1 && move.columns[0].dst == row_bytes;
  if (row_bytes < lane && !dense) return;
  const Move& last = moves.back();
  if (last.kind == Kind::transpose && last.rows == move.rows &&
      last.columns == move.columns) {
    return;
  }
  // Of few rows a lane is moved, and zeros written after it.
  const bool padded =
      count_of(move.rows) * move.unit <= lane && row_bytes >= 2 * lane;
  move.cycles =
      cycles_of_transpose(machine, move.unit, padded ? lane / move.unit : rows,
                          count_of(move.columns), count_of(move.planes)) +
      (padded ? cycles_of_zeros(machine, row_bytes,
                                count_of(move.columns) * count_of(move.planes))
              : 0) +
      cycles_of_calls(machine, work.bytes(), tile_bytes(move));
  moves.push_back(std::move(move));
}

// With what both sides go on by in the rows, or in the columns; and as they are where
// columns that follow each other make lines.
void propose_transposes(const Work& work, const Machine& machine,
                        const Units& units, std::vector<Move>& moves) {
  constexpr std::int64_t page = 4096, most_count = 1 << 16, longest = 32;
  const auto from = crossed(work, units, longest);
  if (!from) return;
  const Move alone{Kind::transpose, from->unit, {from->row},
                   {from->column},  {},         work.zeros};
  const std::int64_t column = (from->row.count + work.zeros) * from->unit;
  if ((column == lane || column == 2 * lane) && from->column.dst == column) {
    add_transpose(work, machine, alone, from->left, moves);
  }
  for (const bool rows_first : {true, false}) {
    Move move = alone;
    Loops planes = from->left;
    const auto extend_rows = [&] {
      if (work.zeros > 0) return;
      extend(move.rows, planes, &Loop::dst, from->unit, line_bytes, most_count);
    };
    if (rows_first) extend_rows();
    extend(move.columns, planes, &Loop::src, from->unit, page, most_count);
    if (!rows_first) extend_rows();
    add_transpose(work, machine, std::move(move), std::move(planes), moves);
  }
}

// Two, four or eight rows that lie beside each other in dst, or columns in src.
void propose_zips(const Work& work, const Machine& machine, const Units& units,
                  std::vector<Move>& moves) {
  constexpr std::int64_t longest = 4;
  const auto from = crossed(work, units, longest);
  if (!from) return;
  const auto& [unit, column, row, left] = *from;
  const auto is_few = [unit = unit](std::int64_t count) {
    return (count == 2 || count == 4 || count == 8) && count * unit < lane;
  };
  Move move{Kind::zip, unit, {row}, {column}, left, work.zeros};
  sort_by(move.planes, &Loop::dst);
  const auto add = [&](Kind kind, std::int64_t plane_bytes) {
    move.kind = kind;
    move.cycles = cycles_of_zip(machine, plane_bytes, count_of(move.planes)) +
                  cycles_of_calls(machine, work.bytes(), tile_bytes(move));
    moves.push_back(move);
  };
  const std::int64_t rows = row.count + work.zeros;
  const bool zips =
      is_few(rows) && column.dst == rows * unit && column.count * unit >= lane;
  if (zips && machine.has(Way::zip)) add(Kind::zip, column.count * rows * unit);
  const std::int64_t lanes = row.src / unit;
  const bool unzips = work.zeros == 0 && row.src % unit == 0 && is_few(lanes) &&
                      lanes >= column.count && row.count * unit >= lane;
  if (unzips && machine.has(Way::unzip)) {
    add(Kind::unzip, row.count * lanes * unit);
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
                   std::vector<Move>& moves, double besides) {
  moves.push_back(copy_of(work, machine));
  const Units units = units_of(work);
  if (units.unit >= line_bytes) return;
  if (machine.has(Way::transpose)) {
    propose_transposes(work, machine, units, moves);
  }
  propose_zips(work, machine, units, moves);
  if (!machine.has(Way::program)) return;
  const Move& best = *std::ranges::min_element(moves, {}, &Move::cycles);
  if (auto program = best_program(work, machine, best.cycles + besides)) {
    moves.push_back(*std::move(program));
  }
}

Move cheapest_move(const Work& work, const Machine& machine) {
  std::vector<Move> moves;
  propose_moves(work, machine, moves);
  return *std::ranges::min_element(moves, {}, &Move::cycles);
}

}  // namespace stridewise::engine
