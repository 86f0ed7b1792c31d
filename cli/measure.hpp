// Timing that can be believed: competitors take turns, medians are compared,
// and what is timed was verified first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace stridewise::cli {

// Bytes on a page boundary, touched, so that no fault is timed.
class Buffer {
 public:
  explicit Buffer(std::int64_t size);
  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Free> data_;
};

// Median seconds of each function over interleaved rounds. Short work is
// repeated within a round so that the clock's grain does not matter.
[[nodiscard]] std::vector<double> measure(
    std::span<const std::function<void()>> work, int rounds);

}  // namespace stridewise::cli
