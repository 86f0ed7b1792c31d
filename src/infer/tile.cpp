// SPDX-License-Identifier: Apache-2.0
#include "infer/tile.hpp"

#include <algorithm>
#include <utility>

namespace stridewise::inference {
Tile::Tile(const Shape& shape, std::vector<TileDigit> digits)
    : shape_(&shape), digits_(std::move(digits)), strides_(shape.size(), 1) {
  for (std::size_t d = shape.size(); d-- > 1;) {
    strides_[d - 1] = strides_[d] * shape[d].extent;
  }
  for (const TileDigit& digit : digits_) size_ *= digit.count;
  for (const Dim& dim : shape) below_.push_back(dim.extent);
  adds_.assign(static_cast<std::size_t>(size_) * shape.size(), 0);
  for (std::int64_t k = 0; k < size_; ++k) {
    std::int64_t* adds =
        adds_.data() + static_cast<std::size_t>(k) * shape.size();
    std::int64_t rest = k;
    for (const TileDigit& digit : digits_) {
      adds[digit.dim] += rest % digit.count * digit.div;
      rest /= digit.count;
    }
    std::int64_t delta = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      delta += adds[d] * strides_[d];
      below_[d] = std::min(below_[d], shape[d].extent - adds[d]);
    }
    deltas_.push_back(delta);
  }
}

bool Tile::inside(const std::int64_t* index, std::size_t place) const {
  const std::int64_t* adds = adds_.data() + place * below_.size();
  for (std::size_t d = 0; d < below_.size(); ++d) {
    if (index[d] + adds[d] >= (*shape_)[d].extent) return false;
  }
  return true;
}

std::uint64_t Tile::key(const HashTerms& terms, const std::int64_t* index,
                        std::int64_t element) const {
  std::uint64_t sum = 0;
  const bool all = full(index);
  for (std::size_t k = 0; k < deltas_.size(); ++k) {
    if (!all && !inside(index, k)) continue;
    sum += terms.reference(element + deltas_[k]) *
           terms.power(static_cast<std::int64_t>(k));
  }
  return sum;
}

std::int64_t Tile::to_begin(std::int64_t* index) const {
  std::int64_t place = 0;
  std::int64_t step = 1;
  for (const TileDigit& digit : digits_) {
    const std::int64_t value = index[digit.dim] / digit.div % digit.count;
    place += value * step;
    step *= digit.count;
    index[digit.dim] -= value * digit.div;
  }
  return place;
}

std::int64_t Tile::element(const std::int64_t* index) const {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < strides_.size(); ++d) {
    element += index[d] * strides_[d];
  }
  return element;
}

}  // namespace stridewise::inference
