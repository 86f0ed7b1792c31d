// What is measured: a conversion, as one line of a problem file.
//
//   name; dtype; src -> dst; shape          # a comment
//   name; dtype->dtype; src -> dst; shape   # values that change on the way
//
// The numbers of a shape are in logical order, as the dims of tags like acdb are. After it
// may stand "| part=q", the part that moves of a memory of several, and "| T=4096", the
// entries of a table of so many in an order of no pattern. A layout may have ';'.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common.hpp"

namespace stridewise::cli {

struct Problem {
  std::string name;                    // empty: dtype, layouts and shape
  std::string dtype, src, dst, shape;  // dtype: one, or "f32->s8"
  // The numbers of the shape are in logical order, whatever the tags spell.
  bool in_logical_order = false;
  std::string part = {};
  std::map<std::string, std::vector<std::int64_t>, std::less<>> tables = {};
};

// A problem that is understood: texts resolved and bound.
struct BoundProblem {
  Problem text;  // with a name
  ElementType src_type, dst_type;
  std::optional<Values> values;  // where the types differ; not scaled
  LayoutSource src_source, dst_source;
  Layout src, dst;

  // Of the elements, which is what every competitor has to move: the mean of both
  // sides.
  [[nodiscard]] std::int64_t bytes() const {
    const auto [less, more] = std::minmax({src_type.bits, dst_type.bits});
    return std::midpoint(src.elements() * less, src.elements() * more) / 8;
  }
  // Whether both layouts are plain digits and whole bytes, as peers take them.
  [[nodiscard]] bool plain() const {
    return src.plain() && dst.plain() && src.element_bits() % 8 == 0 &&
           dst.element_bits() % 8 == 0;
  }
};

// Throws Failure: an unknown layout or type, values that cannot change so, a shape
// that does not fit, a layout that is not valid, a tensor without elements.
[[nodiscard]] BoundProblem bind(Problem problem);

// The problems of a file's text, bound. Throws Failure with `file` and the line.
[[nodiscard]] std::vector<BoundProblem> parse_problems(std::string_view text,
                                                       const std::string& file);

// `file` is a path, or the name of a shipped set: small, medium, large, default,
// activations, weights, transposes, planes, ways, ttc, values, world.
[[nodiscard]] std::vector<BoundProblem> read_problems(const std::string& file);

}  // namespace stridewise::cli
