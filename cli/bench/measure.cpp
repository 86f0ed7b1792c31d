// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace stridewise::cli {
namespace {

constexpr double least_seconds = 200e-6;  // of a timed block
// Of the fastest, where a cache may hold the data from one run to the next.
constexpr double cached_seconds = 5e-3;

double median(std::vector<double>& values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

Timed timed(std::function<void()> work, std::function<void()> before) {
  return [work = std::move(work), before = std::move(before)](int repeats) {
    std::chrono::duration<double> elapsed{};
    const int at_once = before ? 1 : repeats;
    for (int done = 0; done < repeats; done += at_once) {
      if (before) before();
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < at_once; ++k) work();
      elapsed += std::chrono::steady_clock::now() - begin;
    }
    return elapsed.count() / repeats;
  };
}

std::vector<double> measure(std::span<const Timed> work, int rounds,
                            Caches caches) {
  std::vector<int> repeats;  // so that the clock's grain does not matter
  bool warms = false;        // each turn begins with a run that is not timed
  for (const Timed& w : work) {
    w(1);
    const double once = w(1);
    const bool warm = caches == Caches::warm;
    warms = warms || (warm && once < cached_seconds);
    repeats.push_back(warm && once < least_seconds
                          ? static_cast<int>(least_seconds / (once + 1e-9)) + 1
                          : 1);
  }
  std::vector<std::vector<double>> times(work.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < work.size(); ++k) {
      // What fits a cache finds it as the work itself leaves it, not as the
      // competitor before did.
      if (warms) work[k](1);
      times[k].push_back(work[k](repeats[k]));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& t : times) medians.push_back(median(t));
  return medians;
}

}  // namespace stridewise::cli
