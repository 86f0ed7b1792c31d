// Unpacks what zip archives hold as "deflated", and computes their checksums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace stridewise {

// No deflated byte stands for more bytes than these.
inline constexpr std::int64_t most_inflated = 1032;

// Used for one member after the other: its memory is taken once.
class Inflater {
 public:
  Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  // Begins with a deflated stream, which must stay where it is. False: no memory.
  [[nodiscard]] bool start(std::span<const std::byte> packed);
  // The next bytes. Fewer than asked for: the stream has ended, or is no deflated stream.
  [[nodiscard]] std::size_t read(std::span<std::byte> out);
  // Whether the stream has ended where it should: all of it was used, and nothing more
  // comes of it. Call it after the last read().
  [[nodiscard]] bool finished();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The checksum of zip archives.
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes,
                                     std::uint32_t before = 0);

}  // namespace stridewise
