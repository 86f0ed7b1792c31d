// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/steps.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace stridewise::engine {
namespace {

// So many iterations of each loop.
class Block {
 public:
  Block(const Work& work)  // NOLINT: short-lived
      : loops_(work.loops),
        width_(work.width),
        taken_(work.loops.size(), 1),
        bytes_(work.width) {}

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t taken(std::size_t k) const { return taken_[k]; }
  [[nodiscard]] std::size_t none() const { return loops_.size(); }
  void take_one(std::size_t k) {
    bytes_ = bytes_ / taken_[k] * (taken_[k] + 1);
    ++taken_[k];
  }
  // The loop that a side would go on by.
  [[nodiscard]] std::size_t goes_on(Side side) const {
    const Next found = next(side);
    return found.loop != none() && taken_[found.loop] < loops_[found.loop].count
               ? found.loop
               : none();
  }
  // The bytes that follow each other on a side.
  [[nodiscard]] std::int64_t run(Side side) const { return next(side).run; }
  void take_all(std::size_t k) {
    bytes_ = bytes_ / taken_[k] * loops_[k].count;
    taken_[k] = loops_[k].count;
  }

  // Takes as little more as the run goes on with; false if it does not, or the block would
  // have more than `most` bytes.
  bool extend(Side side, std::int64_t most) {
    const std::size_t k = next(side).loop;
    return k != none() && extend(k, most);
  }
  bool extend(std::size_t k, std::int64_t most) {
    const std::int64_t count = loops_[k].count, taken = taken_[k];
    if (taken == count) return false;
    const std::int64_t room = most / (bytes_ / taken);
    // The next divisor if it is near, else twice as much, which leaves a shorter last block.
    std::int64_t next = taken + 1;
    while (next < std::min(2 * taken, count) && count % next != 0) ++next;
    next = std::min(next, count);
    if (next > room) return false;
    bytes_ = bytes_ / taken * next;
    taken_[k] = next;
    return true;
  }

 private:
  struct Next {
    std::int64_t run;
    std::size_t loop;
  };
  [[nodiscard]] Next next(Side side) const {
    std::int64_t run = width_;
    for (;;) {
      const auto loop = std::ranges::find(loops_, run, side);
      const auto k = static_cast<std::size_t>(loop - loops_.begin());
      if (loop == loops_.end()) return {run, k};
      run *= taken_[k];
      if (taken_[k] < loop->count) return {run, k};
    }
  }
  const Loops& loops_;
  std::int64_t width_;
  std::vector<std::int64_t> taken_;
  std::int64_t bytes_;
};

// Drops loops of one iteration, and merges each that continues another on both sides.
Loops normalised(Loops loops) {
  std::erase_if(loops, [](const Loop& l) { return l.count == 1; });
  std::ranges::stable_sort(loops, [](const Loop& a, const Loop& b) {
    return a.dst != b.dst ? a.dst < b.dst : a.src < b.src;
  });
  Loops merged;
  for (const Loop& loop : loops) {
    if (!merged.empty() && loop.cut == 0 && merged.back().cut == 0 &&
        loop.src == merged.back().src * merged.back().count &&
        loop.dst == merged.back().dst * merged.back().count) {
      merged.back().count *= loop.count;
    } else {
      merged.push_back(loop);
    }
  }
  return merged;
}

class Weighing {
 public:
  Weighing(const Work& work, const Machine& machine, const StageChoice& choice,
           double less_than, std::vector<Staged>& all)
      : work_(work),
        machine_(machine),
        choice_(choice),
        least_(less_than),
        all_(all) {
    // Stages may hold the zeros, too.
    const std::size_t run = nearest_on(&Loop::dst);
    const std::int64_t count =
        run == work.loops.size() ? 1 : work.loops[run].count;
    choice_.most_bytes = choice.most_bytes * count / (count + work.zeros);
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
      std::size_t next = none.none();
      for (std::size_t k = 0; k < work_.loops.size(); ++k) {
        if (k == of_src || k == of_dst) continue;
        if (next == none.none() ||
            work_.loops[k].*side < work_.loops[next].*side)
          next = k;
      }
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
    if (!choice_.streams || goes_on == block.none() || work_.zeros > 0 ||
        lines_of_dst(block) || block.run(&Loop::dst) < 2 * line_bytes) {
      return 0;
    }
    const std::int64_t step = work_.loops[goes_on].dst;
    return step < line_bytes ? ceil_div(line_bytes, step) : 0;
  }

