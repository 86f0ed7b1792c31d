// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/steps.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "engine/planner/block.hpp"
#include "engine/planner/stage.hpp"

namespace stridewise::engine {
namespace {

class Weighing {
 public:
  Weighing(const Work& work, const Machine& machine, const StageChoice& choice,
           double less_than, std::vector<Staged>& all)
      : work_(work),
        machine_(machine),
        choice_(choice),
        least_(less_than),
        all_(all) {
    choice_.most_bytes = std::min(choice_.most_bytes, most_stage_bytes);
    if (work.zeros == 0) return;
    // Stages may hold the zeros, too.
    const std::size_t run = nearest_on(&Loop::dst);
    const std::int64_t count =
        run == work.loops.size() ? 1 : work.loops[run].count;
    const double share =
        static_cast<double>(count) / static_cast<double>(count + work.zeros);
    choice_.most_bytes = static_cast<std::int64_t>(
        static_cast<double>(choice_.most_bytes) * share);
  }

  // With what is nearest on one side nearest in the stage, and all else as on the other.
  void as_on_either_side() {
    for (const auto& [near, far] : {std::pair(&Loop::dst, &Loop::src),
                                    std::pair(&Loop::src, &Loop::dst)}) {
      Block block(work_);
      const std::size_t nearest = nearest_on(near);
      if (nearest == block.none()) continue;
      block.take_all(nearest);
      if (fill(block, near, far)) weigh(block, nearest, far);
    }
  }

  // In the order of dst, of which the second step copies runs.
  void as_in_dst() {
    Block block(work_);
    if (work_.zeros > 0 && nearest_on(&Loop::dst) != block.none()) {
      block.take_all(nearest_on(&Loop::dst));
    }
    // Runs of some lines, since those are written one after the other.
    while (block.run(&Loop::dst) < machine_.profile.far_run_bytes &&
           block.extend(&Loop::dst, choice_.most_bytes)) {
    }
    if (!fill(block, &Loop::dst, &Loop::src)) return;
    // The last block must have as much more as those before it read.
    const std::size_t goes_on = block.goes_on(&Loop::dst);
    if (const std::int64_t joined = joined_of(block); joined > 0) {
      const std::int64_t count = work_.loops[goes_on].count;
      const auto last = [&] { return count % block.taken(goes_on); };
      while (last() != 0 && last() < joined) block.take_one(goes_on);
    }
    weigh(block, block.none(), &Loop::dst);
  }

  // In the order of src, of which the first step copies runs.
  void as_in_src() {
    Block block(work_);
    if (work_.zeros > 0 && nearest_on(&Loop::dst) != block.none()) {
      block.take_all(nearest_on(&Loop::dst));
    }
    while (block.run(&Loop::src) < machine_.profile.far_run_bytes &&
           block.extend(&Loop::src, choice_.most_bytes)) {
    }
    if (fill(block, &Loop::src, &Loop::dst))
      weigh(block, block.none(), &Loop::src);
  }

  // With what follows on a side nearest in the stage, where both begin with little.
  void as_both_go_on() {
    Block none(work_);
    const std::size_t of_src = nearest_on(&Loop::src),
                      of_dst = nearest_on(&Loop::dst);
    if (of_src == none.none() || of_dst == none.none() || of_src == of_dst)
      return;
    constexpr std::int64_t few_bytes = 256, lane = 16;
    if (work_.loops[of_src].count * work_.loops[of_dst].count * work_.width >
        few_bytes) {
      return;
    }
    for (const Side side : {&Loop::src, &Loop::dst}) {
      const std::size_t next = nearest_but(of_src, of_dst, side);
      if (next == none.none()) return;
      Block block(work_);
      block.take_all(of_src);
      block.take_all(of_dst);
      while (block.extend(next, choice_.most_bytes)) {
      }
      if (!fill(block, &Loop::src, &Loop::dst) ||
          block.taken(next) * work_.width < lane) {
        continue;
      }
      weigh(block, next, &Loop::src);
      weigh(block, next, &Loop::dst);
    }
  }

 private:
  [[nodiscard]] std::size_t nearest_on(Side side) const {
    return static_cast<std::size_t>(
        std::ranges::find(work_.loops, work_.width, side) -
        work_.loops.begin());
  }

  // The loop with the least step but for two.
  [[nodiscard]] std::size_t nearest_but(std::size_t one, std::size_t other,
                                        Side side) const {
    std::size_t next = work_.loops.size();
    for (std::size_t k = 0; k < work_.loops.size(); ++k) {
      if (k == one || k == other) continue;
      const bool first = next == work_.loops.size();
      if (first || work_.loops[k].*side < work_.loops[next].*side) next = k;
    }
    return next;
  }

