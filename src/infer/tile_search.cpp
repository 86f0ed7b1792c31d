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
constexpr int most_attempts = 64;
constexpr int most_digits = 7;
// A window that chance finds so seldom has a place.
constexpr double rare = 0.02;
// Of the tiles of a structure that is worth a further look.
constexpr double least_share = 0.25;
// For which there is memory.
constexpr std::int64_t most_windows = Windows::most;

using Digits = std::vector<TileDigit>;

// What is held against the data.
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

class Search {
 public:
  Search(const InferData& data, const Shape& shape, std::int64_t elements,
         const TryPlaces& attempt)
      : data_(data),
        shape_(shape),
        codes_(data),
        elements_(elements),
        places_(data.dump_bytes() / data.width()),
        attempt_(attempt) {}

  bool run() {
    if (run({.kept = 64}) || run({.exact = false, .kept = 24})) return true;
    const bool small = elements_ <= (1 << 16);
    if (run({.anywhere = true,
             .exact = false,
             .kept = small ? 160U : 24U,
             .looked_at = 1 << 15})) {
      return true;
    }
    return std::ranges::any_of(strides(), [&](std::int64_t stride) {
      return run({.stride = stride,
                  .anywhere = true,
                  .exact = false,
                  .kept = 16,
                  .looked_at = 1 << 14});
    });
  }

 private:
  // ------------------------------------------------------- the data ------

  Windows& windows(const WindowShape& shape, const Filters& filters) {
    const std::pair key(shape, filters);
    const auto found = windows_.find(key);
    if (found != windows_.end()) return found->second;
    return windows_.emplace(key, Windows(data_, shape, filters)).first->second;
  }

  // One filter more, where the windows are more than are looked at.
  Filters with_filter(const WindowShape& shape, Filters filters,
                      std::int64_t least) {
    const std::pair key(shape, filters);
    auto found = filters_.find(key);
    if (found == filters_.end()) {
      constexpr std::size_t drawn = 4096;
      Windows::Drawn sample = Windows::draw(data_, shape, filters, drawn);
      Filter filter{shape.size, 0};
      for (std::uint64_t& rank : sample.keys) rank = Filter::rank(rank);
      std::ranges::sort(sample.keys);
      const auto count = static_cast<std::int64_t>(sample.keys.size());
      if (count > 0) {
        const std::int64_t at = std::min(count * least / sample.of, count - 1);
        filter.limit = sample.keys[static_cast<std::size_t>(at)];
      }
      found = filters_.emplace(key, filter).first;
    }
    filters.push_back(found->second);
    return filters;
  }

  // How often a tile of elements drawn at random stands in the dump.
  double chance(const WindowShape& shape, const Filters& filters) {
    const std::pair at(shape, filters);
    const auto found = chances_.find(at);
    if (found != chances_.end()) return found->second;
    const Windows& in = windows(shape, filters);
    constexpr int most_drawn = 512;
    Sequence random;
    int hits = 0;
    int drawn = 0;
    for (int n = 0; n < 64 * most_drawn && drawn < most_drawn; ++n) {
      const std::uint64_t key = random_key(random, shape.size, filters);
      if (key == 0) continue;
      hits += in.count(key) > 0 ? 1 : 0;
      ++drawn;
    }
    return chances_[at] = (hits + 0.5) / (drawn + 1);
  }

  // 0 where a filter leaves it out.
  std::uint64_t random_key(Sequence& random, std::int64_t size,
                           const Filters& filters) const {
    std::uint64_t key = 0;
    auto filter = filters.begin();
    for (std::int64_t k = 0; k < size; ++k) {
      key += codes_.reference(random.below(elements_)) * Codes::power(k);
      if (filter == filters.end() || filter->size != k + 1) continue;
      if (!filter->keeps(key)) return 0;
      ++filter;
    }
    return key;
  }

  void index_of(std::uint32_t element, std::int64_t* index) const {
    for (std::size_t d = shape_.size(); d-- > 0;) {
      const auto extent = static_cast<std::uint32_t>(shape_[d].extent);
      index[d] = element % extent;
      element /= extent;
    }
  }

  // ------------------------------------------------------ structures -----

  [[nodiscard]] WindowShape window(const Pass& pass, std::int64_t size) const {
    return {size, pass.stride, pass.anywhere};
  }

  // The share of the tiles that the dump has as often as the reference; of whole ones,
  // where there are enough of them; 0 where an exception ends the pass. `from`: the structure without its last digit, or itself.
  double share(const Pass& pass, const Digits& digits, const Structure& from) {
    const Tile tile(shape_, digits);
    Windows& in = windows(window(pass, tile.size()), from.filters);
    if (in.empty()) return 0;
    in.begin();
    std::int64_t whole = 0;
    std::int64_t whole_found = 0;
    std::int64_t part = 0;
    std::int64_t part_found = 0;
    std::vector<std::int64_t> index(shape_.size());
    for (const std::uint32_t element : from.tiles) {
      index_of(element, index.data());
      if (!tile.begins_last(index.data())) continue;
      const std::uint64_t key = tile.key(codes_, index.data(), element);
      if (key == 0) continue;
      const int found = in.take(key) ? 1 : 0;
      const bool full = tile.full(index.data());
      (full ? whole : part) += 1;
      (full ? whole_found : part_found) += found;
      if (pass.exact && full && found == 0) return 0;
    }
    if (whole + part < 2) return 0;
    if (3 * whole < part) {
      whole += part;
      whole_found += part_found;
    }
    return static_cast<double>(whole_found) / static_cast<double>(whole);
  }

