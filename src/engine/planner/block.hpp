// What a block has of each loop of a work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/planner/work.hpp"

namespace stridewise::engine {

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

}  // namespace stridewise::engine
