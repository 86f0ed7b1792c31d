// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/bits/lane.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stridewise::engine {
namespace {

std::int64_t rounded_down(std::int64_t place, std::int64_t unit) {
  const std::int64_t rest = place % unit;
  return place - rest - (rest < 0 ? unit : 0);
}

}  // namespace

Groups LaneMaker::groups(std::span<const BitPart> parts,
                         std::int64_t dst) const {
  const auto begin = std::ranges::lower_bound(parts, dst, {}, &BitPart::dst);
  const auto end = std::ranges::lower_bound(parts, dst + vector_.lane_bytes, {},
                                            &BitPart::dst);
  std::vector<BitPart> left;
  std::copy_if(begin, end, std::back_inserter(left),
               [](const BitPart& part) { return part.mask != 0; });
  std::ranges::stable_sort(left, {}, &BitPart::shift);
  Groups groups;
  while (!left.empty()) groups.push_back(group(left, dst));
  return groups;
}

// A group of one part of each byte, which are taken from `left`: of one shift, where not
// each byte may have its own.
Group LaneMaker::group(std::vector<BitPart>& left, std::int64_t dst) const {
  Group group;
  Taken taken{};
  std::vector<BitPart> rest;
  for (const BitPart& part : left) {
    const auto byte = static_cast<std::size_t>(part.dst - dst);
    const bool first = taken[byte] == nullptr;
    const bool same =
        first
            ? vector_.shifts_bytes || part.shift == left.front().shift
            : part.shift == taken[byte]->shift && part.src == taken[byte]->src;
    if (!same) {
      rest.push_back(part);
      continue;
    }
    if (first) taken[byte] = &part;
    group.mask[byte] |= part.mask;
  }
  set_shift(taken, left.front().shift, group);
  std::vector<Source> sources = sources_of(taken, 1);
  std::vector<Source> aligned = sources_of(taken, vector_.lane_bytes);
  // Loads over the end of a line cost more.
  group.sources =
      std::move(aligned.size() <= sources.size() ? aligned : sources);
  left = std::move(rest);
  return group;
}

// How far words of eight bytes are shifted to the left, as such a word; or from which bit
// of its word on each byte is.
void LaneMaker::set_shift(const Taken& taken, std::int64_t shift,
                          Group& group) const {
  for (std::size_t byte = 0; byte < taken.size(); ++byte) {
    const auto at = static_cast<std::int64_t>(byte % 8);
    if (!vector_.shifts_bytes) {
      const std::int64_t sign = shift < 0 ? -1 : 0;
      group.shift[byte] = static_cast<std::uint8_t>(at == 0 ? shift : sign);
      continue;
    }
    const std::int64_t own = taken[byte] == nullptr ? 0 : taken[byte]->shift;
    group.shift[byte] = static_cast<std::uint8_t>((8 * at - own) & 63);
  }
}

// Loads that begin at multiples of `unit`, if src holds so much.
std::vector<Source> LaneMaker::sources_of(const Taken& taken,
                                          std::int64_t unit) const {
  std::vector<std::pair<std::int64_t, std::size_t>> places;
  for (std::size_t byte = 0; byte < taken.size(); ++byte) {
    if (taken[byte] != nullptr) places.emplace_back(taken[byte]->src, byte);
  }
  std::ranges::sort(places);
  const std::int64_t last = std::max(end_ - vector_.lane_bytes, first_);
  std::vector<Source> sources;
  for (const auto& [place, byte] : places) {
    if (sources.empty() || place >= sources.back().begin + vector_.lane_bytes) {
      sources.push_back(
          {.begin = std::clamp(rounded_down(place, unit), first_, last)});
    }
    Source& source = sources.back();
    source.from[byte] = static_cast<std::uint8_t>(place - source.begin);
    source.present |= std::uint64_t{1} << byte;
  }
  return sources;
}

}  // namespace stridewise::engine
