// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/menu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace stridewise::engine {
namespace {

constexpr std::string_view name_of(Way way) {
  return way_names[static_cast<std::size_t>(way)];
}

constexpr auto rows = std::to_array<MenuRow>({
    {"copy", "runs that both sides have, in the order of dst; it can do all"},
    {name_of(Way::transpose),
     "rows of src to columns of dst, by squares: 1 to 32 bytes an element"},
    {name_of(Way::zip),
     "2, 4 or 8 rows of short elements that lie beside each other in dst"},
    {name_of(Way::unzip),
     "the same backwards: columns that lie beside each other in src"},
    {name_of(Way::program),
     "up to 768 bytes of dst from wherever in src, by masks"},
    {name_of(Way::stages),
     "blocks by way of a buffer in the nearest cache: two or three of the "
     "above"},
});

bool by_lines(const Loops& loops) {
  return std::ranges::all_of(loops, [](const Loop& loop) {
    return loop.count == 1 || loop.dst % line_bytes == 0;
  });
}

bool copies_lines(const Move& move, const Profile& profile) {
  const std::int64_t run = move.unit + move.zeros;
  return run >= profile.long_run_bytes ||
         (run % line_bytes == 0 && by_lines(move.rows) &&
          by_lines(move.planes));
}

// Columns of a lane or two that follow each other are put together to lines in registers.
bool transposes_lines(const Move& move, std::int64_t column,
                      const Profile& profile) {
  const Loop& first = move.columns.front();
  const bool dense = (column == 16 || column == 32) &&
                     move.columns.size() == 1 && first.dst == column;
  return (dense && (column * first.count >= profile.dense_bytes ||
                    (column * first.count % line_bytes == 0 &&
                     by_lines(move.planes)))) ||
         (column % line_bytes == 0 && by_lines(move.columns) &&
          by_lines(move.planes));
}

bool zips_lines(const Move& move, std::int64_t column, const Profile& profile) {
  const std::int64_t plane = column * move.columns.front().count;
  return plane >= profile.dense_bytes ||
         (plane % line_bytes == 0 && by_lines(move.planes));
}

// Whether its kernel writes whole lines of dst, if dst begins with one, or long runs.
bool writes_lines(const Move& move, const Machine& machine) {
  const std::int64_t column = (count_of(move.rows) + move.zeros) * move.unit;
  if (move.kind == Kind::copy) return copies_lines(move, machine.profile);
  if (move.kind == Kind::transpose)
    return transposes_lines(move, column, machine.profile);
  // Where it streams, a piece is a line.
  if (move.kind == Kind::program) {
    const Kernel* const kernel = find_kernel(Kind::program, 1, machine.isa);
    // Zeros follow each iteration of the first loop.
    const std::int64_t runs =
        move.rows.empty() ? 1 : count_of(move.rows) / move.rows[0].count;
    const std::int64_t run =
        (count_of(move.rows) + move.zeros * runs) * move.unit;
    return kernel->stream != nullptr && run % line_bytes == 0 &&
           by_lines(move.columns) && by_lines(move.planes);
  }
  return move.kind == Kind::zip && zips_lines(move, column, machine.profile);
}

// The candidates that are one kernel, with what each costs; and where src or dst is far,
// what writing lines in parts costs besides.
struct Menu {
  std::vector<Move> moves;
  std::vector<double> besides;

  Menu(const Work& work, const Machine& machine, const Reach& reach) {
    const double scattered = machine.profile.scattered_byte_cycles *
                             static_cast<double>(work.bytes());
    propose_moves(work, machine, moves, reach.near ? 0 : scattered);
    for (const Move& move : moves) {
      const bool in_parts = !reach.near && !writes_lines(move, machine);
      besides.push_back(in_parts ? scattered : 0);
    }
  }
  [[nodiscard]] double price(std::size_t k) const {
    return moves[k].cycles + besides[k];
  }
  [[nodiscard]] std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < moves.size(); ++k) {
      if (price(k) < price(best)) best = k;
    }
    return best;
  }
};

// "transpose of 4 bytes"
std::string name_of(const Move& move) {
  return fmt::format("{} of {} bytes", kind_name(move.kind), move.unit);
}

// What candidates cost a byte, in words.
class BillWriter {
 public:
  explicit BillWriter(std::int64_t bytes)
      : bytes_(static_cast<double>(bytes)) {}

