// Where the calls of a nest stand: in the loops around its tile, and in the tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// The last digit of a number, which loses it. Most are 0: a division takes as long as
// a small tile.
inline std::int64_t take_digit(std::int64_t& number, std::int64_t count) {
  const std::int64_t rest = number < count ? 0 : number / count;
  const std::int64_t digit = number - rest * count;
  number = rest;
  return digit;
}

// Steps through the outer loops of a nest like an odometer, from any iteration.
class Odometer {
 public:
  Odometer(std::span<const PlanLoop> loops, std::int64_t iteration)
      : loops_(loops) {
    assert(loops.size() <= most_loops);
    for (std::size_t k = loops.size(); k-- > 0;) {
      at_[k] = take_digit(iteration, loops[k].count);
      src_ += at_[k] * loops[k].src_stride;
      dst_ += at_[k] * loops[k].dst_stride;
    }
  }
  void advance() {
    for (std::size_t k = loops_.size(); k-- > 0;) {
      const PlanLoop& loop = loops_[k];
      src_ += loop.src_stride;
      dst_ += loop.dst_stride;
      if (++at_[k] < loop.count) return;
      src_ -= loop.count * loop.src_stride;
      dst_ -= loop.count * loop.dst_stride;
      at_[k] = 0;
    }
  }
  [[nodiscard]] std::int64_t src() const { return src_; }
  [[nodiscard]] std::int64_t dst() const { return dst_; }

 private:
  // Each digit of either layout adds at most three loops to a piece.
  static constexpr std::size_t most_loops = 512;
  std::span<const PlanLoop> loops_;
  std::array<std::int64_t, most_loops> at_;  // NOLINT: filled per loop
  std::int64_t src_ = 0;
  std::int64_t dst_ = 0;
};

// Which part of each dim of the tile a call does; columns are the fastest.
class Parts {
 public:
  Parts(const ScheduledNest& scheduled, std::int64_t lead, std::int64_t call)
      : scheduled_(scheduled), lead_(lead) {
    for (const std::size_t d : order) {
      at_[d] = take_digit(call, scheduled.parts[d]);
    }
    iteration_ = call;
  }
  // Of the loops around the tile, at the call that these parts began with.
  [[nodiscard]] std::int64_t iteration() const { return iteration_; }
  // False when the parts begin anew.
  bool advance() {
    for (const std::size_t d : order) {
      if (++at_[d] < scheduled_.parts[d]) return true;
      at_[d] = 0;
    }
    return false;
  }
  [[nodiscard]] std::int64_t first(std::size_t d) const {
    return at_[d] == 0 ? 0 : begin_of(d, at_[d]);
  }
  [[nodiscard]] std::int64_t count(std::size_t d) const {
    const std::int64_t end =
        last(d) ? scheduled_.tile[d].count : begin_of(d, at_[d] + 1);
    return end - first(d);
  }
  [[nodiscard]] bool last(std::size_t d) const {
    return at_[d] + 1 == scheduled_.parts[d];
  }

 private:
  [[nodiscard]] std::int64_t begin_of(std::size_t d, std::int64_t part) const {
    return part * scheduled_.part[d] + (d == 0 ? lead_ : 0);
  }

  static constexpr std::array<std::size_t, 4> order = {1, 0, 2, 3};
  const ScheduledNest& scheduled_;
  std::int64_t lead_;
  std::array<std::int64_t, 4> at_;  // NOLINT: filled by the constructor
  std::int64_t iteration_;
};

}  // namespace stridewise::detail
