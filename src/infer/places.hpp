// Value -> the place in the dump where it stands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "infer/data.hpp"

namespace stridewise::inference {

// A hash table, open addressing.
class PlaceTable {
 public:
  explicit PlaceTable(std::int64_t values);

  // Whether it is the first of this value.
  bool add(std::uint64_t key);
  // Whether each value was added once.
  [[nodiscard]] bool distinct() const { return distinct_; }

  // All places of the dump that begin `phase` bytes after a multiple of the
  // width. Returns how many values were found there.
  std::int64_t scan(const InferData& data, std::int64_t phase);

  // Of a value that was added; -1 where it stands nowhere or not alone.
  [[nodiscard]] std::int64_t place(std::uint64_t key) const;

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::int64_t place = -1;
    std::int64_t references = 0;
  };

  [[nodiscard]] std::size_t home(std::uint64_t key) const;
  [[nodiscard]] bool maybe(std::uint64_t key) const;
  Slot& find(std::uint64_t key);
  // The value stands at `place`, once more or for the first time.
  bool found(std::uint64_t key, std::int64_t place);

  std::vector<Slot> slots_;
  int shift_;
  // A bit for the hash of each value. It fits in a cache, which the slots do not:
  // most of a large dump is none of the values.
  std::vector<std::uint64_t> filter_;
  int filter_shift_;
  bool distinct_ = true;
  // Blocks of the dump that are all zero: most of a sparse file, which is not
  // read once more for each phase.
  std::vector<bool> zero_;
};

}  // namespace stridewise::inference
