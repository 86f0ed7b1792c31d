// The inverse: place -> digit values -> index.
//
// Places to digits. All terms of all axes form one list by descending flat
// stride. In nearly every layout each stride exceeds what all later terms can
// add together ("nested"), so each digit is one division. Where strides
// interleave (h:3 w:2 with H = 2, W = 3), several values of a digit remain
// possible and are tried in turn; a layout for which that could take long is
// refused when it is bound (defect.cpp).
//
// Digits to index. See DimDecoder.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "layout/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {
namespace detail {
namespace {

const BoundTerm& term_at(const LayoutData& data, std::int32_t k) {
  return data.terms[static_cast<std::size_t>(k)];
}

BoundDigit digit_of(const BoundTerm& term) {
  return {term.bias, term.div, term.mod};
}

void build_chain(const LayoutData& data, DimDecoder& decoder) {
  std::vector<BoundDigit> digits;
  for (const std::int32_t k : decoder.terms) {
    digits.push_back(digit_of(term_at(data, k)));
  }
  const std::optional<Chain> chain = chain_of(digits);
  decoder.chain = chain && chain->known >= decoder.extent;
  if (!decoder.chain) return;
  decoder.bias = chain->bias;
  decoder.modulus = chain->modulus();
  decoder.redundant = chain->redundant;
  for (const Chain::Part& part : chain->parts) {
    decoder.parts.push_back({decoder.terms[part.digit], part.weight});
  }
}

// Tries every index in [low, high) whose terms from `k` on have `values`.
// NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
std::int64_t search_dim(const LayoutData& data, const DimDecoder& decoder,
                        std::span<const std::int64_t> values, std::size_t k,
                        std::int64_t low, std::int64_t high) {
  if (low >= high) return -1;
  if (k == decoder.terms.size()) return low;
  const BoundTerm& term = term_at(data, decoder.terms[k]);
  const std::int64_t value = values[static_cast<std::size_t>(decoder.terms[k])];
  const std::int64_t first = value * term.div - term.bias;
  if (term.mod == 0) {
    return search_dim(data, decoder, values, k + 1, std::max(low, first),
                      std::min(high, first + term.div));
  }
  const std::int64_t step = term.div * term.mod;
  const std::int64_t copy = floor_div(low - first - term.div, step) + 1;
  for (std::int64_t begin = first + copy * step; begin < high; begin += step) {
    const std::int64_t found =
        search_dim(data, decoder, values, k + 1, std::max(low, begin),
                   std::min(high, begin + term.div));
    if (found >= 0) return found;
  }
  return -1;
}

}  // namespace

Reach reach_of(const LayoutData& data, const BoundTerm& term) {
  return reach_of(digit_of(term),
                  data.shape[static_cast<std::size_t>(term.dim)].extent);
}

namespace {

// Fills inverse_terms; true when nested.
bool list_terms(LayoutData& data, bool box) {
  data.inverse_terms.clear();
  data.first_reachable = 0;
  data.most_tries = 1;
  for (std::size_t k = 0; k < data.terms.size(); ++k) {
    const BoundTerm& term = data.terms[k];
    const Reach reach = box ? Reach{0, term.extent} : reach_of(data, term);
    data.first_reachable += reach.low * term.flat_stride;
    if (reach.count > 1 && term.flat_stride > 0) {
      data.inverse_terms.push_back(
          InverseTerm{.term = static_cast<std::int32_t>(k),
                      .low = reach.low,
                      .count = reach.count,
                      .flat_stride = Divider(term.flat_stride),
                      .rest_max = 0});
    }
  }
  std::ranges::stable_sort(
      data.inverse_terms, std::ranges::greater{},
      [](const InverseTerm& t) { return t.flat_stride.value(); });
  bool nested = true;
  std::int64_t rest = 0;  // cannot overflow: it is a place of the layout
  for (std::size_t k = data.inverse_terms.size(); k-- > 0;) {
    InverseTerm& term = data.inverse_terms[k];
    term.rest_max = rest;
    nested = nested && term.flat_stride.value() > rest;
    const std::int64_t tries =
        std::min(rest / term.flat_stride.value() + 1, term.count);
    data.most_tries = mul(data.most_tries, tries).value_or(largest);
    rest += (term.count - 1) * term.flat_stride.value();
  }
  return nested;
}

}  // namespace

void build_inverse(LayoutData& data) {
  data.decoders.resize(data.shape.size());
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    data.decoders[d].extent = data.shape[d].extent;
  }
  for (std::size_t k = 0; k < data.terms.size(); ++k) {
    const BoundTerm& term = data.terms[k];
    const Reach reach = reach_of(data, term);
    data.start_values.push_back(reach.low);
    if (term.flat_stride == 0 && reach.count > 1) continue;
    data.decoders[static_cast<std::size_t>(term.dim)].terms.push_back(
        static_cast<std::int32_t>(k));
  }
  for (DimDecoder& decoder : data.decoders) {
    build_chain(data, decoder);
    if (!decoder.chain) {
      std::ranges::stable_sort(
          decoder.terms, std::ranges::greater{},
          [&](std::int32_t k) { return digit_of(term_at(data, k)).period(); });
    }
  }
  data.nested = list_terms(data, true);
  if (!data.nested) list_terms(data, false);
}

