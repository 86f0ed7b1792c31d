// Names of the catalogue, and tags, that mean a given function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "infer/digits.hpp"
#include "infer/offsets.hpp"
#include "stridewise/catalogue.hpp"

namespace stridewise::inference {

// What is asked for: dims, and whether their names are more than positions.
struct Dims {
  const Shape& shape;
  bool positional;
  std::int64_t element_bytes;
  const Catalogue& names;
};

// Numbers that parameters of catalogue entries may be, by where the entry's
// expression has them.
struct Numbers {
  std::vector<std::int64_t> blocks;   // after % and /
  std::vector<std::int64_t> pitches;  // bytes, between bars
  std::vector<std::int64_t> bases;    // bytes, after @
  std::vector<std::int64_t> starts;   // only in what others default to
};

struct Named {
  std::string name;       // a tag with its vendor, or an entry with parameters
  Layout layout;          // of the shape that was asked for
  bool rare_tag = false;  // a tag, and not one of those that people write often
  bool tag = false;
  bool strided = false;  // an entry with strides of its own: fits nearly all
};

// A name bound to these dims; nullopt where it does not fit them.
[[nodiscard]] std::optional<Named> named_layout(const std::string& text,
                                                const Dims& dims);

// Every entry with these dims, tags apart, as texts: with each combination of
// the numbers, defaults first. Strides are left out where they may be; entries
// that need some have none here.
[[nodiscard]] std::vector<std::string> entry_texts(const Dims& dims,
                                                   const Numbers& numbers);

// The names of a function of `size_bytes` (-1: any), the best first. With
// `anywhere`, origins may differ.
[[nodiscard]] std::vector<Named> names_of(const Offsets& offsets,
                                          const std::vector<Chain>& chains,
                                          const Dims& dims,
                                          std::int64_t size_bytes,
                                          bool anywhere);

}  // namespace stridewise::inference
