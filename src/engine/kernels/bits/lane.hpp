// What a lane of a piece takes, as groups of sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/bits/bit_program.hpp"

namespace stridewise::engine {

inline constexpr std::size_t most_lane_bytes = 64;

// What a lane takes by one load: for each of its bytes one of the load, or none.
struct Source {
  std::int64_t begin = 0;
  std::array<std::uint8_t, most_lane_bytes> from = {};
  std::uint64_t present = 0;
};

// Bytes that are shifted and cut together.
struct Group {
  std::array<std::uint8_t, most_lane_bytes> shift = {};
  std::array<std::uint8_t, most_lane_bytes> mask = {};
  std::vector<Source> sources = {};
};
using Groups = std::vector<Group>;

// Makes groups for lanes of a vector, of a tile whose bytes of src are from `first` to
// before `end`.
class LaneMaker {
 public:
  LaneMaker(const ProgramVector& vector, std::int64_t first, std::int64_t end)
      : vector_(vector), first_(first), end_(end) {}

  // What the lane that begins at `dst` takes of the parts, until nothing is left.
  [[nodiscard]] Groups groups(std::span<const BitPart> parts,
                              std::int64_t dst) const;

 private:
  using Taken = std::array<const BitPart*, most_lane_bytes>;

  [[nodiscard]] Group group(std::vector<BitPart>& left, std::int64_t dst) const;
  void set_shift(const Taken& taken, std::int64_t shift, Group& group) const;
  [[nodiscard]] std::vector<Source> sources_of(const Taken& taken,
                                               std::int64_t unit) const;

  ProgramVector vector_;
  std::int64_t first_;
  std::int64_t end_;
};

}  // namespace stridewise::engine
