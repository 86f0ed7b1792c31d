// The pass that moves in two steps what one kernel would move by a few bytes at a
// time: where a loop is near on both sides, but not the nearest of one of them. The
// first step brings blocks into a stage in the nearest cache, the second from there to
// dst. Of the stage's possible orders, one has what dst has nearest nearest and all else
// as src; another what src has, and all else as dst. Where both are short, as the two
// images and three channels of a batch, the loop after them is best nearest there.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "reorder/plan_data.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {
namespace {

using detail::block_bytes, detail::line;

using Stride = std::int64_t PlanLoop::*;

// So many iterations of each loop, of at least two.
class Block {
 public:
  Block(const std::vector<PlanLoop>& loops, std::int64_t element_bytes)
      : loops_(loops),
        element_bytes_(element_bytes),
        taken_(loops.size(), 1),
        bytes_(element_bytes) {}

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t taken(std::size_t k) const { return taken_[k]; }
  // The bytes that follow each other on a side.
  [[nodiscard]] std::int64_t run(Stride side) const { return next(side).run; }

  void take_all(std::size_t k) { take(k, loops_[k].count / taken_[k]); }

  // Takes as little more as the run goes on with; false if it does not, or the block
  // would have more than `most` bytes.
  bool extend(Stride side, std::int64_t most) {
    const std::size_t k = next(side).loop;
    return k != loops_.size() && extend(k, most);
  }
  bool extend(std::size_t k, std::int64_t most) {
    const std::int64_t left = loops_[k].count / taken_[k];
    const std::int64_t last = std::min(left, most / bytes_);
    for (std::int64_t times = 2; times <= last; ++times) {
      if (left % times == 0) {
        take(k, times);
        return true;
      }
    }
    return false;
  }

 private:
  // Where the run of a side ends, and the loop that it would go on by; without one,
  // loops_.size().
  struct Next {
    std::int64_t run;
    std::size_t loop;
  };
  [[nodiscard]] Next next(Stride side) const {
    std::int64_t run = element_bytes_;
    for (;;) {
      const auto loop = std::ranges::find(loops_, run, side);
      const auto k = static_cast<std::size_t>(loop - loops_.begin());
      if (loop == loops_.end()) return {run, k};
      run *= taken_[k];
      if (taken_[k] < loop->count) return {run, k};
    }
  }
  void take(std::size_t k, std::int64_t times) {
    taken_[k] *= times;
    bytes_ *= times;
  }

  const std::vector<PlanLoop>& loops_;
  std::int64_t element_bytes_;
  std::vector<std::int64_t> taken_;
  std::int64_t bytes_;
};

// The steps of a block with one of the loops nearest in the stage, and all else in the
// order of a side.
Steps steps_of(const Piece& piece, std::int64_t element_bytes, Reach reach,
               const Block& block, std::size_t nearest, Stride far) {
  const std::vector<PlanLoop>& loops = piece.loops;
  Steps steps;
  steps.bytes = block.bytes();
  struct Staged {
    PlanLoop loop;
    bool nearest;
  };
  std::vector<Staged> staged;
  staged.reserve(loops.size());
  steps.around.reserve(loops.size());
  steps.block.reserve(loops.size());
  for (std::size_t k = 0; k < loops.size(); ++k) {
    PlanLoop loop = loops[k];
    const PlanLoop part = take_part(loop, block.taken(k));
    if (part.count > 1) {
      staged.push_back({part, k == nearest});
      steps.block.push_back(part);
    }
    steps.around.push_back(loop);
  }
  steps.around = normalise(std::move(steps.around));
  sort_few(staged, [&](const Staged& a, const Staged& b) {
    return a.nearest != b.nearest ? a.nearest : a.loop.*far < b.loop.*far;
  });
  Piece first, second;
  first.loops.reserve(staged.size());
  second.loops.reserve(staged.size());
  std::int64_t stride = element_bytes;
  for (const auto& [loop, is_nearest] : staged) {
    first.loops.push_back({loop.count, loop.src_stride, stride});
    second.loops.push_back({loop.count, stride, loop.dst_stride});
    stride *= loop.count;
  }
  first.loops = normalise(std::move(first.loops));
  second.loops = normalise(std::move(second.loops));
  steps.first =
      lower_move(first, element_bytes, std::min(reach, Reach::caches));
  second.zeros = piece.zeros;
  steps.second = lower_move(second, element_bytes, reach);
  return steps;
}

// Weighs blocks and orders of their stage, and keeps the best.
class Weighing {
 public:
  Weighing(const Piece& piece, std::int64_t element_bytes, Reach reach,
           double least)
      : piece_(piece),
        loops_(piece.loops),
        element_bytes_(element_bytes),
        reach_(reach),
        least_(least),
        of_src_(nearest(&PlanLoop::src_stride)),
        of_dst_(nearest(&PlanLoop::dst_stride)) {}

