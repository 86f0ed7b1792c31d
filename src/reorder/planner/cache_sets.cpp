// How lines share the sets of an L1 cache.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/cache_sets.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {
namespace {

constexpr std::size_t l1_sets = 64;
constexpr std::int64_t l1_bytes = l1_sets * line;  // of one line a set

std::size_t set_of(const Lines& lines, std::int64_t k) {
  const std::int64_t at = lines.offsets.empty()
                              ? k * lines.stride
                              : lines.offsets[static_cast<std::size_t>(k)];
  // Unsigned also for negative offsets: sets repeat by a power of two.
  return static_cast<std::size_t>(at) / line % l1_sets;
}

// Lines a stride apart after which one begins where the first did in its set.
std::int64_t period_of(std::int64_t stride) {
  return l1_bytes / std::gcd(stride, l1_bytes);
}

}  // namespace

std::int64_t lines_per_set(const Lines& lines, std::int64_t count) {
  if (lines.offsets.empty() && lines.stride % line == 0) {
    return ceil_div(count, period_of(lines.stride));
  }
  std::array<std::int32_t, l1_sets> of_set{};
  const auto some = lines.offsets.empty() ? count : std::ssize(lines.offsets);
  std::int32_t most = 0;
  for (std::int64_t k = 0; k < std::min(count, some); ++k) {
    most = std::max(most, ++of_set[set_of(lines, k)]);
  }
  return most;
}

bool share_sets(std::int64_t count, std::int64_t stride) {
  constexpr std::int64_t ways = 8;
  return count > ways * period_of(stride);
}

std::int64_t lines_that_fit(const Lines& lines, std::int64_t count, int ways) {
  std::array<std::uint8_t, l1_sets> of_set{};
  for (std::int64_t k = 0; k < count; ++k) {
    if (++of_set[set_of(lines, k)] > ways) return k;
  }
  return count;
}

bool sets_have_many_ways() {
#if defined(_SC_LEVEL1_DCACHE_ASSOC)
  static const bool many = sysconf(_SC_LEVEL1_DCACHE_ASSOC) > 8;
  return many;
#else
  return false;
#endif
}

}  // namespace stridewise::detail
