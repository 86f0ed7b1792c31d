// What a bound Layout keeps. Built by bind.cpp in this order: numbers, then
// dim decoders, then the defect (which asks both); read by everything else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/divider.hpp"
#include "layout/digit.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::detail {

// A term laid out for offset(): one pass, no indirection.
struct FlatTerm {
  std::int64_t bias;
  std::int64_t flat_stride;
  Divider div;
  Divider mod;
  std::int32_t dim;
  bool has_div;
  bool has_mod;

  [[nodiscard]] std::int64_t value(std::int64_t x) const {
    std::int64_t v = x + bias;
    if (has_div) v = div.quotient(v);
    if (has_mod) v = mod.remainder(v);
    return v;
  }
};

// Digit values -> index of one dim.
//
// A chain: digits of one bias, each dividing the next (nChw16c, images, banks: all
// that vendors do). Then y = x + bias is the sum of weight * value over
// `parts`, known modulo `modulus` (0: known exactly).
// Otherwise the index is searched among intervals of candidates.
struct DimDecoder {
  struct Part {
    std::int32_t term;
    std::int64_t weight;
  };
  bool chain = false;
  bool redundant = false;  // terms beyond `parts` must be checked as well
  std::int64_t bias = 0;
  std::int64_t modulus = 0;
  std::int64_t extent = 0;
  std::vector<Part> parts;
  // The terms of this dim that tell its indices apart: not those that have
  // several values in one place (stride 0).
  std::vector<std::int32_t> terms;
};

// One term as the inverse walks them: by descending flat stride, which is not
// 0. Nested, a term counts all values of its box, so that padding is told from
// gaps; else those that its dim's indices reach.
struct InverseTerm {
  std::int32_t term;
  std::int64_t low;    // the first value
  std::int64_t count;  // of values
  Divider flat_stride;
  std::int64_t rest_max;  // the most that the terms after it can add
};

struct LayoutData {
  Expression expression;
  Shape shape;
  std::int64_t element_bytes = 1;
  std::vector<BoundAxis> axes;
  std::vector<BoundTerm> terms;
  std::int64_t elements = 0;
  std::int64_t places = 0;
  std::int64_t base_offset = 0;

  std::vector<FlatTerm> flat_terms;
  std::vector<DimDecoder> decoders;  // one a dim
  // What each term has before any is decoded: its least reachable value, which
  // is the only one of a term that cannot vary.
  std::vector<std::int64_t> start_values;
  std::vector<InverseTerm> inverse_terms;  // those with more than one value
  bool nested = false;  // each flat stride exceeds all that follow together
  std::int64_t first_reachable = 0;  // sum of low * flat_stride; 0 when nested
  // The most combinations of digits that an inverse may have to try.
  std::int64_t most_tries = 1;
  std::optional<Error> defect;
};

[[nodiscard]] Reach reach_of(const LayoutData& data, const BoundTerm& term);

// Fills decoders, inverse_terms and nested. Pre: the numbers are set.
void build_inverse(LayoutData& data);

// The index of a dim whose terms have these values (indexed by term), or -1.
[[nodiscard]] std::int64_t decode_dim(const LayoutData& data,
                                      const DimDecoder& decoder,
                                      std::span<const std::int64_t> values);

// The reason why the layout is not valid, if it is not.
[[nodiscard]] std::optional<Error> find_defect(const LayoutData& data);

// Most terms that any layout may have: lets the inverse work on the stack.
inline constexpr std::size_t max_terms = 64;
inline constexpr std::size_t max_dims = 32;

}  // namespace stridewise::detail
