// Why a layout is not valid: proofs first, then searches that end in a witness.
//
//  1. Each dim: a chain of digits covers it (inverse.cpp proves that). Else its
//     digit values are compared over two common periods: exact, because what
//     collides anywhere collides there.
//  2. All places: nested strides cannot collide. Else small tensors are
//     enumerated, and for large ones the differences of two elements that add
//     up to nothing are searched.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "base/checked.hpp"
#include "layout/data.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t enumeration_limit = 1 << 18;
// Combinations of digits that one inverse may try: some microseconds.
constexpr std::int64_t tries_limit = 1 << 12;
constexpr int difference_budget = 1 << 18;

using Index = std::vector<std::int64_t>;

Error invalid(std::string message) {
  return Error{ErrorCode::invalid_layout, std::move(message)};
}

// Not shown to be wrong, but not to be right either.
Error undecided(std::string message) {
  return Error{ErrorCode::unsupported, std::move(message)};
}

std::string print_index(const LayoutData& data, const Index& index) {
  std::string text;
  for (std::size_t d = 0; d < index.size(); ++d) {
    text +=
        fmt::format("{}{}={}", d == 0 ? "" : ",", data.shape[d].name, index[d]);
  }
  return text;
}

Error collision(const LayoutData& data, const Index& a, const Index& b) {
  return invalid(fmt::format("two elements share a place: {} and {}",
                             print_index(data, std::min(a, b)),
                             print_index(data, std::max(a, b))));
}

// ------------------------------------------------------------ one dim -----

// 2 * lcm of all divs and periods: what the digits do repeats within half.
Checked two_periods(const LayoutData& data, const DimDecoder& decoder) {
  Checked common = 1;
  for (const std::int32_t k : decoder.terms) {
    const BoundTerm& term = data.terms[static_cast<std::size_t>(k)];
    const std::int64_t period = term.mod == 0 ? term.div : term.div * term.mod;
    if (common) common = lcm(*common, period);
  }
  return mul(common, 2);
}

std::optional<Error> uncovered(const LayoutData& data, std::size_t d) {
  const DimDecoder& decoder = data.decoders[d];
  const std::string& name = data.shape[d].name;
  if (decoder.extent <= 1 || decoder.chain) return std::nullopt;
  const bool named =
      std::ranges::any_of(data.terms, [&](const BoundTerm& term) {
        return term.dim == static_cast<std::int32_t>(d);
      });
  if (!named) {
    return invalid(fmt::format(
        "dim {} is not covered: no digit of the layout names it", name));
  }
  const std::int64_t range = std::min(
      decoder.extent, two_periods(data, decoder).value_or(decoder.extent));
  if (range > enumeration_limit) {
    return undecided(
        fmt::format("the digits of dim {} are too irregular to be "
                    "shown to cover it",
                    name));
  }
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (std::int64_t x = 0; x < range; ++x) {
    std::vector<std::int64_t> values;
    for (const std::int32_t k : decoder.terms) {
      values.push_back(data.flat_terms[static_cast<std::size_t>(k)].value(x));
    }
    const auto [entry, fresh] = seen.emplace(std::move(values), x);
    if (!fresh) {
      return invalid(fmt::format(
          "dim {} is not covered: its digits put {}={} and {}={} in one place",
          name, name, entry->second, name, x));
    }
  }
  return std::nullopt;
}

// --------------------------------------------------------- all places -----

std::int64_t flat_offset(const LayoutData& data, const Index& index) {
  std::int64_t place = 0;
  for (const FlatTerm& term : data.flat_terms) {
    place += term.value(index[static_cast<std::size_t>(term.dim)]) *
             term.flat_stride;
  }
  return place;
}

Index unravel(const LayoutData& data, std::int64_t position) {
  Index index(data.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = position % data.shape[d].extent;
    position /= data.shape[d].extent;
  }
  return index;
}