std::int64_t decode_dim(const LayoutData& data, const DimDecoder& decoder,
                        std::span<const std::int64_t> values) {
  if (!decoder.chain) {
    return search_dim(data, decoder, values, 0, 0, decoder.extent);
  }
  std::int64_t y = 0;
  for (const DimDecoder::Part& part : decoder.parts) {
    if (decoder.redundant) y %= part.weight;
    y += part.weight * values[static_cast<std::size_t>(part.term)];
  }
  std::int64_t x = y - decoder.bias;
  if (x < 0 && decoder.modulus != 0) x = floor_mod(x, decoder.modulus);
  if (x < 0 || x >= decoder.extent) return -1;
  if (decoder.redundant) {
    for (const std::int32_t k : decoder.terms) {
      const auto term = static_cast<std::size_t>(k);
      if (data.flat_terms[term].value(x) != values[term]) return -1;
    }
  }
  return x;
}

namespace {

bool decode_index(const LayoutData& data, std::span<const std::int64_t> values,
                  std::span<std::int64_t> index) {
  for (std::size_t d = 0; d < data.decoders.size(); ++d) {
    const std::int64_t x = decode_dim(data, data.decoders[d], values);
    if (x < 0) return false;
    index[d] = x;
  }
  return true;
}

// Tries the combinations of reachable digit values from inverse term k on that
// add up to `rest`, until one is an element.
// NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
bool search_digits(const LayoutData& data, std::span<std::int64_t> values,
                   std::size_t k, std::int64_t rest,
                   std::span<std::int64_t> index) {
  if (k == data.inverse_terms.size()) {
    return rest == 0 && decode_index(data, values, index);
  }
  const InverseTerm& term = data.inverse_terms[k];
  const std::int64_t stride = term.flat_stride.value();
  const std::int64_t over = rest - term.rest_max;
  const std::int64_t first = over > 0 ? ceil_div(over, stride) : 0;
  const std::int64_t last = std::min(term.count - 1, rest / stride);
  for (std::int64_t v = first; v <= last; ++v) {
    values[static_cast<std::size_t>(term.term)] = term.low + v;
    if (search_digits(data, values, k + 1, rest - v * stride, index)) {
      return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace detail

Place Layout::element_at(std::int64_t offset,
                         std::span<std::int64_t> index) const noexcept {
  const detail::LayoutData& data = *data_;
  std::int64_t rest = offset - data.base_offset - data.first_reachable;
  if (rest < 0 || data.elements == 0) return Place::gap;
  std::array<std::int64_t, detail::max_terms> storage;  // NOLINT: filled below
  const std::span<std::int64_t> values(storage.data(), data.terms.size());
  std::ranges::copy(data.start_values, values.begin());
  if (!data.nested) {
    return detail::search_digits(data, values, 0, rest, index) ? Place::element
                                                               : Place::gap;
  }
  for (const detail::InverseTerm& term : data.inverse_terms) {
    const std::int64_t value = term.flat_stride.quotient(rest);
    if (value >= term.count) return Place::gap;
    values[static_cast<std::size_t>(term.term)] = value;
    rest -= value * term.flat_stride.value();
  }
  if (rest != 0) return Place::gap;
  return detail::decode_index(data, values, index) ? Place::element
                                                   : Place::padding;
}

}  // namespace stridewise
