// Which lanes of src the vectors of a gathered run are taken from (gathered.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace stridewise {
// Local to what includes it: kernels compile it with their own flags.
namespace {

// Bytes that are read at once; of vectors of them, how many one of dst is taken from.
constexpr std::int64_t gathered_lane = 16;
constexpr std::int64_t most_gathered = 4;

// The lanes that hold some elements. Elements do not lie across two: all are a multiple
// of their width, which divides a lane, from where the run begins in src.
class GatheredLanes {
 public:
  static constexpr std::int64_t most = 4 * most_gathered;

  // The number of the lane of an element at such an offset, a new one if none held it.
  // Pre: offset >= 0 and count() < most, or a lane holds it.
  std::int64_t number_of(std::int64_t offset) {
    const std::int64_t lane = offset / gathered_lane * gathered_lane;
    std::int64_t k = 0;
    while (k < count_ && at_[static_cast<std::size_t>(k)] != lane) ++k;
    if (k == count_) at_[static_cast<std::size_t>(count_++)] = lane;
    return k;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Where a lane begins in src.
  [[nodiscard]] std::int64_t at(std::int64_t number) const {
    return at_[static_cast<std::size_t>(number)];
  }

 private:
  std::array<std::int64_t, most> at_;  // NOLINT: set before they are read
  std::int64_t count_ = 0;
};

// The run by vectors of `unit` bytes, of which the last one begins early enough to be
// whole: calls take(where it begins in the run, the offsets in src of its elements) for
// each. `run` has those of all elements, of `width` bytes.
// Pre: the run has `unit` bytes at least.
template <class Take>
void each_gathered(std::span<const std::int64_t> run, std::int64_t width,
                   std::int64_t unit, Take take) {
  const std::int64_t size = static_cast<std::int64_t>(run.size()) * width;
  for (std::int64_t k = 0; k < size; k += unit) {
    const std::int64_t at = k + unit <= size ? k : size - unit;
    take(at, run.subspan(static_cast<std::size_t>(at / width),
                         static_cast<std::size_t>(unit / width)));
  }
}

}  // namespace
}  // namespace stridewise
