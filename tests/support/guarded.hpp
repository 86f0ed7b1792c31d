// Memory whose neighbours on both sides fault: a kernel that reads or writes
// one byte outside ends the test. Tests use up hundreds of thousands of them, so
// that a mapping is kept for the next of its size; what it holds is of no value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

namespace stridewise::testing {

class GuardedBytes {
 public:
  enum class Against : std::uint8_t { front, back };

  // `size` bytes that begin right after a forbidden page, or end right before
  // one.
  GuardedBytes(std::size_t size, Against side) : size_(size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inner = (size + page - 1) / page * page;
    kept_ = &kept()[inner];
    if (kept_->empty()) kept_->push_back(map(inner, page));
    begin_ = kept_->back();
    kept_->pop_back();
    data_ = side == Against::front ? begin_ : begin_ + inner - size;
  }
  ~GuardedBytes() { kept_->push_back(begin_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  using Maps = std::vector<std::byte*>;

  static std::map<std::size_t, Maps>& kept() {
    static thread_local std::map<std::size_t, Maps> by_size;
    return by_size;
  }
  static std::byte* map(std::size_t inner, std::size_t page) {
    void* const all = ::mmap(nullptr, inner + 2 * page, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* const begin = static_cast<std::byte*>(all) + page;
    const int allowed = PROT_READ | PROT_WRITE;
    if (all == MAP_FAILED ||
        (inner > 0 && ::mprotect(begin, inner, allowed) != 0)) {
      throw std::runtime_error("cannot map guarded memory");
    }
    return begin;
  }

  std::size_t size_;
  Maps* kept_ = nullptr;
  std::byte* begin_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace stridewise::testing
