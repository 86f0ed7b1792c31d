// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/programs.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "engine/kernels/program_table.hpp"
#include "engine/planner/cost.hpp"

namespace stridewise::engine {
namespace {

constexpr std::int64_t lane = 16;
constexpr std::int64_t most_run_bytes = 512;
constexpr std::int64_t most_sources = 12;

// What the vectors of its kernel take.
ProgramVector vector_of(const Kernel& kernel) {
  if (kernel.isa >= Isa::avx512_vbmi) return {1, 64, true};
  if (kernel.isa >= Isa::avx2) return {2, 16, false};
  return {1, 16, false};
}

// Elements that lanes do not hold whole are moved by bytes.
std::int64_t unit_of(std::int64_t width) {
  return lane % width != 0 ? 1 : width;
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

// The most iterations of a loop, up to `most`, that divide them.
std::int64_t part_of(std::int64_t count, std::int64_t most) {
  std::int64_t part = std::min(count, most);
  while (part > 1 && count % part != 0) --part;
  return std::max<std::int64_t>(part, 1);
}

// Runs of dst that more and more loops make, as the tile of a program.
class ProgramTiles {
 public:
  ProgramTiles(const Work& work, const Machine& machine, const Kernel& kernel)
      : work_(work),
        machine_(machine),
        vector_(vector_of(kernel)),
        left_(work.loops),
        bytes_(work.width) {
    if (work.zeros == 0 ||
        find_loop(left_, &Loop::dst, work.width) != nullptr) {
      return;
    }
    run_.push_back({1, 0, work.width});
    bytes_ *= 1 + work.zeros;
  }

  // Takes as much of the loop that the run goes on by as it has room for; false where there
  // is none, and after a part of one.
  bool extend() {
    if (ended_) return false;
    const Loop* const next = find_loop(left_, &Loop::dst, bytes_);
    if (next == nullptr || next->cut != 0) return false;
    const Loop loop = take(left_, next);
    const std::int64_t part = part_of(loop.count, most_run_bytes / bytes_);
    const bool first = run_.empty();
    ended_ = part < loop.count;
    if (part == 1 || (first && work_.zeros > 0 && ended_)) return false;
    run_.push_back({part, loop.src, loop.dst});
    bytes_ *= part;
    if (first) bytes_ += work_.zeros * work_.width;
    if (ended_) {
      left_.push_back({loop.count / part, loop.src * part, loop.dst * part});
    }
    return true;
  }

  // The program of what is taken, if there is one that costs less.
  [[nodiscard]] std::optional<Move> move_below(double cycles) const {
    if (bytes_ < lane) return std::nullopt;
    // At least one source each piece.
    const std::int64_t pieces = ceil_div(bytes_, vector_.bytes());
    if (cycles_of({pieces, pieces}) >= cycles) return std::nullopt;
    const std::int64_t unit = unit_of(work_.width);
    const auto size = size_of_program(
        in_units(places_of(run_, work_.zeros, &Loop::src), work_.width, unit),
        unit, vector_, most_sources);
    if (!size || cycles_of(*size) >= cycles) return std::nullopt;
    Move move = {};
    move.kind = Kind::program;
    move.unit = work_.width;
    move.rows = run_;
    move.zeros = work_.zeros;
    move.planes = planes();
    move.cycles = cycles_of(*size);
    return move;
  }

 private:
  // The nearest loop on both sides is the innermost.
  [[nodiscard]] Loops planes() const {
    Loops planes = left_;
    std::ranges::stable_sort(planes, {}, reach);
    return planes;
  }
  static std::int64_t reach(const Loop& loop) {
    return std::max(std::abs(loop.src), std::abs(loop.dst));
  }
  [[nodiscard]] double cycles_of(const ProgramSize& size) const {
    const auto inner = std::ranges::min_element(left_, {}, reach);
    std::int64_t tile = work_.width * count_of(run_), planes = 1;
    for (const Loop& loop : left_) planes *= loop.count;
    return cycles_of_program(machine_, size.pieces, size.sources,
                             inner == left_.end() ? 1 : inner->count, planes) +
           cycles_of_calls(machine_, work_.bytes(), tile * planes);
  }

  const Work& work_;
  const Machine& machine_;
  ProgramVector vector_;
  Loops left_;
  Loops run_;  // the innermost first
  std::int64_t bytes_;
  bool ended_ = false;
};

}  // namespace

std::optional<Move> best_program(const Work& work, const Machine& machine,
                                 double cycles) {
  const Kernel* const kernel = find_kernel(Kind::program, 1, machine.isa);
  if (kernel == nullptr) return std::nullopt;
  ProgramTiles tiles(work, machine, *kernel);
  std::optional<Move> best;
  while (tiles.extend()) {
    auto move = tiles.move_below(best ? best->cycles : cycles);
    if (move) best = std::move(move);
  }
  return best;
}

std::vector<std::byte> program_of(const Move& move, const Kernel& kernel) {
  const std::int64_t unit = unit_of(move.unit);
  return make_program(
      in_units(places_of(move.rows, move.zeros, &Loop::src), move.unit, unit),
      unit, vector_of(kernel));
}

}  // namespace stridewise::engine
