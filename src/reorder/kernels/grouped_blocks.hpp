// The blocks of columns that grouped rows are moved by (grouped.hpp, grouped_lanes.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stridewise {
// Local to what includes it: kernels compile it with their own flags.
namespace {

// Bytes that are written at once; those of a lane; and those of a column that a group of
// rows makes.
constexpr std::int64_t grouped_line = 64;
constexpr std::int64_t grouped_lane = 16;
constexpr std::int64_t group_bytes = 4;
// The columns of a block that is taken from a line of each group.
constexpr std::size_t grouped_columns = 8;

// The bytes of two lines that make another, the second one's counted on after the first
// one's; and where those begin among some, which it is added to unless they have it.
using Permutation = std::array<std::uint8_t, grouped_line>;
inline std::int64_t place_of(const Permutation& permutation,
                             std::vector<Permutation>& some) {
  const auto known = std::ranges::find(some, permutation);
  const std::int64_t place = (known - some.begin()) * grouped_line;
  if (known == some.end()) some.push_back(permutation);
  return place;
}

// take(the first column) for each block of so many; the last one begins early enough to
// be whole. Pre: there is one at least.
template <class Take>
void each_grouped(std::span<const std::int64_t> columns, std::size_t block,
                  Take take) {
  for (std::size_t k = 0; k < columns.size(); k += block) {
    take(std::min(k, columns.size() - block));
  }
}
// The same where blocks are taken from lanes: of each run of columns that follow each
// other, if the first one holds a block: calls take(the first column, the number of the
// block in its run). Pre: runs are as long as that.
template <class Take>
void each_grouped_run(std::span<const std::int64_t> columns, std::size_t block,
                      std::int64_t width, Take take) {
  std::size_t run = 1;
  while (run < columns.size() && columns[run] == columns[run - 1] + width) {
    ++run;
  }
  if (run < block) run = columns.size();
  for (std::size_t first = 0; first < columns.size(); first += run) {
    each_grouped(columns.subspan(first, std::min(run, columns.size() - first)),
                 block, [&, number = std::size_t{0}](std::size_t k) mutable {
                   take(first + k, number++);
                 });
  }
}

// Where lanes begin that hold some columns of all members of a group whole; more than
// `most` where so many do not.
class GroupedLanes {
 public:
  static constexpr std::int64_t most = 2;

  GroupedLanes(std::span<const std::int64_t> columns,
               std::span<const std::int64_t> members, std::int64_t width) {
    std::int64_t next = 0;  // all that begins before it is held
    for (; count_ <= most; ++count_) {
      std::int64_t first = std::numeric_limits<std::int64_t>::max();
      for (const std::int64_t column : columns) {
        for (const std::int64_t member : members) {
          const std::int64_t at = column + member;
          if (at >= next) first = std::min(first, at);
        }
      }
      if (first == std::numeric_limits<std::int64_t>::max()) return;
      if (count_ < most) at_[static_cast<std::size_t>(count_)] = first;
      next = first + grouped_lane - width + 1;
    }
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  // Pre: count() <= most.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(count_);
  }
  [[nodiscard]] std::int64_t at(std::size_t number) const {
    return at_[number];
  }
  // The lane that holds so many bytes from there on.
  [[nodiscard]] std::size_t number_of(std::int64_t at,
                                      std::int64_t bytes) const {
    std::size_t l = 0;
    while (at < at_[l] || at + bytes > at_[l] + grouped_lane) ++l;
    return l;
  }

 private:
  std::array<std::int64_t, most> at_{};
  std::int64_t count_ = 0;
};

// Whether there is a block of so many such columns, and what is read of a group at once
// holds each: a line from its first byte on, or at most two lanes.
inline bool grouped_holds(std::int64_t block_columns,
                          std::span<const std::int64_t> columns,
                          std::span<const std::int64_t> members,
                          std::int64_t width) {
  const auto block = static_cast<std::size_t>(block_columns);
  if (columns.size() < block) return false;
  bool all = true;
  if (block == grouped_columns) {
    each_grouped(columns, block, [&](std::size_t first) {
      const auto [least, most] =
          std::ranges::minmax(columns.subspan(first, block));
      all = all && most - least + members.back() + width <= grouped_line;
    });
  } else {
    // One run is like another.
    std::size_t known = 0;
    each_grouped_run(columns, block, width,
                     [&](std::size_t first, std::size_t number) {
                       if (number < known) return;
                       ++known;
                       const GroupedLanes lanes(columns.subspan(first, block),
                                                members, width);
                       all = all && lanes.count() <= GroupedLanes::most;
                     });
  }
  return all;
}

// Groups of a column that are taken apart, at most, and those that two lines hold.
constexpr std::int64_t most_groups = 256;
constexpr std::int64_t held_groups = 2 * grouped_line / group_bytes;

// take(where it begins, the first of the groups that it is taken from) for each line of
// such a column of so many bytes, `run` groups of which are taken apart at once; the last
// line begins early enough to be whole. Pre: the column has a line at least.
template <class Take>
void each_ungrouped(std::int64_t bytes, std::int64_t run, Take take) {
  const std::int64_t last =
      std::max<std::int64_t>(bytes / group_bytes - held_groups, 0);
  for (std::int64_t k = 0; k < bytes; k += grouped_line) {
    const std::int64_t to = std::min(k, bytes - grouped_line);
    take(to, std::min(to / (group_bytes * run) * run, last));
  }
}

// Whether two lines hold the groups of each.
inline bool ungroups(std::int64_t bytes, std::int64_t run) {
  bool all = true;
  each_ungrouped(bytes, run, [&](std::int64_t to, std::int64_t first) {
    const std::int64_t runs = (to + grouped_line - 1) / (group_bytes * run) + 1;
    all = all && runs * run - first <= held_groups;
  });
  return all;
}

}  // namespace
}  // namespace stridewise
