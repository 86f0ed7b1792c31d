// SPDX-License-Identifier: Apache-2.0
#include "infer/tile_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "infer/tile.hpp"
#include "infer/tile_matcher.hpp"
#include "infer/windows.hpp"

namespace stridewise::inference {
namespace {

// Beyond this a tensor is not read so often.
constexpr std::int64_t most_tiled_elements = std::int64_t{1} << 26;
constexpr int most_attempts = 64;
constexpr int most_digits = 7;
// A window that chance finds so seldom has a place.
constexpr double rare = 0.02;
// Of the tiles of a structure that is worth a further look.
constexpr double least_share = 0.25;
// For which there is memory.
constexpr std::int64_t most_windows = Windows::most;

class TileSearch {
 public:
  TileSearch(const InferData& data, const Shape& shape, std::int64_t elements,
             std::int64_t most_read, const TryPlaces& attempt)
      : data_(data),
        shape_(shape),
        elements_(elements),
        places_(data.dump_bytes() / data.width()),
        attempt_(attempt),
        matcher_(data, shape, elements, most_read) {}

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
        const double found = matcher_.found_share(pass, digits, from[k]);
        const bool holds = pass.exact ? found == 1 : found > least_share;
        if (holds) all.push_back({k, digit, found});
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Grown::share);
    if (all.size() > pass.kept) all.resize(pass.kept);
    std::vector<Structure> structures;
    for (const Grown& one : all) {
      const Structure& shorter = from[one.from];
      Structure more{shorter.digits, shorter.size * one.digit.count, one.share};
      more.digits.push_back(one.digit);
      matcher_.list_tiles(pass, more, shorter);
      structures.push_back(std::move(more));
    }
    return structures;
  }

  bool run(const Pass& pass) {
    matcher_.end_pass();
    std::vector<Structure> structures = {matcher_.root(pass)};
    for (int depth = 0; depth < most_digits && !structures.empty(); ++depth) {
      structures = grown(pass, structures);
      for (const Structure& structure : structures) {
        if (!has_places(pass, structure)) continue;
        if (attempts_ >= most_attempts || matcher_.exhausted()) return false;
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
           matcher_.chance(TileMatcher::window(pass, structure.size),
                           structure.filters) < rare;
  }

  bool attempt(const Pass& pass, const Structure& structure) {
    const Tile tile(shape_, structure.digits);
    const WindowShape shape = TileMatcher::window(pass, structure.size);
    // What chooses tiles for a look may leave too few.
    std::optional<Windows> more;
    if (!structure.filters.empty()) {
      Filters filters;
      if (pass.anywhere && places_ > most_windows) {
        filters = matcher_.with_filter(TileMatcher::window(pass, 1), {},
                                       most_windows);
      }
      more.emplace(data_, shape, filters);
      if (more->empty()) return false;
    } else {
      matcher_.found_share(pass, structure.digits,
                           structure);  // counts its tiles
    }
    const Windows& in = more ? *more : matcher_.windows(shape, {});
    std::vector<std::int64_t> index(shape_.size());
    // By first element, where a tile lies: plus 2, 1 for nowhere, 0 if nobody asked yet.
    std::vector<std::uint32_t> known(static_cast<std::size_t>(elements_), 0);
    return attempt_([&](std::int64_t element) -> std::int64_t {
      matcher_.index_of(static_cast<std::uint32_t>(element), index.data());
      const std::int64_t within = tile.to_begin(index.data());
      const std::int64_t first = tile.element(index.data());
      std::uint32_t& place = known[static_cast<std::size_t>(first)];
      if (place == 0) {
        place = static_cast<std::uint32_t>(
            in.place(tile.key(matcher_.terms(), index.data(), first)) + 2);
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
  const std::int64_t elements_;
  const std::int64_t places_;
  const TryPlaces& attempt_;
  TileMatcher matcher_;
  int attempts_ = 0;
};

}  // namespace

bool search_tiles(const InferData& data, const Shape& shape,
                  std::int64_t elements, std::int64_t most_read,
                  const TryPlaces& attempt) {
  const std::int64_t places = data.dump_bytes() / data.width();
  if (elements < 16 || elements > most_tiled_elements ||
      places > most_tiled_elements || shape.empty()) {
    return false;
  }
  return TileSearch(data, shape, elements, most_read, attempt).run();
}

}  // namespace stridewise::inference
