// SPDX-License-Identifier: Apache-2.0
#include "infer/tile_search.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "infer/tile.hpp"
#include "infer/windows.hpp"

namespace stridewise::inference {
namespace {

// Beyond this a tensor is not read so often.
constexpr std::int64_t most_elements = std::int64_t{1} << 26;
// Of larger tensors about so many elements are looked at.
constexpr std::int64_t looked_at = std::int64_t{1} << 17;
constexpr int most_attempts = 64;
constexpr int most_digits = 7;
// A window that chance finds so seldom has a place.
constexpr double rare = 0.02;

using Digits = std::vector<TileDigit>;

// What is held against the data.
struct Structure {
  Digits digits;
  std::int64_t size = 1;
  double share = 0;  // of the tiles: how many the dump has
};

// One way to look at the dump.
struct Pass {
  std::int64_t stride = 1;
  bool anywhere = false;
  // Whether prefixes must hold without exception.
  bool exact = true;
  std::size_t kept = 64;
};

class Search {
 public:
  Search(const InferData& data, const Shape& shape, std::int64_t elements,
         const TryPlaces& attempt)
      : data_(data),
        shape_(shape),
        codes_(data),
        elements_(elements),
        places_(data.dump_bytes() / data.width()),
        attempt_(attempt) {
    choose_kept();
    list_elements();
  }

  bool run() {
    if (run({.kept = 64}) || run({.exact = false, .kept = 24})) return true;
    const bool small = elements_ <= (1 << 16);
    if (run({.anywhere = true, .exact = false, .kept = small ? 160U : 24U})) {
      return true;
    }
    return std::ranges::any_of(strides(), [&](std::int64_t stride) {
      return run({.stride = stride, .anywhere = true, .exact = false, .kept = 16});
    });
  }

 private:
  // ------------------------------------------------------- the data ------

  // Of a large tensor, the values that about as many elements have as are looked at.
  void choose_kept() {
    if (elements_ <= 2 * looked_at) return;
    constexpr int drawn = 4096;
    Sequence random;
    std::vector<std::uint64_t> ranks;
    for (int k = 0; k < drawn; ++k) {
      const std::uint64_t code = codes_.reference(random.below(elements_));
      if (code != 0) ranks.push_back(Kept::rank(code));
    }
    if (ranks.empty()) return;
    std::ranges::sort(ranks);
    const auto at = static_cast<std::size_t>(drawn * looked_at / elements_);
    kept_ = Kept(ranks[std::min(at, ranks.size() - 1)]);
  }

  void list_elements() {
    const std::size_t rank = shape_.size();
    std::vector<std::int64_t> index(rank, 0);
    for (std::int64_t e = 0; e < elements_; ++e) {
      if (kept_.has(codes_.reference(e))) {
        listed_.push_back(e);
        indices_.insert(indices_.end(), index.begin(), index.end());
      }
      for (std::size_t d = rank; d-- > 0;) {
        if (++index[d] < shape_[d].extent) break;
        index[d] = 0;
      }
    }
  }

  Windows& windows(const WindowShape& shape) {
    const auto found = windows_.find(shape);
    if (found != windows_.end()) return found->second;
    return windows_.emplace(shape, Windows(data_, shape, kept_)).first->second;
  }

  // How often a tile of elements drawn at random stands in the dump.
  double chance(const WindowShape& shape) {
    const auto found = chances_.find(shape);
    if (found != chances_.end()) return found->second;
    const Windows& in = windows(shape);
    constexpr int drawn = 512;
    Sequence random;
    int hits = 0;
    for (int n = 0; n < drawn; ++n) {
      std::uint64_t key = 0;
      for (std::int64_t k = 0; k < shape.size; ++k) {
        const std::int64_t e =
            k == 0 ? listed_[static_cast<std::size_t>(random.below(
                         static_cast<std::int64_t>(listed_.size())))]
                   : random.below(elements_);
        key += codes_.reference(e) * Codes::power(k);
      }
      hits += in.count(key) > 0 ? 1 : 0;
    }
    return chances_[shape] = (hits + 0.5) / (drawn + 1);
  }

  // ------------------------------------------------------ structures -----

  [[nodiscard]] WindowShape window(const Pass& pass, std::int64_t size) const {
    return {size, pass.stride, pass.anywhere};
  }

  // The share of the tiles that the dump has as often as the reference; of whole ones,
  // where there are enough of them.
  double share(const Pass& pass, const Digits& digits) {
    const Tile tile(shape_, digits);
    Windows& in = windows(window(pass, tile.size()));
    if (in.empty()) return 0;
    in.begin();
    std::int64_t whole = 0;
    std::int64_t whole_found = 0;
    std::int64_t part = 0;
    std::int64_t part_found = 0;
    for (std::size_t k = 0; k < listed_.size(); ++k) {
      const std::int64_t* index = indices_.data() + k * shape_.size();
      if (!tile.begins(index)) continue;
      const std::uint64_t key = tile.key(codes_, index, listed_[k]);
      if (key == 0) continue;
      const int found = in.take(key) ? 1 : 0;
      const bool full = tile.full(index);
      (full ? whole : part) += 1;
      (full ? whole_found : part_found) += found;
    }
    if (whole + part < 2) return 0;
    if (3 * whole < part) {
      whole += part;
      whole_found += part_found;
    }
    return static_cast<double>(whole_found) / static_cast<double>(whole);
  }

