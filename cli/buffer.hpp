// Memory for tensors that are measured or shown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

}  // namespace stridewise::cli
