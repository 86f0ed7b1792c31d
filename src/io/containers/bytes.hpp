// Little-endian numbers and texts, one after the other, from bytes that may end anywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace stridewise {

// Reads what is there. What is not there is 0 or empty, and from then on ended() is true:
// it is asked once after several reads.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::uint64_t left() const { return bytes_.size() - position_; }

  template <std::unsigned_integral Number>
  [[nodiscard]] Number number() {
    const std::span<const std::byte> bytes = take(sizeof(Number));
    Number value = 0;
    for (std::size_t k = bytes.size(); k-- > 0;) {
      // A shift by all bits of a byte is none that C++ allows.
      value = static_cast<Number>(
          (sizeof(Number) > 1 ? static_cast<std::uint64_t>(value) << 8 : 0) |
          std::to_integer<std::uint64_t>(bytes[k]));
    }
    return value;
  }
  [[nodiscard]] std::uint16_t u16() { return number<std::uint16_t>(); }
  [[nodiscard]] std::uint32_t u32() { return number<std::uint32_t>(); }
  [[nodiscard]] std::uint64_t u64() { return number<std::uint64_t>(); }

  [[nodiscard]] std::string_view text(std::uint64_t size) {
    const std::span<const std::byte> bytes = take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void skip(std::uint64_t size) { static_cast<void>(take(size)); }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (ended_ || size > left()) {
      ended_ = true;
      return {};
    }
    const std::span<const std::byte> bytes =
        bytes_.subspan(position_, static_cast<std::size_t>(size));
    position_ += bytes.size();
    return bytes;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool ended_ = false;
};

// Whether a number of a file is one of ours.
[[nodiscard]] constexpr bool fits(std::uint64_t value) {
  return value <=
         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

}  // namespace stridewise
