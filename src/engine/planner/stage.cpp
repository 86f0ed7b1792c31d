// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/stage.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace stridewise::engine {
namespace {

// The number of a cut of loop k.
std::int64_t cut_of(std::size_t k) { return static_cast<std::int64_t>(k) + 1; }

// What a block has of a loop.
struct StagePart {
  Loop loop;
  bool nearest;
  bool has_zeros;
};

class Stager {
 public:
  Stager(const Work& work, const Block& block, const StageOrder& order,
         std::int64_t joined)
      : work_(work),
        block_(block),
        order_(order),
        goes_on_(block.goes_on(&Loop::dst)),
        joined_(joined) {
    if (work.zeros == 0) return;
    const auto run = std::ranges::find(work.loops, work.width, &Loop::dst);
    with_zeros_ = static_cast<std::size_t>(run - work.loops.begin());
  }

  std::optional<InStage> lay_out() {
    if (!can_be_cut()) return std::nullopt;
    Loops around;
    std::vector<StagePart> parts;
    for (std::size_t k = 0; k < work_.loops.size(); ++k) {
      take(k, parts, around);
    }
    std::ranges::stable_sort(
        parts, [&](const StagePart& a, const StagePart& b) {
          return a.nearest != b.nearest ? a.nearest
                                        : a.loop.*order_.as < b.loop.*order_.as;
        });
    InStage stage;
    stage.joint = joined_ > 0 ? cut_of(goes_on_) : 0;
    stage.joined = joined_;
    for (const StagePart& part : parts) {
      const bool has_more = joined_ > 0 && part.loop.cut == stage.joint;
      stage.block.push_back(part.loop);
      if (has_more) stage.block.back().count -= joined_;
    }
    stage.block = normalised(std::move(stage.block));
    for (const Loop& loop : normalised(std::move(around))) {
      stage.around.push_back(block_loop(loop));
    }
    if (!place(std::move(parts), stage)) return std::nullopt;
    if (stage.bytes > most_stage_bytes) return std::nullopt;
    return stage;
  }

 private:
  // Whether the last block has what is read of it, and runs with zeros are whole.
  [[nodiscard]] bool can_be_cut() const {
    if (joined_ > 0) {
      const std::int64_t last =
          work_.loops[goes_on_].count % block_.taken(goes_on_);
      if (last != 0 && last < joined_) return false;
    }
    return !has_run_with_zeros() ||
           block_.taken(with_zeros_) == work_.loops[with_zeros_].count;
  }
  [[nodiscard]] bool has_run_with_zeros() const {
    return work_.zeros > 0 && with_zeros_ < work_.loops.size();
  }

  // Shares loop k out: what a block has of it, and the blocks.
  void take(std::size_t k, std::vector<StagePart>& parts, Loops& around) const {
    const Loop& loop = work_.loops[k];
    const std::int64_t taken = block_.taken(k);
    const std::int64_t blocks = ceil_div(loop.count, taken);
    const std::int64_t more = k == goes_on_ ? joined_ : 0;
    const bool cut = loop.count % taken != 0 || more > 0;
    const std::int64_t number = cut ? cut_of(k) : 0;
    if (taken + more > 1) {
      parts.push_back({{taken + more, loop.src, loop.dst, number},
                       k == order_.nearest,
                       work_.zeros > 0 && k == with_zeros_});
    }
    if (blocks > 1) {
      around.push_back({blocks, loop.src * taken, loop.dst * taken, number});
    }
  }

  [[nodiscard]] BlockLoop block_loop(const Loop& loop) const {
    BlockLoop over{loop};
    if (loop.cut == 0) return over;
    const auto k = static_cast<std::size_t>(loop.cut - 1);
    over.whole = block_.taken(k);
    over.last = work_.loops[k].count - (loop.count - 1) * over.whole;
    over.more = k == goes_on_ ? joined_ : 0;
    return over;
  }

  // Gives parts their strides in the stage. In the order of dst it holds the zeros, too.
  bool place(std::vector<StagePart> parts, InStage& stage) const {
    Work& first = stage.first;
    Work& second = stage.second;
    first.width = second.width = work_.width;
    second.zeros = work_.zeros;
    std::int64_t stride = work_.width;
    const bool in_dst =
        order_.nearest >= work_.loops.size() && order_.as == &Loop::dst;
    if (work_.zeros > 0 && in_dst) {
      std::swap(first.zeros, second.zeros);
      std::int64_t count = 1;
      if (has_run_with_zeros()) {
        if (parts.empty() || !parts.front().has_zeros) return false;
        count = parts.front().loop.count;
        first.loops.push_back(parts.front().loop);
        first.loops.back().dst = stride;
        parts.erase(parts.begin());
      }
      second.loops.push_back({count + work_.zeros, stride, stride});
      stride *= count + work_.zeros;
    }
    for (const StagePart& part : parts) {
      const auto& [count, src, dst, cut] = part.loop;
      first.loops.push_back({count, src, stride, cut});
      second.loops.push_back({count, stride, dst, cut});
      stride *= count;
    }
    first.loops = normalised(std::move(first.loops));
    second.loops = normalised(std::move(second.loops));
    stage.bytes = stride;
    return true;
  }

  const Work& work_;
  const Block& block_;
  const StageOrder& order_;
  std::size_t goes_on_;
  std::int64_t joined_;
  std::size_t with_zeros_ =
      0;  // the loop of dst that zeros follow, if there is one
};

}  // namespace

std::optional<InStage> lay_out_stage(const Work& work, const Block& block,
                                     const StageOrder& order,
                                     std::int64_t joined) {
  return Stager(work, block, order, joined).lay_out();
}

Work own_part(const InStage& stage, Work out) {
  for (Loop& loop : out.loops) {
    if (stage.joined > 0 && loop.cut == stage.joint) {
      loop.count -= stage.joined;
    }
  }
  return out;
}

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

}  // namespace stridewise::engine
