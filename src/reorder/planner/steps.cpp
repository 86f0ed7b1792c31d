// The pass that moves in two steps what one kernel would move by a few bytes at a
// time: where a loop is near on both sides, but not the nearest of one of them. The
// first step brings blocks into a stage in the nearest cache, the second from there to
// dst. Of the stage's two possible orders, one has what dst has nearest nearest and
// all else as src; the other what src has, and all else as dst.
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
    if (k == loops_.size()) return false;
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

// The steps with the nearest loop of `near` nearest in the stage, and all else as on
// the other side.
std::optional<Steps> steps_of(const Piece& piece, std::int64_t element_bytes,
                              Reach reach, Stride near) {
  const bool by_dst = near == &PlanLoop::dst_stride;
  const Stride far = by_dst ? &PlanLoop::src_stride : &PlanLoop::dst_stride;
  const std::vector<PlanLoop>& loops = piece.loops;
  const auto nearest = std::ranges::find(loops, element_bytes, near);
  if (nearest == loops.end()) return std::nullopt;
  Block block(loops, element_bytes);
  block.take_all(static_cast<std::size_t>(nearest - loops.begin()));
  while (block.run(near) < line && block.extend(near, block_bytes)) {
  }
  while (block.run(far) < line && block.extend(far, block_bytes)) {
  }
  if (block.bytes() > block_bytes) return std::nullopt;
  while (block.extend(&PlanLoop::src_stride, block_bytes) ||
         block.extend(&PlanLoop::dst_stride, block_bytes)) {
  }
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
      staged.push_back({part, &loops[k] == &*nearest});
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
  steps.first = lower_move(first, element_bytes, Reach::caches);
  steps.second = lower_move(second, element_bytes, reach);
  return steps;
}

}  // namespace

std::optional<Steps> in_two_steps(const Piece& piece, const Lowered& direct,
                                  std::int64_t element_bytes, Reach reach) {
  constexpr double much = 3.5;
  // Memory hides much of what kernels take.
  const double better = reach == Reach::memory ? 0.7 : 0.9;
  // Of a block, whatever it holds.
  constexpr double bytes_of_calls = 18 << 10;
  const double cost = cost_of(direct);
  if (piece.zeros > 0 || cost < much) return std::nullopt;
  std::optional<Steps> best;
  double least = better * cost;
  for (const Stride near : {&PlanLoop::dst_stride, &PlanLoop::src_stride}) {
    std::optional<Steps> steps = steps_of(piece, element_bytes, reach, near);
    if (!steps) continue;
    const double all = cost_of(steps->first) + cost_of(steps->second) +
                       bytes_of_calls / static_cast<double>(steps->bytes);
    if (all < least) {
      least = all;
      best = std::move(steps);
    }
  }
  return best;
}

}  // namespace stridewise