  void weigh(const Block& block, std::size_t nearest, Side far) {
    struct InStage {
      Loop loop;
      bool nearest;
      bool has_zeros;
    };
    Staged staged;
    Loops around;
    std::vector<InStage> parts;
    // Runs of dst that go on from block to block meet within lines.
    const std::size_t goes_on = block.goes_on(&Loop::dst);
    const std::int64_t joined = joined_of(block);
    if (joined > 0) {
      const std::int64_t last =
          work_.loops[goes_on].count % block.taken(goes_on);
      if (last != 0 && last < joined) return;
    }
    const std::size_t with_zeros =
        work_.zeros > 0 ? nearest_on(&Loop::dst) : block.none();
    for (std::size_t k = 0; k < work_.loops.size(); ++k) {
      const Loop& loop = work_.loops[k];
      const std::int64_t taken = block.taken(k);
      const std::int64_t blocks = ceil_div(loop.count, taken);
      const std::int64_t more = k == goes_on ? joined : 0;
      const bool cut = loop.count % taken != 0 || more > 0;
      if (taken + more > 1) {
        parts.push_back({{taken + more, loop.src, loop.dst,
                          cut ? static_cast<std::int64_t>(k) + 1 : 0},
                         k == nearest,
                         k == with_zeros});
      }
      if (blocks > 1) {
        around.push_back({blocks, loop.src * taken, loop.dst * taken,
                          cut ? static_cast<std::int64_t>(k) + 1 : 0});
      }
    }
    // Zeros follow whole runs of dst.
    if (with_zeros != block.none() &&
        block.taken(with_zeros) != work_.loops[with_zeros].count) {
      return;
    }
    for (const Loop& loop : normalised(std::move(around))) {
      BlockLoop over{loop};
      if (loop.cut != 0) {
        const auto k = static_cast<std::size_t>(loop.cut - 1);
        over.whole = block.taken(k);
        over.last = work_.loops[k].count - (loop.count - 1) * over.whole;
        over.more = k == goes_on ? joined : 0;
      }
      staged.around.push_back(over);
    }
    std::ranges::stable_sort(parts, [&](const InStage& a, const InStage& b) {
      return a.nearest != b.nearest ? a.nearest : a.loop.*far < b.loop.*far;
    });
    Work first{{}, work_.width, 0}, second{{}, work_.width, work_.zeros};
    std::int64_t stride = work_.width;
    // In the order of dst the stage holds the zeros, too.
    const bool holds_zeros =
        work_.zeros > 0 && nearest == block.none() && far == &Loop::dst;
    if (holds_zeros) {
      std::swap(first.zeros, second.zeros);
      const bool run = with_zeros != block.none();
      if (run && (parts.empty() || !parts.front().has_zeros)) return;
      const std::int64_t count = run ? parts.front().loop.count : 1;
      if (run) {
        first.loops.push_back(parts.front().loop);
        first.loops.back().dst = stride;
        parts.erase(parts.begin());
      }
      second.loops.push_back({count + work_.zeros, stride, stride});
      stride *= count + work_.zeros;
    }
    for (const InStage& part : parts) {
      first.loops.push_back(
          {part.loop.count, part.loop.src, stride, part.loop.cut});
      second.loops.push_back(
          {part.loop.count, stride, part.loop.dst, part.loop.cut});
      staged.block.push_back(part.loop);
      stride *= part.loop.count;
    }
    first.loops = normalised(std::move(first.loops));
    second.loops = normalised(std::move(second.loops));
    staged.bytes = stride;
    if (staged.bytes > most_stage_bytes) return;
    // The last step writes no more than what is the block's own.
    const auto own = [&](Work out) {
      for (Loop& loop : out.loops) {
        if (joined > 0 && loop.cut == static_cast<std::int64_t>(goes_on) + 1) {
          loop.count -= joined;
        }
      }
      return out;
    };
    if (choice_.far && nearest != block.none()) {
      // By way of another stage, in the order of dst.
      Work out = second;
      std::int64_t at = work_.width;
      for (std::size_t k = 0; k < second.loops.size(); ++k) {  // sorted by dst
        out.loops[k].src = second.loops[k].dst = at;
        at *= second.loops[k].count;
      }
      second.zeros = 0;
      out = own(std::move(out));
      out.loops = normalised(std::move(out.loops));
      staged.moves = {cheapest_move(first, machine_),
                      cheapest_move(second, machine_), copy_of(out, machine_)};
    } else if (choice_.converts_before) {
      staged.moves = {copy_of(first, machine_),
                      cheapest_move(second, machine_)};
    } else if (choice_.far) {
      staged.moves = {cheapest_move(first, machine_),
                      copy_of(own(second), machine_)};
    } else {
      staged.moves = {cheapest_move(first, machine_),
                      cheapest_move(second, machine_)};
    }
    double cycles = machine_.profile.block_cycles;
    for (const Move& move : staged.moves) {
      if (move.planes.size() > 4) return;
      cycles += move.cycles;
    }
    for (const Move& move : staged.moves) {
      if (!can_be_cut(move)) return;
    }
    for (const BlockLoop& loop : staged.around) {
      cycles *= static_cast<double>(loop.loop.count);
    }
    staged.cycles = cycles;
    if (staged.cycles >= least_) return;
    least_ = std::min(least_, staged.cycles);
    all_.push_back(std::move(staged));
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
