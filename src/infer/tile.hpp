// Tiles: elements that follow each other in memory, whose values together tell the place
// that each alone does not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "infer/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

// No tile has more places.
inline constexpr std::int64_t most_tile_places = 4096;

// One digit of a tile: x / div % count of a dim.
struct TileDigit {
  std::size_t dim = 0;
  std::int64_t div = 1;
  std::int64_t count = 2;

  friend bool operator==(const TileDigit&, const TileDigit&) = default;
};

// A number that stands for a value within a sum over a tile; 0 for zero, which is what
// padding holds.
class HashTerms {
 public:
  explicit HashTerms(const InferData& data)
      : data_(&data), powers_(&powers()), zero_(data.zero_key()) {}

  [[nodiscard]] std::uint64_t reference(std::int64_t element) const {
    return code(data_->reference_key(element));
  }
  [[nodiscard]] std::uint64_t dump(std::int64_t place) const {
    return code(data_->dump_key(place * data_->width()));
  }
  // Of place k of a tile.
  [[nodiscard]] std::uint64_t power(std::int64_t k) const {
    return (*powers_)[static_cast<std::size_t>(k)];
  }

 private:
  [[nodiscard]] std::uint64_t code(std::uint64_t key) const {
    std::uint64_t code = (key - zero_) * 0x9e3779b97f4a7c15U;
    code ^= code >> 29;
    return code * 0xbf58476d1ce4e5b9U;
  }

  using Powers = std::vector<std::uint64_t>;
  [[nodiscard]] static const Powers& powers() {
    static const Powers all = [] {
      Powers powers(most_tile_places, 1);
      for (std::size_t k = 1; k < powers.size(); ++k) {
        powers[k] = powers[k - 1] * 0xd1342543de82ef95U;
      }
      return powers;
    }();
    return all;
  }

  const InferData* data_;
  const Powers* powers_;
  std::uint64_t zero_;
};

// Digits, the fastest first. The tile at an index whose digits are all 0 has as its place k
// the element whose digits are those of k. An element beyond its dim counts as zero.
class Tile {
 public:
  Tile(const Shape& shape, std::vector<TileDigit> digits);

  [[nodiscard]] const std::vector<TileDigit>& digits() const { return digits_; }
  // Places.
  [[nodiscard]] std::int64_t size() const { return size_; }

  // Whether the last digit of the index is 0; all are where all others are.
  [[nodiscard]] bool begins_last(const std::int64_t* index) const {
    return digits_.empty() || index[digits_.back().dim] / digits_.back().div %
                                      digits_.back().count ==
                                  0;
  }
  // Whether no element is beyond its dim. Pre: all digits are 0.
  [[nodiscard]] bool full(const std::int64_t* index) const {
    for (std::size_t d = 0; d < below_.size(); ++d) {
      if (index[d] >= below_[d]) return false;
    }
    return true;
  }
  // The sum of codes; 0 where all are zeros. Pre: all digits are 0, which is the element's.
  [[nodiscard]] std::uint64_t key(const HashTerms& terms,
                                  const std::int64_t* index,
                                  std::int64_t element) const;

  // Takes the index of any element to where its tile begins. Returns the element's place
  // in the tile.
  std::int64_t to_begin(std::int64_t* index) const;
  // An element's number in logical order.
  [[nodiscard]] std::int64_t element(const std::int64_t* index) const;

 private:
  [[nodiscard]] bool inside(const std::int64_t* index, std::size_t place) const;

  const Shape* shape_;
  std::vector<TileDigit> digits_;
  std::int64_t size_ = 1;
  std::vector<std::int64_t> strides_;  // of the reference
  std::vector<std::int64_t> deltas_;   // by place: from the first element
  std::vector<std::int64_t> adds_;     // by place and dim: to the index
  std::vector<std::int64_t> below_;  // by dim: tiles that begin below are whole
};

}  // namespace stridewise::inference
