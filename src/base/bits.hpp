// Bits of memory as numbers: bit 0 is the lowest of byte 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stridewise::detail {

// `bits` (at most 56) from bit `place` of a memory of `size` bytes.
[[nodiscard]] inline std::uint64_t load_bits(const std::byte* memory,
                                             std::int64_t size,
                                             std::int64_t place,
                                             std::int64_t bits) {
  const std::int64_t byte = place >> 3;
  const auto shift = static_cast<unsigned>(place & 7);
  std::uint64_t word = 0;
  if (byte + 8 <= size) [[likely]] {
    std::memcpy(&word, memory + byte, 8);
  } else {
    std::memcpy(&word, memory + byte, static_cast<std::size_t>(size - byte));
  }
  return word >> shift & ((std::uint64_t{1} << bits) - 1);
}

// Bits that are put together byte by byte, ascending: bytes that are left half-way keep
// their other bits.
class BitWriter {
 public:
  explicit BitWriter(std::byte* memory) : memory_(memory) {}
  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;
  ~BitWriter() { flush(); }

  // Pre: value < 2^bits, bits <= 56.
  void put(std::int64_t place, std::int64_t bits, std::uint64_t value) {
    if (place != next_) start(place);
    word_ |= value << filled_;
    filled_ += static_cast<unsigned>(bits);
    next_ = place + bits;
    while (filled_ >= 8) {
      write(0xff);
      begin_ = 0;
      word_ >>= 8;
      filled_ -= 8;
      ++byte_;
    }
  }

  void flush() {
    if (filled_ > begin_) write((1U << filled_) - 1);
    filled_ = begin_ = 0;
    word_ = 0;
    next_ = -1;
  }

 private:
  void start(std::int64_t place) {
    flush();
    byte_ = place >> 3;
    begin_ = filled_ = static_cast<unsigned>(place & 7);
  }

  // The bits from begin_ on of this byte that `mask` has.
  void write(unsigned mask) {
    const unsigned own = mask & ~((1U << begin_) - 1);
    auto value = static_cast<unsigned>(word_ & 0xff);
    if (own != 0xff) {
      value = (static_cast<unsigned>(memory_[byte_]) & ~own) | (value & own);
    }
    memory_[byte_] = static_cast<std::byte>(value);
  }

  std::byte* memory_;
  std::int64_t next_ = -1;  // the place after the last bit
  std::int64_t byte_ = 0;   // that word_ begins with
  std::uint64_t word_ = 0;
  unsigned begin_ = 0;  // bits of the byte that came before
  unsigned filled_ = 0;
};

}  // namespace stridewise::detail
