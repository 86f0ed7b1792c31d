// The dump as windows of places that follow each other: which values each has, and how
// often the dump has such a window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "infer/tile.hpp"

namespace stridewise::inference {

// Which windows are looked at.
struct WindowShape {
  std::int64_t size = 1;    // places
  std::int64_t stride = 1;  // from one place of a window to the next
  bool anywhere = false;    // else at multiples of the size alone

  friend auto operator<=>(const WindowShape&, const WindowShape&) = default;
};

// Of a large tensor, a part of the windows and tiles that is the same on both sides: those
// whose first `size` places have a key of a low rank.
struct Filter {
  std::int64_t size = 1;
  std::uint64_t limit = 0;

  // A number that looks random.
  [[nodiscard]] static std::uint64_t rank(std::uint64_t key) {
    return (key ^ key >> 31) * 0x94d049bb133111ebU;
  }
  [[nodiscard]] bool keeps(std::uint64_t key) const {
    return key != 0 && rank(key) <= limit;
  }

  friend auto operator<=>(const Filter&, const Filter&) = default;
};
// By size, ascending. None: all are kept.
using Filters = std::vector<Filter>;

class Windows {
 public:
  // Memory of so many windows at most.
  static constexpr std::int64_t most = std::int64_t{1} << 21;

  // O(dump). Windows of nothing but zeros are left out. One of more than `most` windows is
  // empty.
  Windows(const InferData& data, const WindowShape& shape,
          const Filters& filters);

  // The keys of up to `count` windows here and there that the filters keep, and how many
  // there are of all.
  struct Drawn {
    std::vector<std::uint64_t> keys;
    std::int64_t of = 0;
  };
  [[nodiscard]] static Drawn draw(const InferData& data,
                                  const WindowShape& shape,
                                  const Filters& filters, std::size_t count);

  [[nodiscard]] const WindowShape& shape() const { return shape_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  // Of memory that it takes.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(slots_.capacity() * sizeof(Slot));
  }

  // A new count of tiles begins.
  void begin();
  // Counts a tile with this key; false where the dump has no more of them.
  bool take(std::uint64_t key);
  // How often the dump has it.
  [[nodiscard]] std::int64_t count(std::uint64_t key) const;
  // Where, if it is there once and no two tiles were counted; else -1.
  [[nodiscard]] std::int64_t place(std::uint64_t key) const;

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: none
    std::uint32_t place = 0;
    std::uint32_t count = 0;
    std::uint32_t seen = 0;
  };

  void read_anywhere(const HashTerms& terms, std::int64_t places);
  void add(std::uint64_t key, std::int64_t place);
  void grow();
  [[nodiscard]] std::size_t find(std::uint64_t key) const;

  WindowShape shape_;
  std::vector<Slot> slots_;
  std::int64_t count_ = 0;  // of different windows
};

}  // namespace stridewise::inference
