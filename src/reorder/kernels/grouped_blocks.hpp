// The blocks of columns that grouped rows are moved by (grouped.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stridewise {
// Local to what includes it: kernels compile it with their own flags.
namespace {

// Bytes that are read and written at once; those of a column that a group of rows makes;
// and the columns of a block.
constexpr std::int64_t grouped_line = 64;
constexpr std::int64_t group_bytes = 4;
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

// take(the first column) for each block; the last one begins early enough to be whole.
// Pre: there is one at least.
template <class T, class Take>
void each_grouped(std::span<T> columns, Take take) {
  for (std::size_t k = 0; k < columns.size(); k += grouped_columns) {
    take(std::min(k, columns.size() - grouped_columns));
  }
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
