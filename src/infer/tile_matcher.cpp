// SPDX-License-Identifier: Apache-2.0
#include "infer/tile_matcher.hpp"

#include <algorithm>

namespace stridewise::inference {

Windows& TileMatcher::windows(const WindowShape& shape,
                              const Filters& filters) {
  const std::pair key(shape, filters);
  const auto found = windows_.find(key);
  if (found != windows_.end()) return found->second;
  constexpr std::int64_t most_bytes = std::int64_t{1} << 28;
  if (window_bytes_ > most_bytes) end_pass();
  const std::int64_t places = data_.dump_bytes() / data_.width();
  // A place in a table takes as long as four elements in a row.
  constexpr std::int64_t cost_of_place = 4;
  read_ += places *
           (shape.anywhere && !filters.empty() ? shape.size : cost_of_place);
  Windows& made =
      windows_.emplace(key, Windows(data_, shape, filters)).first->second;
  window_bytes_ += made.bytes();
  return made;
}

Filters TileMatcher::with_filter(const WindowShape& shape, Filters filters,
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

double TileMatcher::chance(const WindowShape& shape, const Filters& filters) {
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
std::uint64_t TileMatcher::random_key(Sequence& random, std::int64_t size,
                                      const Filters& filters) const {
  std::uint64_t key = 0;
  auto filter = filters.begin();
  for (std::int64_t k = 0; k < size; ++k) {
    key += terms_.reference(random.below(elements_)) * terms_.power(k);
    if (filter == filters.end() || filter->size != k + 1) continue;
    if (!filter->keeps(key)) return 0;
    ++filter;
  }
  return key;
}

double TileMatcher::found_share(const Pass& pass, const Digits& digits,
                                const Structure& from) {
  if (exhausted()) return 0;
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
    const std::uint64_t key = tile.key(terms_, index.data(), element);
    read_ += tile.size();
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

void TileMatcher::list_tiles(const Pass& pass, Structure& structure,
                             const Structure& from) {
  const Tile tile(shape_, structure.digits);
  structure.filters = from.filters;
  std::vector<std::int64_t> index(shape_.size());
  for (const std::uint32_t element : from.tiles) {
    index_of(element, index.data());
    if (tile.begins_last(index.data())) structure.tiles.push_back(element);
  }
  if (static_cast<std::int64_t>(structure.tiles.size()) <= 2 * pass.looked_at) {
    return;
  }
  structure.filters = with_filter(window(pass, structure.size),
                                  structure.filters, pass.looked_at);
  const Filter filter = structure.filters.back();
  std::erase_if(structure.tiles, [&](std::uint32_t element) {
    index_of(element, index.data());
    return !filter.keeps(tile.key(terms_, index.data(), element));
  });
}

Structure TileMatcher::root(const Pass& pass) {
  Structure structure;
  const Tile tile(shape_, {});
  if (elements_ > 2 * pass.looked_at) {
    structure.filters = with_filter(window(pass, 1), {}, pass.looked_at);
  }
  for (std::int64_t e = 0; e < elements_; ++e) {
    if (structure.filters.empty() ||
        structure.filters.front().keeps(terms_.reference(e))) {
      structure.tiles.push_back(static_cast<std::uint32_t>(e));
    }
  }
  return structure;
}

}  // namespace stridewise::inference
