// What a bound Layout keeps. Built in this order: pieces (walk.cpp), their inverses
// (closure.cpp), the tensors' own dims (tensors.cpp), the defects (defect.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/divider.hpp"
#include "base/expects.hpp"
#include "layout/inverse.hpp"
#include "layout/piece.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::detail {

// A term of a plain layout, laid out for offset(): one pass, no indirection.
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

struct TensorData {
  std::int32_t number = -1;  // among the layout's tensors; -1: none is chosen
  Tensor tensor = {};
  std::vector<std::int32_t> pieces = {};  // of LayoutData::pieces
  // Of each own dim: which dim of the layout's shape it is, and how much of it one step
  // takes.
  std::vector<std::int32_t> dims = {};
  std::vector<std::int64_t> scales = {};
  std::int64_t place_bits = 1;
  std::int64_t places = 0;

  // Of plain layouts alone; strides in elements.
  bool plain = false;
  std::vector<BoundTerm> terms = {};
  std::vector<FlatTerm> flat_terms = {};
  std::int64_t base_offset = 0;

  std::optional<Error> defect = {};
  std::optional<Error> unreadable = {};
};

struct LayoutData {
  Expression expression = {};
  Shape shape = {};
  Binding binding = {};
  std::vector<BoundAxis> axes = {};
  std::deque<BoundTable> tables = {};
  std::vector<Piece> pieces = {};
  std::vector<PieceInverse> inverses = {};  // one a piece
  std::vector<TensorData> tensors = {};
  std::vector<Tensor> listed = {};  // the same, for Layout::tensors()
  TensorData none = {};             // stands for them where there are several
  std::int64_t size_bits = 0;
  std::optional<Error> unfindable = {};
  // Whether what lies left of parts or of a cut steps over all of them at once.
  bool parts_nest = true;
};

// For who walks over the pieces of a layout.
struct LayoutAccess {
  static const LayoutData& data(const Layout& layout) {
    STRIDEWISE_EXPECTS(layout.data_ != nullptr,
                       "Layout: it was not moved from");
    return *layout.data_;
  }
  static const TensorData& tensor(const Layout& layout) {
    STRIDEWISE_EXPECTS(layout.data_ != nullptr,
                       "Layout: it was not moved from");
    return *layout.tensor_;
  }
};

// An index as people write it: "n=0,c=16".
[[nodiscard]] std::string print_index(const Shape& shape,
                                      const std::vector<std::int64_t>& index);

}  // namespace stridewise::detail