  [[nodiscard]] std::optional<Steps> best() && { return std::move(best_); }

  // With what is nearest on one side nearest in the stage, and all else as on the
  // other. Not with zeros: these follow whole runs of dst, which blocks may cut.
  void as_on_either_side() {
    if (piece_.zeros > 0) return;
    for (const auto& [near, far] : {std::pair(dst, src), std::pair(src, dst)}) {
      const std::size_t nearest = near == dst ? of_dst_ : of_src_;
      if (nearest == none()) continue;
      Block block(loops_, element_bytes_);
      block.take_all(nearest);
      if (fill(block, near, far)) weigh(block, nearest, far, 1);
    }
  }

  // Where both sides begin with a few elements each: with what a side goes on by
  // nearest in the stage, so that both steps have long rows. What the model says of
  // that is less sure.
  void as_both_go_on() {
    constexpr double least_of_any = 2 * 1.6;
    constexpr std::int64_t few_bytes = 256;
    if (of_src_ == none() || of_dst_ == none() || of_src_ == of_dst_ ||
        least_ <= unsure * least_of_any ||
        loops_[of_src_].count * loops_[of_dst_].count * element_bytes_ >
            few_bytes) {
      return;
    }
    const std::size_t after_src = next(src), after_dst = next(dst);
    goes_on_by(after_src);
    if (after_dst != after_src) goes_on_by(after_dst);
  }

 private:
  static constexpr Stride src = &PlanLoop::src_stride;
  static constexpr Stride dst = &PlanLoop::dst_stride;
  // What costs are taken times where the model knows less.
  static constexpr double unsure = 2;

  [[nodiscard]] std::size_t none() const { return loops_.size(); }
  [[nodiscard]] std::size_t nearest(Stride side) const {
    return static_cast<std::size_t>(
        std::ranges::find(loops_, element_bytes_, side) - loops_.begin());
  }
  // The loop with the least stride but for the nearest of both sides.
  [[nodiscard]] std::size_t next(Stride side) const {
    std::size_t next = none();
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      if (k == of_src_ || k == of_dst_) continue;
      if (next == none() || loops_[k].*side < loops_[next].*side) next = k;
    }
    return next;
  }

  void goes_on_by(std::size_t nearest) {
    constexpr std::int64_t lane = 16;
    if (nearest == none()) return;
    Block block(loops_, element_bytes_);
    block.take_all(of_src_);
    block.take_all(of_dst_);
    while (block.extend(nearest, block_bytes)) {
    }
    if (!fill(block, src, dst) ||
        block.taken(nearest) * element_bytes_ < lane) {
      return;
    }
    weigh(block, nearest, src, unsure);
    weigh(block, nearest, dst, unsure);
  }

  // Takes whole lines of both sides, those of `near` first, then as much more as there
  // is room for; false where that is too much.
  static bool fill(Block& block, Stride near, Stride far) {
    while (block.run(near) < line && block.extend(near, block_bytes)) {
    }
    while (block.run(far) < line && block.extend(far, block_bytes)) {
    }
    if (block.bytes() > block_bytes) return false;
    while (block.extend(src, block_bytes) || block.extend(dst, block_bytes)) {
    }
    return true;
  }

  void weigh(const Block& block, std::size_t nearest, Stride far,
             double factor) {
    // Of a block, whatever it holds.
    constexpr double bytes_of_calls = 18 << 10;
    Steps steps = steps_of(piece_, element_bytes_, reach_, block, nearest, far);
    const double cost =
        factor * (cost_of(steps.first) + cost_of(steps.second) +
                  bytes_of_calls / static_cast<double>(steps.bytes));
    if (cost >= least_) return;
    least_ = cost;
    best_ = std::move(steps);
  }

  const Piece& piece_;
  const std::vector<PlanLoop>& loops_;
  std::int64_t element_bytes_;
  Reach reach_;
  double least_;
  std::size_t of_src_;
  std::size_t of_dst_;
  std::optional<Steps> best_;
};

}  // namespace

std::optional<Steps> in_two_steps(const Piece& piece, const Lowered& direct,
                                  std::int64_t element_bytes, Reach reach) {
  constexpr double much = 3.5;
  // Memory hides much of what kernels take.
  const double better = reach == Reach::memory ? 0.7 : 0.9;
  const double cost = cost_of(direct);
  if (cost < much) return std::nullopt;
  Weighing weighing(piece, element_bytes, reach, better * cost);
  weighing.as_on_either_side();
  weighing.as_both_go_on();
  return std::move(weighing).best();
}

}  // namespace stridewise
