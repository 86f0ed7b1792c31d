// Runs a plan's tasks. Knows nests and kernels; nothing here can fail.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>

#include "layout/data.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise {
namespace {

using detail::PlanData;
using detail::ScheduledNest;
using detail::Sieve;

// Steps through the outer loops of a nest like an odometer, from any iteration.
class Odometer {
 public:
  Odometer(const std::vector<PlanLoop>& loops, std::int64_t iteration)
      : loops_(loops) {
    assert(loops.size() <= most_loops);
    for (std::size_t k = loops.size(); k-- > 0;) {
      at_[k] = iteration % loops[k].count;
      iteration /= loops[k].count;
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
  const std::vector<PlanLoop>& loops_;
  std::array<std::int64_t, most_loops> at_;  // NOLINT: filled per loop
  std::int64_t src_ = 0;
  std::int64_t dst_ = 0;
};

void run_nest(const ScheduledNest& scheduled, std::int64_t task,
              const std::byte* src, std::byte* dst) {
  const PlanNest& nest = scheduled.nest;
  const std::int64_t begin = task * scheduled.per_task;
  const std::int64_t end =
      std::min(begin + scheduled.per_task, scheduled.iterations);
  const std::size_t d = scheduled.split_dim;
  const PlanLoop& split = nest.tile[d];
  Odometer odometer(nest.loops, begin / scheduled.parts);
  std::int64_t part = begin % scheduled.parts;
  Tile tile{.src = nullptr,
            .dst = nullptr,
            .count = {nest.tile[0].count, nest.tile[1].count},
            .src_stride = {nest.tile[0].src_stride, nest.tile[1].src_stride},
            .dst_stride = {nest.tile[0].dst_stride, nest.tile[1].dst_stride},
            .zeros = nest.zeros,
            .row_offset = nullptr};
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int64_t first = part * scheduled.split_count;
    tile.count[d] = std::min(scheduled.split_count, split.count - first);
    // A fill has no src: its pointer is never formed.
    tile.src = nest.fills ? nullptr
                          : src + nest.src_offset + odometer.src() +
                                first * split.src_stride;
    if (!scheduled.row_offsets.empty()) {
      tile.row_offset =
          scheduled.row_offsets.data() + (d == 0 ? first : std::int64_t{0});
    }
    tile.dst =
        dst + nest.dst_offset + odometer.dst() + first * split.dst_stride;
    if (d == scheduled.zeros_dim) {
      tile.zeros = part + 1 == scheduled.parts ? nest.zeros : 0;
    }
    scheduled.run(tile);
    if (++part == scheduled.parts) {
      part = 0;
      odometer.advance();
    }
  }
  if (nest.streams) stream_fence();
}

void run_sieve(const Sieve& sieve, std::int64_t task, std::byte* dst) {
  const std::int64_t begin = task * sieve.per_task;
  const std::int64_t end =
      std::min(begin + sieve.per_task, sieve.layout.places());
  const std::int64_t width = sieve.layout.element_bytes();
  std::array<std::int64_t, detail::max_dims>
      storage;  // NOLINT: written before read
  const std::span<std::int64_t> index(storage.data(),
                                      sieve.layout.shape().size());
  for (std::int64_t place = begin; place < end; ++place) {
    if (sieve.layout.element_at(place, index) != Place::element) {
      std::memset(dst + place * width, 0, static_cast<std::size_t>(width));
    }
  }
}

}  // namespace

void Plan::run_task(std::int64_t task, const std::byte* src,
                    std::byte* dst) const noexcept {
  const PlanData& data = *data_;
  if (data.sieve && task >= data.sieve->first_task) {
    run_sieve(*data.sieve, task - data.sieve->first_task, dst);
    return;
  }
  const auto after = std::ranges::upper_bound(data.nests, task, {},
                                              &ScheduledNest::first_task);
  const ScheduledNest& nest = *std::prev(after);
  run_nest(nest, task - nest.first_task, src, dst);
}

void Plan::run(const std::byte* src, std::byte* dst) const {
  run(src, dst, sequential_for);
}

void Plan::run(const std::byte* src, std::byte* dst,
               const ParallelFor& parallel_for) const {
  parallel_for(tasks(), [&](std::int64_t task) { run_task(task, src, dst); });
}

}  // namespace stridewise
