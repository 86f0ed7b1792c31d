// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "infer/known.hpp"

namespace stridewise::inference {
namespace {

// A bit of the index in logical order.
struct IndexBit {
  std::size_t dim;
  std::int64_t bit;

  friend auto operator<=>(const IndexBit&, const IndexBit&) = default;
};

// A bit of the place: which bits of the index are xored into it, and whether it is turned
// over. The first one is its own, the others twist it.
struct PlaceBit {
  std::vector<IndexBit> of;
  bool turned = false;
};

constexpr std::size_t place_bits = 40;

// The bits of an element's number, lowest first; empty where an extent is no power of two.
std::vector<IndexBit> index_bits(const Shape& shape) {
  std::vector<IndexBit> bits;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(shape[d].extent);
    if (!std::has_single_bit(extent)) return {};
    for (std::int64_t b = 0; b < std::countr_zero(extent); ++b) {
      bits.push_back({d, b});
    }
  }
  return bits;
}

// What one bit of the index changes in a place; nullopt: no two places tell.
std::optional<std::uint64_t> column_of(const KnownPlaces& known,
                                       std::size_t bit) {
  const std::int64_t step = std::int64_t{1} << bit;
  const auto between = [&](std::int64_t element) {
    return static_cast<std::uint64_t>(known.place(element) ^
                                      known.place(element ^ step));
  };
  if (known.place(step) != unknown) return between(0);
  for (const std::int64_t element : known.samples()) {
    if (known.place(element ^ step) != unknown) return between(element);
  }
  return std::nullopt;
}

// By pairs of elements whose indices differ in one bit; nullopt: places are no xor.
std::optional<std::vector<PlaceBit>> rows_of(
    const KnownPlaces& known, const std::vector<IndexBit>& bits) {
  const std::int64_t first = known.place(0);
  std::vector<PlaceBit> rows(place_bits);
  for (std::size_t k = 0; k < bits.size(); ++k) {
    const std::optional<std::uint64_t> column = column_of(known, k);
    if (!column || *column >> rows.size() != 0) return std::nullopt;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if ((*column >> row & 1U) != 0) rows[row].of.push_back(bits[k]);
    }
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].turned = (first >> row & 1) != 0;
    // What no index changes must be zero.
    if (rows[row].of.empty() && rows[row].turned) return std::nullopt;
  }
  return rows;
}

// Puts the bit first that a row alone is known by: one that another row has alone twists.
bool choose_own(std::vector<PlaceBit>& rows) {
  std::vector<IndexBit> taken;
  std::vector<bool> done(rows.size(), false);
  for (;;) {
    bool progress = false;
    bool open = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (done[r] || rows[r].of.empty()) continue;
      open = true;
      const auto is_free = [&](const IndexBit& bit) {
        return std::ranges::find(taken, bit) == taken.end();
      };
      if (std::ranges::count_if(rows[r].of, is_free) != 1) continue;
      const auto own = std::ranges::find_if(rows[r].of, is_free);
      taken.push_back(*own);
      std::iter_swap(rows[r].of.begin(), own);
      std::sort(rows[r].of.begin() + 1, rows[r].of.end());
      done[r] = progress = true;
    }
    if (!open) return true;
    if (!progress) return false;
  }
}

// Whether row b continues row a: the next bit of each of the same dims.
bool continues(const PlaceBit& a, const PlaceBit& b) {
  if (a.of.size() != b.of.size() || a.of.empty() || a.turned != b.turned) {
    return false;
  }
  for (std::size_t k = 0; k < a.of.size(); ++k) {
    if (a.of[k].dim != b.of[k].dim || a.of[k].bit + 1 != b.of[k].bit) {
      return false;
    }
  }
  return true;
}

Digit digit(const Shape& shape, const IndexBit& low, std::size_t bits) {
  const Dim& dim = shape[low.dim];
  const std::int64_t div = std::int64_t{1} << low.bit;
  const std::int64_t mod = std::int64_t{1} << bits;
  // The rest of a dim has no more values.
  return {
      .dim = dim.name, .div = div, .mod = div * mod == dim.extent ? 0 : mod};
}

// Digits of bits that follow each other.
std::vector<Term> terms_of(const std::vector<PlaceBit>& rows,
                           const Shape& shape) {
  std::vector<Term> terms;
  for (std::size_t low = 0, high = 0; low < rows.size(); low = high) {
    high = low + 1;
    if (rows[low].of.empty()) continue;
    while (high < rows.size() && continues(rows[high - 1], rows[high])) ++high;
    Term term{.digit = digit(shape, rows[low].of[0], high - low),
              .stride = {Step::Kind::exact, std::int64_t{1} << low}};
    std::vector<Twist> twists;
    for (std::size_t k = 1; k < rows[low].of.size(); ++k) {
      twists.push_back({.digit = digit(shape, rows[low].of[k], high - low)});
    }
    term.digit.reversed = rows[low].turned;
    if (!twists.empty()) term.digit.twists = std::move(twists);
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace

std::optional<InferFit> find_xored(const KnownPlaces& known) {
  const std::vector<IndexBit> bits = index_bits(known.shape());
  if (bits.empty()) return std::nullopt;
  std::optional<std::vector<PlaceBit>> rows = rows_of(known, bits);
  if (!rows || !choose_own(*rows)) return std::nullopt;
  return known.fit(terms_of(*rows, known.shape()), {});
}

}  // namespace stridewise::inference
