// Bodies of the text -> pieces. Works from the last axis to the first, because a pitch is
// what lies right of it, and in a body from the last term to the first, for the same
// reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "layout/data.hpp"
#include "layout/draft.hpp"
#include "layout/scope.hpp"
#include "layout/steps.hpp"
#include "stridewise/result.hpp"

namespace stridewise::detail {

class Walk {
 public:
  explicit Walk(LayoutData& data)
      : data_(data), variables_(data.binding, data.tables) {}

  // Fills tables, pieces, size_bits, parts_nest, the tensors' names and widths and all of
  // the axes but the last of the data, whose expression, shape, binding and names of axes
  // are set. Returns the bits of the last axis. Errors: those of Layout::bind.
  [[nodiscard]] Result<std::int64_t> run();

 private:
  struct BodyView {
    std::int64_t base;
    bool base_in_bytes;
    std::span<const Term> terms;
    const NestedList<Part>& parts;
  };

  // Whose places they are.
  struct Context {
    std::string tensor;
    std::string type;
    std::int64_t element_bits;
    bool bitwise;  // places are bits
    std::int32_t axis;
  };

  // What a body takes. `unit`: the bits of its elements; 0 where they differ.
  struct Extent {
    std::int64_t bits;
    std::int64_t unit;
  };

  // Pieces of one size that a cut makes of a dim.
  struct Pieces {
    std::int64_t start, size, count;  // along the dim
    std::int64_t at;                  // bits
    bool listed;                      // of a size that the text lists
  };

  // --- walk.cpp: scope and axes
  Result<void> build_scope();
  std::int32_t bits_of(std::int64_t width);
  Result<std::int64_t> left_axis(std::size_t a, std::int64_t inner);
  Result<void> finish();

  // --- bodies.cpp
  Result<Extent> body(const BodyView& view, const Scope& scope,
                      Context context);
  Result<Extent> leaf(const Scope& scope, const Context& context);
  Result<std::int32_t> tensor_of(const Context& context);
  Result<Extent> parts(const NestedList<Part>& list, const Scope& scope,
                       const Context& context);
  Result<Extent> one_part(const Part& part, Scope scope, Context context,
                          std::int64_t at);
  Result<bool> add_slices(const Part& part, Scope& scope);
  Result<Extent> cut_body(const BodyView& view,
                          std::span<const Term>::iterator cut,
                          const Scope& scope, const Context& context);
  Result<std::int64_t> cut_pieces(const BodyView& rest, const Term& cut,
                                  Scope scope, const Context& context,
                                  const Pieces& pieces, std::int64_t& unit);

  // --- terms.cpp: what lies left of all pieces from `first` on
  Result<std::vector<TwistedDigit>> digits_of(std::span<const Term> terms,
                                              const Scope& scope,
                                              Context& context);
  // Returns how far strides backwards go below the base.
  Result<std::int64_t> add_terms(std::span<const Term> terms,
                                 const std::vector<TwistedDigit>& digits,
                                 Space& space, std::int64_t unit,
                                 std::int32_t axis, std::size_t first);
  Result<std::int64_t> turn(const Term& written, PieceTerm& term) const;
  [[nodiscard]] bool of_one_index(const PieceTerm& term) const;
  Result<Extent> add_base(const BodyView& view, std::int64_t below,
                          const Space& space, std::int64_t unit,
                          std::size_t first);

  LayoutData& data_;
  Variables variables_;
  Scope scope_;
  std::map<std::int64_t, std::int32_t> bit_variables_;
  Drafts drafts_;
  int depth_ = 0;
};

}  // namespace stridewise::detail