  // Where the digits of dim d that begin with its lowest one end: 1, or their product.
  [[nodiscard]] static std::int64_t chain_end(const Digits& digits,
                                              std::size_t d) {
    std::int64_t end = 1;
    for (bool more = true; more;) {
      more = false;
      for (const TileDigit& digit : digits) {
        if (digit.dim != d || digit.div != end) continue;
        end *= digit.count;
        more = true;
      }
    }
    return end;
  }

  [[nodiscard]] static bool overlaps(const Digits& digits,
                                     const TileDigit& digit) {
    return std::ranges::any_of(digits, [&](const TileDigit& other) {
      return other.dim == digit.dim && other.div < digit.div * digit.count &&
             digit.div < other.div * other.count;
    });
  }

  // Digits that may come next: a bit of a dim, three values, or all that is left.
  [[nodiscard]] Digits next_digits(const Pass& pass,
                                   const Structure& structure) const {
    Digits next;
    const auto add = [&](std::size_t d, std::int64_t div, std::int64_t count) {
      const TileDigit digit{d, div, count};
      if (count < 2 || div * (count - 1) >= shape_[d].extent) return;
      if (structure.size > most_tile_places / count) return;
      if (overlaps(structure.digits, digit)) return;
      if (std::ranges::find(next, digit) == next.end()) next.push_back(digit);
    };
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const std::int64_t extent = shape_[d].extent;
      const std::int64_t end = chain_end(structure.digits, d);
      add(d, end, 2);
      add(d, end, ceil_div(extent, end));
      add(d, end, 3);
      if (pass.anywhere) continue;
      for (std::int64_t div = 1; div <= 64 && div < extent; div *= 2) {
        // A digit that begins within another one is none.
        add(d, div, 2);
        add(d, div, ceil_div(extent, div));
      }
    }
    return next;
  }

  // The structures of one digit more that hold best.
  std::vector<Structure> grown(const Pass& pass,
                               const std::vector<Structure>& from) {
    std::vector<Structure> all;
    for (const Structure& structure : from) {
      for (const TileDigit& digit : next_digits(pass, structure)) {
        Structure more{structure.digits, structure.size * digit.count, 0};
        more.digits.push_back(digit);
        more.share = share(pass, more.digits);
        const bool holds = pass.exact ? more.share == 1 : more.share > 0.25;
        if (holds) all.push_back(std::move(more));
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Structure::share);
    if (all.size() > pass.kept) all.resize(pass.kept);
    return all;
  }

  bool run(const Pass& pass) {
    std::vector<Structure> structures = {{}};
    for (int depth = 0; depth < most_digits && !structures.empty(); ++depth) {
      structures = grown(pass, structures);
      for (Structure& structure : structures) {
        if (!has_places(pass, structure)) continue;
        if (attempts_ >= most_attempts) return false;
        ++attempts_;
        if (attempt(pass, structure)) return true;
      }
    }
    return false;
  }

  // Whether most of its tiles are known by their values, and are there.
  [[nodiscard]] bool has_places(const Pass& pass, const Structure& structure) {
    return structure.share > 0.5 &&
           chance(window(pass, structure.size)) < rare;
  }

  bool attempt(const Pass& pass, const Structure& structure) {
    const Tile tile(shape_, structure.digits);
    const WindowShape shape = window(pass, structure.size);
    std::optional<Windows> all;
    if (!kept_.all()) {
      all.emplace(data_, shape, Kept());
      if (all->empty()) return false;
    }
    share(pass, structure.digits);  // counts its tiles
    const Windows& in = all ? *all : windows(shape);
    std::vector<std::int64_t> index(shape_.size());
    return attempt_([&](std::int64_t element) -> std::int64_t {
      std::int64_t rest = element;
      for (std::size_t d = shape_.size(); d-- > 0;) {
        index[d] = rest % shape_[d].extent;
        rest /= shape_[d].extent;
      }
      const std::int64_t within = tile.to_begin(index.data());
      const std::int64_t place = in.place(
          tile.key(codes_, index.data(), tile.element(index.data())));
      return place < 0 ? -1 : (place + within * shape.stride) * data_.width();
    });
  }

  // Places from one element of a row to the next, where something else lies between.
  [[nodiscard]] std::vector<std::int64_t> strides() const {
    std::vector<std::int64_t> strides = {2, 3, 4, 8, 16, 32, 64};
    for (const Dim& dim : shape_) {
      if (dim.extent > 1 && dim.extent <= 64 &&
          std::ranges::find(strides, dim.extent) == strides.end()) {
        strides.push_back(dim.extent);
      }
    }
    return strides;
  }

  const InferData& data_;
  const Shape& shape_;
  const Codes codes_;
  const std::int64_t elements_;
  const std::int64_t places_;
  const TryPlaces& attempt_;
  Kept kept_;
  std::vector<std::int64_t> listed_;   // elements that are looked at
  std::vector<std::int64_t> indices_;  // theirs
  std::map<WindowShape, Windows> windows_;
  std::map<WindowShape, double> chances_;
  int attempts_ = 0;
};

}  // namespace

bool search_tiles(const InferData& data, const Shape& shape,
                  std::int64_t elements, const TryPlaces& attempt) {
  const std::int64_t places = data.dump_bytes() / data.width();
  if (elements < 16 || elements > most_elements || places > most_elements ||
      shape.empty()) {
    return false;
  }
  return Search(data, shape, elements, attempt).run();
}

}  // namespace stridewise::inference
