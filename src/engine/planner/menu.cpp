// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/menu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stridewise::engine {
namespace {

// Whether its kernel writes whole lines of dst, if dst begins with one, or long runs.
bool writes_lines(const Move& move) {
  constexpr std::int64_t long_run = 4 * line_bytes, dense_bytes = 1024;
  const auto by_lines = [](const Loops& loops) {
    return std::ranges::all_of(loops, [](const Loop& loop) {
      return loop.count == 1 || loop.dst % line_bytes == 0;
    });
  };
  const std::int64_t column = (count_of(move.rows) + move.zeros) * move.unit;
  switch (move.kind) {
    case Kind::transpose: {
      const Loop& first = move.columns.front();
      const bool dense = (column == 16 || column == 32) &&
                         move.columns.size() == 1 && first.dst == column;
      if (dense && column * first.count >= dense_bytes) return true;
      return column % line_bytes == 0 && by_lines(move.columns) &&
             by_lines(move.planes);
    }
    case Kind::zip: {
      const std::int64_t plane = column * move.columns.front().count;
      return plane >= dense_bytes ||
             (plane % line_bytes == 0 && by_lines(move.planes));
    }
    case Kind::copy: {
      const std::int64_t run = move.unit + move.zeros;
      return run >= long_run || (run % line_bytes == 0 && by_lines(move.rows) &&
                                 by_lines(move.planes));
    }
    default:
      return false;
  }
}

// The candidates that are one kernel, with their prices: what each costs, and where src or
// dst is far, what writing lines in parts costs besides.
struct Menu {
  std::vector<Move> moves;
  std::vector<double> prices;

  Menu(const Work& work, const Machine& machine, const Reach& reach) {
    propose_moves(work, machine, moves);
    const double scattered = machine.profile.scattered_byte_cycles *
                             static_cast<double>(work.bytes());
    for (const Move& move : moves) {
      const bool in_parts = !reach.near && !writes_lines(move);
      prices.push_back(move.cycles + (in_parts ? scattered : 0));
    }
  }
  [[nodiscard]] std::size_t best() const {
    return static_cast<std::size_t>(std::ranges::min_element(prices) -
                                    prices.begin());
  }
};

std::string name_of(const Move& move) {
  return fmt::format("{} of {} bytes", kind_name(move.kind), move.unit);
}

std::string bill_of(const Menu& menu, std::span<const Staged> staged,
                    std::int64_t bytes) {
  std::string text;
  const auto per_byte = [&](double cycles) {
    return cycles / static_cast<double>(bytes);
  };
  for (std::size_t k = 0; k < menu.moves.size(); ++k) {
    const Move& move = menu.moves[k];
    text +=
        fmt::format("{:.3f} cycles a byte: {}, {} rows, {} columns\n",
                    per_byte(menu.prices[k]), name_of(move),
                    count_of(move.rows) + move.zeros, count_of(move.columns));
  }
  for (const Staged& way : staged) {
    text += fmt::format("{:.3f} cycles a byte: by blocks of {} bytes,",
                        per_byte(way.cycles), way.bytes);
    for (const Move& move : way.moves)
      text += fmt::format(" {},", name_of(move));
    text.back() = '\n';
  }
  return text;
}

}  // namespace

Nest choose(const Work& work, const Machine& machine, const Reach& reach,
            std::string* bill) {
  Menu menu(work, machine, reach);
  const std::size_t best = menu.best();
  const Profile& profile = machine.profile;
  const bool far = !reach.near && !writes_lines(menu.moves[best]);
  const StageChoice choice{
      far ? profile.far_stage_bytes : profile.near_stage_bytes, far,
      reach.streams};
  std::vector<Staged> staged;
  propose_staged(work, machine, choice,
                 profile.staged_advantage * menu.prices[best], staged);
  if (bill != nullptr) *bill = bill_of(menu, staged, work.bytes());
  const auto cheapest = std::ranges::min_element(staged, {}, &Staged::cycles);
  return cheapest != staged.end()
             ? nest_of(std::move(*cheapest), machine, reach)
             : nest_of(std::move(menu.moves[best]), machine, reach);
}

std::optional<Nest> choose_converting(const Work& work, const Machine& machine,
                                      const Reach& reach, Converts converts) {
  // Shorter runs are best gathered or scattered by kernels.
  constexpr std::int64_t long_run = 16;  // values
  Move runs = copy_of(work, machine);
  const bool before = converts == Converts::before;
  if (runs.unit < long_run * work.width || work.zeros > 0) {
    std::vector<Staged> staged;
    const StageChoice choice{machine.profile.near_stage_bytes, !before, false,
                             before};
    propose_staged(work, machine, choice, std::numeric_limits<double>::max(),
                   staged);
    // Those by way of two stages convert nothing.
    std::erase_if(staged,
                  [](const Staged& way) { return way.moves.size() != 2; });
    const auto cheapest = std::ranges::min_element(staged, {}, &Staged::cycles);
    if (cheapest != staged.end()) {
      Nest nest = nest_of(std::move(*cheapest), machine, reach);
      nest.steps[before ? 0 : 1].converts = true;
      return nest;
    }
  }
  if (work.zeros > 0) return std::nullopt;
  Nest nest = nest_of(std::move(runs), machine, reach);
  nest.steps.front().converts = true;
  return nest;
}

}  // namespace stridewise::engine
