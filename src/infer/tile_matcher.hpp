// How many tiles of the reference, cut by some digits, the dump has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "infer/data.hpp"
#include "infer/tile.hpp"
#include "infer/windows.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::inference {

using Digits = std::vector<TileDigit>;

// The digits of a tile, and what is known of them.
struct Structure {
  Digits digits = {};
  std::int64_t size = 1;
  double share = 0;  // of the tiles: how many the dump has
  // Of its tiles those that are looked at, by their first elements.
  std::vector<std::uint32_t> tiles = {};
  Filters filters = {};
};

// One way to look at the dump.
struct Pass {
  std::int64_t stride = 1;
  bool anywhere = false;
  // Whether prefixes must hold without exception.
  bool exact = true;
  std::size_t kept = 64;
  // Of larger tensors about so many elements are looked at.
  std::int64_t looked_at = std::int64_t{1} << 17;
};

class TileMatcher {
 public:
  // `most_read`: elements that all structures together may look at.
  TileMatcher(const InferData& data, const Shape& shape, std::int64_t elements,
              std::int64_t most_read)
      : data_(data),
        shape_(shape),
        terms_(data),
        elements_(elements),
        most_read_(most_read) {}

  [[nodiscard]] const HashTerms& terms() const { return terms_; }

  // Whether the search is to end: data that have no layout are not read for ever.
  [[nodiscard]] bool exhausted() const { return read_ > most_read_; }

  // The windows of one pass are kept until it ends, as far as there is memory. A reference
  // holds until the next call.
  Windows& windows(const WindowShape& shape, const Filters& filters);
  void end_pass() {
    windows_.clear();
    window_bytes_ = 0;
  }

  // One filter more, where the windows are more than are looked at.
  Filters with_filter(const WindowShape& shape, Filters filters,
                      std::int64_t least);

  // How often a tile of elements drawn at random stands in the dump.
  double chance(const WindowShape& shape, const Filters& filters);

  // The share of the tiles that the dump has as often as the reference; of whole ones,
  // where there are enough of them; 0 where an exception ends the pass. `from`: the structure
  // without its last digit, or itself.
  double found_share(const Pass& pass, const Digits& digits,
                     const Structure& from);

  // Lists its tiles, of those of the structure without its last digit.
  void list_tiles(const Pass& pass, Structure& structure,
                  const Structure& from);

  // One element, at all places.
  Structure root(const Pass& pass);

  void index_of(std::uint32_t element, std::int64_t* index) const {
    for (std::size_t d = shape_.size(); d-- > 0;) {
      const auto extent = static_cast<std::uint32_t>(shape_[d].extent);
      index[d] = element % extent;
      element /= extent;
    }
  }

  [[nodiscard]] static WindowShape window(const Pass& pass, std::int64_t size) {
    return {size, pass.stride, pass.anywhere};
  }

 private:
  std::uint64_t random_key(Sequence& random, std::int64_t size,
                           const Filters& filters) const;

  const InferData& data_;
  const Shape& shape_;
  const HashTerms terms_;
  const std::int64_t elements_;
  const std::int64_t most_read_;
  std::int64_t read_ = 0;
  std::int64_t window_bytes_ = 0;
  std::map<std::pair<WindowShape, Filters>, Windows> windows_;
  std::map<std::pair<WindowShape, Filters>, Filter> filters_;
  std::map<std::pair<WindowShape, Filters>, double> chances_;
};

}  // namespace stridewise::inference