  // Takes whole lines of both sides, those of `near` first, then as much more as there is
  // room for; false where that is too much.
  bool fill(Block& block, Side near, Side far) const {
    const std::int64_t most = choice_.most_bytes;
    while (block.run(near) < line_bytes && block.extend(near, most)) {
    }
    while (block.run(far) < line_bytes && block.extend(far, most)) {
    }
    if (block.bytes() > most) return false;
    for (;;) {
      // The shorter run of both first.
      const Side shorter = block.run(&Loop::src) <= block.run(&Loop::dst)
                               ? &Loop::src
                               : &Loop::dst;
      const Side longer = shorter == &Loop::src ? &Loop::dst : &Loop::src;
      if (!block.extend(shorter, most) && !block.extend(longer, most))
        return true;
    }
  }

  // Whether all runs of dst are whole lines, if the first is.
  [[nodiscard]] bool lines_of_dst(const Block& block) const {
    for (std::size_t k = 0; k < work_.loops.size(); ++k) {
      const Loop& loop = work_.loops[k];
      if (loop.dst < block.run(&Loop::dst)) continue;
      if (loop.dst % line_bytes != 0) return false;
    }
    return block.run(&Loop::dst) % line_bytes == 0;
  }

  // How many more iterations of the loop that runs of dst go on by a block has, so that
  // whole lines can be written; 0: none.
  [[nodiscard]] std::int64_t joined_of(const Block& block) const {
    const std::size_t goes_on = block.goes_on(&Loop::dst);
    if (!choice_.streams || !choice_.far || goes_on == block.none() ||
        work_.zeros > 0 || lines_of_dst(block) ||
        block.run(&Loop::dst) < 2 * line_bytes) {
      return 0;
    }
    const std::int64_t step = work_.loops[goes_on].dst;
    return step < line_bytes ? ceil_div(line_bytes, step) : 0;
  }

  void weigh(const Block& block, std::size_t nearest, Side far) {
    const std::int64_t joined = joined_of(block);
    std::optional<InStage> stage =
        lay_out_stage(work_, block, {nearest, far}, joined);
    if (!stage) return;
    const auto blocks = static_cast<double>(blocks_of(stage->around));
    Staged staged;
    staged.cycles = machine_.profile.block_cycles;
    std::vector<StageWork> steps;
    add_works(*stage, block, nearest, steps);
    for (const StageWork& step : steps) {
      // No more than what is left of the least.
      if (staged.cycles * blocks >= least_) return;
      Move move = step.copies ? copy_of(step.work, machine_)
                              : cheapest_move(step.work, machine_);
      if (move.planes.size() > most_planes || !can_be_cut(move)) return;
      staged.cycles += move.cycles;
      staged.moves.push_back(std::move(move));
    }
    staged.cycles *= blocks;
    if (staged.cycles >= least_) return;
    if (!choice_.tells_all) least_ = staged.cycles;
    staged.block = std::move(stage->block);
    staged.around = std::move(stage->around);
    staged.bytes = stage->bytes;
    all_.push_back(std::move(staged));
  }

  // What a block passes, one after the other. Far ones end with a copy of whole runs of
  // dst, perhaps by way of another stage.
  struct StageWork {
    Work work;
    bool copies;
  };
  void add_works(InStage& stage, const Block& block, std::size_t nearest,
                 std::vector<StageWork>& steps) const {
    steps.reserve(3);
    Work second = std::move(stage.second);
    steps.push_back({std::move(stage.first), choice_.converts_before});
    if (!choice_.far) return steps.push_back({std::move(second), false});
    if (nearest == block.none()) {
      return steps.push_back({own_part(stage, std::move(second)), true});
    }
    Work out = second;
    std::int64_t at = second.width;
    for (std::size_t k = 0; k < second.loops.size(); ++k) {  // sorted by dst
      out.loops[k].src = second.loops[k].dst = at;
      at *= second.loops[k].count;
    }
    second.zeros = 0;
    out = own_part(stage, std::move(out));
    out.loops = normalised(std::move(out.loops));
    steps.push_back({std::move(second), false});
    // Zeros between short runs are best written by what moves those.
    const bool copies = out.zeros == 0;
    steps.push_back({std::move(out), copies});
  }

  const Work& work_;
  const Machine& machine_;
  StageChoice choice_;
  double least_;
  std::vector<Staged>& all_;
};

}  // namespace

void propose_staged(const Work& work, const Machine& machine,
                    const StageChoice& choice, double less_than,
                    std::vector<Staged>& all) {
  Weighing weighing(work, machine, choice, less_than, all);
  if (choice.converts_before) return weighing.as_in_src();
  if (choice.far) weighing.as_in_dst();
  weighing.as_on_either_side();
  if (work.zeros == 0) weighing.as_both_go_on();
}

}  // namespace stridewise::engine