  // Lists its tiles, of those of the structure without its last digit.
  void list_tiles(const Pass& pass, Structure& structure,
                  const Structure& from) {
    const Tile tile(shape_, structure.digits);
    structure.filters = from.filters;
    std::vector<std::int64_t> index(shape_.size());
    for (const std::uint32_t element : from.tiles) {
      index_of(element, index.data());
      if (tile.begins_last(index.data())) structure.tiles.push_back(element);
    }
    if (static_cast<std::int64_t>(structure.tiles.size()) <=
        2 * pass.looked_at) {
      return;
    }
    structure.filters = with_filter(window(pass, structure.size),
                                    structure.filters, pass.looked_at);
    const Filter filter = structure.filters.back();
    std::erase_if(structure.tiles, [&](std::uint32_t element) {
      index_of(element, index.data());
      return !filter.keeps(tile.key(codes_, index.data(), element));
    });
  }

  // One element, at all places.
  Structure root(const Pass& pass) {
    Structure structure;
    const Tile tile(shape_, {});
    if (elements_ > 2 * pass.looked_at) {
      structure.filters = with_filter(window(pass, 1), {}, pass.looked_at);
    }
    for (std::int64_t e = 0; e < elements_; ++e) {
      if (structure.filters.empty() ||
          structure.filters.front().keeps(codes_.reference(e))) {
        structure.tiles.push_back(static_cast<std::uint32_t>(e));
      }
    }
    return structure;
  }

  // Where the digits of dim d that follow each other from `end` on end.
  [[nodiscard]] static std::int64_t chain_end(const Digits& digits,
                                              std::size_t d, std::int64_t end) {
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
      for (const std::int64_t low : {std::int64_t{1}, pass.stride}) {
        const std::int64_t end = chain_end(structure.digits, d, low);
        add(d, end, 2);
        add(d, end, ceil_div(extent, end));
        add(d, end, 3);
      }
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
    struct Grown {
      std::size_t from;
      TileDigit digit;
      double share;
    };
    std::vector<Grown> all;
    for (std::size_t k = 0; k < from.size(); ++k) {
      for (const TileDigit& digit : next_digits(pass, from[k])) {
        Digits digits = from[k].digits;
        digits.push_back(digit);
        const double held = share(pass, digits, from[k]);
        const bool holds = pass.exact ? held == 1 : held > least_share;
        if (holds) all.push_back({k, digit, held});
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Grown::share);
    if (all.size() > pass.kept) all.resize(pass.kept);
    std::vector<Structure> structures;
    for (const Grown& one : all) {
      const Structure& shorter = from[one.from];
      Structure more{shorter.digits, shorter.size * one.digit.count, one.share};
      more.digits.push_back(one.digit);
      list_tiles(pass, more, shorter);
      structures.push_back(std::move(more));
    }
    return structures;
  }

  bool run(const Pass& pass) {
    std::vector<Structure> structures = {root(pass)};
    for (int depth = 0; depth < most_digits && !structures.empty(); ++depth) {
      structures = grown(pass, structures);
      for (const Structure& structure : structures) {
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
    const bool few = pass.anywhere || places_ / structure.size <= most_windows;
    return few && structure.share > 0.5 &&
           chance(window(pass, structure.size), structure.filters) < rare;
  }

  bool attempt(const Pass& pass, const Structure& structure) {
    const Tile tile(shape_, structure.digits);
    const WindowShape shape = window(pass, structure.size);
    // What chooses tiles for a look may leave too few.
    std::optional<Windows> more;
    if (!structure.filters.empty()) {
      Filters filters;
      if (pass.anywhere && places_ > most_windows) {
        filters = with_filter(window(pass, 1), {}, most_windows);
      }
      more.emplace(data_, shape, filters);
      if (more->empty()) return false;
    } else {
      share(pass, structure.digits, structure);  // counts its tiles
    }
    const Windows& in = more ? *more : windows(shape, {});
    std::vector<std::int64_t> index(shape_.size());
    // By first element, where a tile lies: plus 2, 1 for nowhere, 0 if nobody asked yet.
    std::vector<std::uint32_t> known(static_cast<std::size_t>(elements_), 0);
    return attempt_([&](std::int64_t element) -> std::int64_t {
      index_of(static_cast<std::uint32_t>(element), index.data());
      const std::int64_t within = tile.to_begin(index.data());
      const std::int64_t first = tile.element(index.data());
      std::uint32_t& place = known[static_cast<std::size_t>(first)];
      if (place == 0) {
        place = static_cast<std::uint32_t>(
            in.place(tile.key(codes_, index.data(), first)) + 2);
      }
      if (place == 1) return -1;
      return (place - std::int64_t{2} + within * shape.stride) * data_.width();
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
  std::map<std::pair<WindowShape, Filters>, Windows> windows_;
  std::map<std::pair<WindowShape, Filters>, Filter> filters_;
  std::map<std::pair<WindowShape, Filters>, double> chances_;
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
