// Reference and dump as one row of elements and one of bytes, whatever the
// number of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

#include "stridewise/infer.hpp"

namespace stridewise::inference {

class InferData {
 public:
  InferData(std::span<const InferPair> pairs, std::int64_t element_bytes,
            const std::function<void(double)>& progress,
            std::span<const ByteRange> zeros)
      : pairs_(pairs),
        width_(static_cast<std::size_t>(element_bytes)),
        progress_(progress),
        zeros_(zeros) {}

  // Whether bytes first .. end-1 of the dump are zero, without a look at them.
  [[nodiscard]] bool known_zero(std::int64_t first, std::int64_t end) const {
    const auto range = std::ranges::upper_bound(
        zeros_, first, {}, [](const ByteRange& zeros) { return zeros.end; });
    return range != zeros_.end() && range->first <= first && end <= range->end;
  }
  // The key of zeros.
  [[nodiscard]] std::uint64_t zero_key() const {
    std::uint64_t key = 0;
    for (std::size_t k = 1; k < pairs_.size(); ++k) key = joined(key, 0);
    return key;
  }

  // How much of what is being read is done.
  void report(double done) const {
    if (progress_) progress_(done);
  }

  // After look number `count` here and there in a memory that may be large: each
  // brings in what lies around, which is to go again.
  void looked(std::int64_t count) const {
    constexpr std::size_t large = std::size_t{1} << 28;
    const InferPair& pair = pairs_.front();
    if (count % 1024 == 0 && pair.reference.size() + pair.dump.size() > large) {
      report(0);
    }
  }

  [[nodiscard]] std::int64_t width() const {
    return static_cast<std::int64_t>(width_);
  }
  [[nodiscard]] std::int64_t dump_bytes() const {
    return static_cast<std::int64_t>(pairs_.front().dump.size());
  }

  // A number that stands for a value: its bits where they fit, else a hash.
  [[nodiscard]] std::uint64_t reference_key(std::int64_t element) const {
    return key(&InferPair::reference,
               static_cast<std::size_t>(element) * width_);
  }
  [[nodiscard]] std::uint64_t dump_key(std::int64_t byte) const {
    return key(&InferPair::dump, static_cast<std::size_t>(byte));
  }
  // Whether `count` elements stand at this byte of the dump, one after the other.
  [[nodiscard]] bool equal(std::int64_t element, std::int64_t byte,
                           std::int64_t count = 1) const {
    for (const InferPair& pair : pairs_) {
      if (std::memcmp(pair.reference.data() +
                          static_cast<std::size_t>(element) * width_,
                      pair.dump.data() + byte,
                      static_cast<std::size_t>(count) * width_) != 0) {
        return false;
      }
    }
    return true;
  }
  // Whether bytes first .. end-1 of the dump are one value many times.
  [[nodiscard]] bool constant(std::int64_t first, std::int64_t end) const {
    return std::ranges::all_of(pairs_, [&](const InferPair& pair) {
      return repeats(pair.dump.data() + first,
                     static_cast<std::size_t>(end - first));
    });
  }
  // Whether the element at this byte of the dump is zero.
  [[nodiscard]] bool zero(std::int64_t byte) const {
    return std::ranges::all_of(pairs_, [&](const InferPair& pair) {
      return pair.dump[static_cast<std::size_t>(byte)] == std::byte{0} &&
             (width_ == 1 ||
              std::memcmp(pair.dump.data() + byte, pair.dump.data() + byte + 1,
                          width_ - 1) == 0);
    });
  }
  // The same value many times among elements of the reference.
  [[nodiscard]] bool constant_reference(std::int64_t first,
                                        std::int64_t end) const {
    return std::ranges::all_of(pairs_, [&](const InferPair& pair) {
      return repeats(
          pair.reference.data() + static_cast<std::size_t>(first) * width_,
          static_cast<std::size_t>(end - first) * width_);
    });
  }

 private:
  std::uint64_t key(std::span<const std::byte> InferPair::*side,
                    std::size_t at) const {
    std::uint64_t key = load((pairs_.front().*side).data() + at);
    for (const InferPair& pair : pairs_.subspan(1)) {
      key = joined(key, load((pair.*side).data() + at));
    }
    return key;
  }
  static std::uint64_t joined(std::uint64_t key, std::uint64_t next) {
    return key * 0x9e3779b97f4a7c15U + next + 1;
  }
  // Memory that is itself one value further on.
  [[nodiscard]] bool repeats(const std::byte* at, std::size_t bytes) const {
    return bytes < 2 * width_ ||
           std::memcmp(at, at + width_, bytes - width_) == 0;
  }
  [[nodiscard]] std::uint64_t load(const std::byte* at) const {
    switch (width_) {
      case 1:
        return load_as<std::uint8_t>(at);
      case 2:
        return load_as<std::uint16_t>(at);
      case 4:
        return load_as<std::uint32_t>(at);
      case 8:
        return load_as<std::uint64_t>(at);
      default:
        break;
    }
    std::uint64_t key = 0;
    for (std::size_t k = 0; k < width_; k += sizeof key) {
      std::uint64_t word = 0;
      std::memcpy(&word, at + k, std::min(sizeof word, width_ - k));
      key = key * 0x9e3779b97f4a7c15U + word;
    }
    return key;
  }
  template <class T>
  static std::uint64_t load_as(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  std::span<const InferPair> pairs_;
  std::size_t width_;
  const std::function<void(double)>& progress_;
  std::span<const ByteRange> zeros_;
};

}  // namespace stridewise::inference