std::optional<Error> enumerate(const LayoutData& data) {
  std::unordered_map<std::int64_t, std::int64_t> seen;
  seen.reserve(static_cast<std::size_t>(data.elements));
  for (std::int64_t e = 0; e < data.elements; ++e) {
    const Index index = unravel(data, e);
    const auto [entry, fresh] = seen.emplace(flat_offset(data, index), e);
    if (!fresh) {
      return collision(data, unravel(data, entry->second), index);
    }
  }
  return std::nullopt;
}

// Searches digit differences delta with sum(delta * stride) == 0, largest
// stride first, and for each tries to name two elements that differ by it.
class DifferenceSearch {
 public:
  explicit DifferenceSearch(const LayoutData& data)
      : data_(data), deltas_(data.terms.size(), 0) {}

  std::optional<Error> run() {
    walk(0, 0);
    if (witness_) return witness_;
    if (!unresolved_ && budget_ > 0) return std::nullopt;
    return undecided(
        "strides interleave so irregularly that it could not be shown that no "
        "two elements share a place");
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
  void walk(std::size_t k, std::int64_t sum) {
    if (witness_ || --budget_ <= 0) return;
    if (k == data_.inverse_terms.size()) {
      if (sum == 0) try_realise();
      return;
    }
    const InverseTerm& term = data_.inverse_terms[k];
    const auto t = static_cast<std::size_t>(term.term);
    const std::int64_t stride = data_.terms[t].flat_stride;
    const std::int64_t most = term.count - 1;
    // |sum + delta * stride| must be within rest_max.
    const std::int64_t low =
        std::max(-most, -floor_div(sum + term.rest_max, stride));
    const std::int64_t high =
        std::min(most, floor_div(term.rest_max - sum, stride));
    for (std::int64_t delta = low; delta <= high && !witness_; ++delta) {
      deltas_[t] = delta;
      walk(k + 1, sum + delta * stride);
      if (budget_ <= 0) break;
    }
    deltas_[t] = 0;
  }

  void try_realise() {
    if (std::ranges::all_of(deltas_, [](auto d) { return d == 0; })) return;
    Index a(data_.shape.size());
    Index b(data_.shape.size());
    for (std::size_t d = 0; d < a.size(); ++d) {
      std::vector<std::int64_t> values = data_.start_values;
      for (const std::int32_t k : data_.decoders[d].terms) {
        const auto t = static_cast<std::size_t>(k);
        values[t] += std::max<std::int64_t>(-deltas_[t], 0);
      }
      a[d] = decode_dim(data_, data_.decoders[d], values);
      for (std::size_t t = 0; t < values.size(); ++t) values[t] += deltas_[t];
      b[d] = decode_dim(data_, data_.decoders[d], values);
      if (a[d] < 0 || b[d] < 0) {
        unresolved_ = true;
        return;
      }
    }
    witness_ = collision(data_, a, b);
  }

  const LayoutData& data_;
  std::vector<std::int64_t> deltas_;
  std::optional<Error> witness_;
  bool unresolved_ = false;
  int budget_ = difference_budget;
};

// Nested on what is reachable: c%16 with C = 3 reaches 0..2. (When the box is
// nested, so is this.)
bool nested(const LayoutData& data) {
  return std::ranges::all_of(data.inverse_terms, [](const InverseTerm& term) {
    return term.flat_stride.value() > term.rest_max;
  });
}

}  // namespace

std::optional<Error> find_defect(const LayoutData& data) {
  if (data.elements <= 1) return std::nullopt;
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    if (auto defect = uncovered(data, d)) return defect;
  }
  if (nested(data)) return std::nullopt;
  std::optional<Error> defect;
  const bool chains = std::ranges::all_of(data.decoders, &DimDecoder::chain);
  if (data.elements <= enumeration_limit) {
    defect = enumerate(data);
  } else if (chains) {
    defect = DifferenceSearch(data).run();
  } else {
    defect = undecided(
        "digits and strides are too irregular for a tensor of this size to be "
        "shown valid");
  }
  if (!defect && data.most_tries > tries_limit) {
    defect = undecided(
        "strides interleave so much that telling what is at a place would take "
        "too long");
  }
  return defect;
}

}  // namespace stridewise::detail
