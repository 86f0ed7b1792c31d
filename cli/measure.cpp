// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

namespace stridewise::cli {
namespace {

constexpr std::size_t page = 4096;
constexpr double least_seconds = 200e-6;  // of a timed block

double seconds_of(const std::function<void()>& work, int repeats) {
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) work();
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  return elapsed.count() / repeats;
}

}  // namespace

Buffer::Buffer(std::int64_t size) : size_(static_cast<std::size_t>(size)) {
  const std::size_t rounded = (size_ + page) / page * page;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(page, rounded)));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 1, rounded);
}

void Buffer::Free::operator()(std::byte* p) const { std::free(p); }

std::vector<double> measure(std::span<const std::function<void()>> work,
                            int rounds) {
  std::vector<int> repeats;
  for (const auto& w : work) {
    w();
    const double once = seconds_of(w, 1);
    repeats.push_back(once < least_seconds
                          ? static_cast<int>(least_seconds / (once + 1e-9)) + 1
                          : 1);
  }
  std::vector<std::vector<double>> times(work.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < work.size(); ++k) {
      times[k].push_back(seconds_of(work[k], repeats[k]));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& t : times) {
    std::ranges::nth_element(t, t.begin() + rounds / 2);
    medians.push_back(t[static_cast<std::size_t>(rounds / 2)]);
  }
  return medians;
}

}  // namespace stridewise::cli
