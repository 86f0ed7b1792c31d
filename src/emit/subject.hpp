// What code is emitted about: the digits of a layout, with numbers where sizes
// are known and with names where they are parameters of the code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emit/value.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::emitter {

struct SubjectDim {
  std::string name;  // as an identifier
  Value extent;
  std::string out;  // the parameter that takes the index
};

struct SubjectAxis {
  std::int64_t base;
  std::string out;  // the parameter that takes the coordinate
};

struct SubjectTerm {
  std::int32_t dim;
  std::int32_t axis;
  std::int64_t bias;
  std::int64_t div;
  std::int64_t mod;  // 0: none
  Value stride;
  Value flat_stride;
  // All of its values fill what one step of the term to its left spans: what
  // is left of that step cannot give a larger one. Only asked where sizes are
  // not known.
  bool fills = false;
};

// A constant that the code calculates from its extents.
struct Definition {
  std::string name;
  Value value;
};

struct Subject {
  std::string title;  // one line
  std::vector<SubjectDim> dims = {};
  std::vector<SubjectAxis> axes = {};
  std::vector<SubjectTerm> terms = {};  // slowest first
  std::vector<Definition> definitions = {};
  Value base_offset = 0;
  Value places = 0;
  bool dynamic = false;
};

// The values that a term's digit takes: low .. low + count - 1; no count where
// the extent is not known.
struct DigitValues {
  std::int64_t low = 0;
  std::optional<std::int64_t> count;
};
[[nodiscard]] DigitValues values_of(const Subject& subject,
                                    const SubjectTerm& term);

// The digit of the index `x`.
[[nodiscard]] Value digit_of(const Subject& subject, const SubjectTerm& term,
                             const Value& x);

// Joins digits that are one digit together: i/4 and i%4 whose strides continue
// each other are i. By flat strides, or within each axis by those of the axis.
[[nodiscard]] std::vector<SubjectTerm> merged(const Subject& subject,
                                              bool by_axis);

// An identifier of its own for the name of a dim or an axis.
[[nodiscard]] std::string identifier(const std::string& name);

[[nodiscard]] Subject subject_of(const Layout& layout);
[[nodiscard]] Result<Subject> dynamic_subject(const Expression& expression,
                                              std::span<const std::string> dims,
                                              std::int64_t element_bytes);

// How the index of a dim follows from its digits; see the inverse of a layout.
// The index plus `bias` is the sum of weight * value over `parts`, known modulo
// `modulus` (0: known exactly). Not a chain: the index must be searched for.
struct Chain {
  struct Part {
    std::size_t term;
    std::int64_t weight;
  };
  bool found = false;
  bool redundant = false;  // all terms must be checked in the end
  std::int64_t bias = 0;
  std::int64_t modulus = 0;
  std::vector<Part> parts;
};
[[nodiscard]] Chain chain_of(const Subject& subject,
                             std::span<const SubjectTerm> terms,
                             std::int32_t dim);

// Whether all that the code calculates fits 31 bits. Pre: sizes are known.
[[nodiscard]] bool fits_narrow(const Subject& subject);

}  // namespace stridewise::emitter
