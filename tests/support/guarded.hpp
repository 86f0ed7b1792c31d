// Memory whose neighbours on both sides fault: a kernel that reads or writes
// one byte outside ends the test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace stridewise::testing {

class GuardedBytes {
 public:
  enum class Against : std::uint8_t { front, back };

  // `size` bytes that begin right after a forbidden page, or end right before
  // one.
  GuardedBytes(std::size_t size, Against side) : size_(size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inner = (size + page - 1) / page * page;
    total_ = inner + 2 * page;
    map_ =
        ::mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* begin = static_cast<std::byte*>(map_) + page;
    if (map_ == MAP_FAILED ||
        ::mprotect(begin, inner, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("cannot map guarded memory");
    }
    data_ = side == Against::front ? begin : begin + inner - size;
  }
  ~GuardedBytes() { ::munmap(map_, total_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::size_t size_;
  std::size_t total_ = 0;
  void* map_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace stridewise::testing