  [[nodiscard]] Candidate direct(const Move& move, double besides) const {
    return {
        fmt::format("{}, {} rows, {} columns", name_of(move),
                    count_of(move.rows) + move.zeros, count_of(move.columns)),
        (move.cycles + besides) / bytes_,
        besides > 0 ? fmt::format("kernel {:.3f}, parts of lines {:.3f}",
                                  move.cycles / bytes_, besides / bytes_)
                    : fmt::format("kernel {:.3f}", move.cycles / bytes_)};
  }
  [[nodiscard]] Candidate staged(const Staged& way,
                                 const Machine& machine) const {
    const auto blocks = static_cast<double>(blocks_of(way.around));
    std::string steps, why;
    for (const Move& move : way.moves) {
      steps += fmt::format("{}{}", steps.empty() ? "" : ", ", name_of(move));
      why += fmt::format("{} {:.3f}, ", kind_name(move.kind),
                         move.cycles * blocks / bytes_);
    }
    why += fmt::format("blocks {:.3f}",
                       machine.profile.block_cycles * blocks / bytes_);
    return {fmt::format("by stages of {} bytes: {}", way.bytes, steps),
            way.cycles / bytes_, std::move(why)};
  }

 private:
  double bytes_;
};

// All candidates, the one that was taken first, then by price. `taken` counts those that are
// one kernel first.
Bill bill_of(const Menu& menu, std::span<const Staged> staged, const Work& work,
             const Machine& machine, std::size_t taken) {
  const BillWriter writer(work.bytes());
  Bill all;
  for (std::size_t k = 0; k < menu.moves.size(); ++k) {
    all.push_back(writer.direct(menu.moves[k], menu.besides[k]));
  }
  for (const Staged& way : staged) all.push_back(writer.staged(way, machine));
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(taken);
  std::rotate(all.begin(), first, first + 1);
  std::stable_sort(all.begin() + 1, all.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.cycles_per_byte < b.cycles_per_byte;
                   });
  return all;
}

// By way of one stage; those by way of two convert nothing.
std::vector<Staged> converting_ways(const Work& work, const Machine& machine,
                                    bool before, bool tells_all) {
  std::vector<Staged> staged;
  const StageChoice choice{machine.profile.near_stage_bytes, !before, false,
                           before, tells_all};
  propose_staged(work, machine, choice, std::numeric_limits<double>::max(),
                 staged);
  std::erase_if(staged,
                [](const Staged& way) { return way.moves.size() != 2; });
  return staged;
}

}  // namespace

std::span<const MenuRow> menu_rows() { return rows; }

Nest choose(const Work& work, const Machine& machine, const Reach& reach,
            Bill* bill) {
  Menu menu(work, machine, reach);
  const std::size_t best = menu.best();
  const Profile& profile = machine.profile;
  const bool far = !reach.near && !writes_lines(menu.moves[best], machine);
  const StageChoice choice{
      far ? profile.far_stage_bytes : profile.near_stage_bytes, far,
      reach.streams, false, bill != nullptr};
  const double worth = profile.staged_advantage * menu.price(best);
  std::vector<Staged> staged;
  // Two steps hardly cost less than two copies.
  const double two_copies = 2 * profile.copy_line_cycles *
                            static_cast<double>(work.bytes()) / line_bytes;
  if (machine.has(Way::stages) && worth > two_copies) {
    propose_staged(work, machine, choice,
                   bill == nullptr ? worth : std::numeric_limits<double>::max(),
                   staged);
  }
  const auto cheapest = std::ranges::min_element(staged, {}, &Staged::cycles);
  const bool takes_staged =
      cheapest != staged.end() && cheapest->cycles < worth;
  if (bill != nullptr) {
    const auto of_staged = static_cast<std::size_t>(cheapest - staged.begin());
    *bill = bill_of(menu, staged, work, machine,
                    takes_staged ? menu.moves.size() + of_staged : best);
  }
  Nest nest = takes_staged
                  ? nest_of(std::move(*cheapest), machine, reach)
                  : nest_of(std::move(menu.moves[best]), machine, reach);
  nest.element_bytes = work.width;
  nest.bytes = work.bytes();
  return nest;
}

std::optional<Nest> choose_converting(const Work& work, const Machine& machine,
                                      const Reach& reach, Converts converts,
                                      Bill* bill) {
  const BillWriter writer(work.bytes());
  Move runs = copy_of(work, machine);
  const bool before = converts == Converts::before;
  std::optional<Nest> nest;
  // Short runs are best gathered or scattered by kernels.
  const bool gathers =
      runs.unit < machine.profile.converted_run * work.width || work.zeros > 0;
  if (gathers && machine.has(Way::stages)) {
    std::vector<Staged> staged =
        converting_ways(work, machine, before, bill != nullptr);
    std::ranges::stable_sort(staged, {}, &Staged::cycles);
    for (const Staged& way : staged) {
      if (bill != nullptr) bill->push_back(writer.staged(way, machine));
    }
    if (!staged.empty()) {
      nest = nest_of(std::move(staged.front()), machine, reach);
      nest->steps[before ? 0 : 1].converts = true;
    }
  }
  if (!nest) {
    if (work.zeros > 0) return std::nullopt;
    if (bill != nullptr) bill->push_back(writer.direct(runs, 0));
    nest = nest_of(std::move(runs), machine, reach);
    nest->steps.front().converts = true;
  }
  nest->element_bytes = work.width;
  nest->bytes = work.bytes();
  return nest;
}

}  // namespace stridewise::engine
