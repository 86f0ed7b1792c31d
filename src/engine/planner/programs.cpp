// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/programs.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "engine/kernels/program_table.hpp"
#include "engine/planner/cost.hpp"

namespace stridewise::engine {
namespace {

constexpr std::int64_t lane_bytes = 16;

// Elements that lanes do not hold whole are moved by bytes.
std::int64_t unit_of(std::int64_t width) {
  return lane_bytes % width != 0 ? 1 : width;
}

// Places of elements as those of shorter ones that make them.
std::vector<std::int64_t> in_units(std::vector<std::int64_t> places,
                                   std::int64_t width, std::int64_t unit) {
  if (unit == width) return places;
  std::vector<std::int64_t> all;
  all.reserve(places.size() * static_cast<std::size_t>(width / unit));
  for (const std::int64_t place : places) {
    for (std::int64_t byte = 0; byte < width; byte += unit) {
      all.push_back(place == no_row ? no_row : place + byte);
    }
  }
  return all;
}

// Runs of dst that more and more loops make, as the tile of a program.
class ProgramTiles {
 public:
  ProgramTiles(const Work& work, const Machine& machine, const Kernel& kernel)
      : work_(work),
        machine_(machine),
        vector_(program_vector(kernel.isa)),
        left_(work.loops),
        bytes_(work.width) {
    if (work.zeros == 0 ||
        find_loop(left_, &Loop::dst, work.width) != nullptr) {
      return;
    }
    run_.push_back({1, 0, work.width});
    bytes_ *= 1 + work.zeros;
  }

  // Keeps the cheapest program that costs less than `best` does.
  void weigh_all(std::optional<Move>& best, double& cycles) {
    for (;;) {
      const Loop* const next = find_loop(left_, &Loop::dst, bytes_);
      if (next == nullptr || next->cut != 0) return;
      const std::int64_t count = next->count;
      const std::int64_t most = machine_.profile.program_run_bytes / bytes_;
      if (count > most) return weigh_parts(*next, most, best, cycles);
      take_part(next, count);
      weigh(best, cycles);
    }
  }

 private:
  // Parts of the loop that the run goes on by: as much as there is room for, and the most
  // and the least of which runs are whole lines.
  void weigh_parts(const Loop& loop, std::int64_t most,
                   std::optional<Move>& best, double& cycles) {
    // Zeros follow the whole of it.
    if (run_.empty() && work_.zeros > 0) return;
    std::int64_t longest = 1, of_lines = 1, least_of_lines = 1;
    for (std::int64_t part = 2; part <= most; ++part) {
      if (loop.count % part != 0) continue;
      longest = part;
      if (bytes_ * part % line_bytes != 0) continue;
      of_lines = part;
      if (least_of_lines == 1) least_of_lines = part;
    }
    std::int64_t last = 1;
    for (const std::int64_t part : {longest, of_lines, least_of_lines}) {
      if (part == 1 || part == last) continue;
      last = part;
      ProgramTiles tiles = *this;
      tiles.take_part(find_loop(tiles.left_, &Loop::dst, bytes_), part);
      tiles.weigh(best, cycles);
    }
  }

  void take_part(const Loop* next, std::int64_t part) {
    const Loop loop = take(left_, next);
    const bool first = run_.empty();
    run_.push_back({part, loop.src, loop.dst});
    bytes_ *= part;
    if (first) bytes_ += work_.zeros * work_.width;
    if (part < loop.count) {
      left_.push_back({loop.count / part, loop.src * part, loop.dst * part});
    }
  }

  // As a run by itself, and with the runs that read the same lines of src.
  void weigh(std::optional<Move>& best, double& cycles) const {
    if (bytes_ < lane_bytes) return;
    const std::int64_t unit = unit_of(work_.width);
    const std::vector<std::int64_t> places =
        in_units(places_of(run_, work_.zeros, &Loop::src), work_.width, unit);
    weigh_with(Loop{}, left_, {places, unit}, best, cycles);
    const auto beside = std::ranges::find_if(left_, shares_lines);
    if (beside == left_.end() || beside->cut != 0 ||
        beside->count > machine_.profile.program_runs) {
      return;
    }
    Loops left = left_;
    left.erase(left.begin() + (beside - left_.begin()));
    weigh_with(*beside, left,
               {places, unit, beside->count, beside->src, beside->dst}, best,
               cycles);
  }

  void weigh_with(const Loop& beside, const Loops& left,
                  const ProgramRuns& runs, std::optional<Move>& best,
                  double& cycles) const {
    // At least one source each piece.
    const std::int64_t pieces = runs.count * ceil_div(bytes_, vector_.bytes());
    if (cycles_of({pieces, pieces}, runs, left) >= cycles) return;
    const auto size =
        size_of_program(runs, vector_, machine_.profile.program_sources);
    if (!size || cycles_of(*size, runs, left) >= cycles) return;
    cycles = cycles_of(*size, runs, left);
    best = {Kind::program, work_.width, run_,  {},
            sorted(left),  work_.zeros, cycles};
    if (beside.count > 1) best->columns = {beside};
  }

  // The nearest loop on both sides is the innermost; the next one reads the same lines of
  // src, if there is such.
  static Loops sorted(Loops planes) {
    std::ranges::stable_sort(planes, {}, reach);
    if (planes.empty()) return planes;
    const auto same =
        std::find_if(planes.begin() + 1, planes.end(), shares_lines);
    if (same != planes.end()) std::rotate(planes.begin() + 1, same, same + 1);
    return planes;
  }
  static std::int64_t reach(const Loop& loop) {
    return std::max(std::abs(loop.src), std::abs(loop.dst));
  }
  [[nodiscard]] double cycles_of(const ProgramSize& size,
                                 const ProgramRuns& runs,
                                 const Loops& left) const {
    const auto inner = std::ranges::min_element(left, {}, reach);
    ProgramCost cost{size.pieces,
                     size.sources,
                     std::min(bytes_, vector_.bytes()),
                     vector_.lane_bytes,
                     bytes_ | runs.dst_step,
                     size.source_bits};
    std::int64_t planes = 1;
    for (const Loop& loop : left) {
      planes *= loop.count;
      cost.dst_bits |= loop.dst;
      cost.src_bits |= loop.src;
    }
    return cycles_of_program(machine_, cost,
                             inner == left.end() ? 1 : inner->count, planes) +
           cycles_of_calls(machine_, work_.bytes(),
                           work_.width * count_of(run_) * runs.count * planes);
  }

  const Work& work_;
  const Machine& machine_;
  ProgramVector vector_;
  Loops left_;
  Loops run_;  // the innermost first
  std::int64_t bytes_;
};

}  // namespace

std::optional<Move> best_program(const Work& work, const Machine& machine,
                                 double cycles) {
  const Kernel* const kernel = find_kernel(Kind::program, 1, machine.isa);
  if (kernel == nullptr) return std::nullopt;
  std::optional<Move> best;
  ProgramTiles(work, machine, *kernel).weigh_all(best, cycles);
  return best;
}

ProgramMemory program_of(const Move& move, const Kernel& kernel) {
  const std::int64_t unit = unit_of(move.unit);
  const std::vector<std::int64_t> places =
      in_units(places_of(move.rows, move.zeros, &Loop::src), move.unit, unit);
  ProgramRuns runs{places, unit};
  if (!move.columns.empty()) {
    const Loop& beside = move.columns.front();
    runs = {places, unit, beside.count, beside.src, beside.dst};
  }
  return make_program(runs, program_vector(kernel.isa));
}

}  // namespace stridewise::engine
