// The options that name a layout: LAYOUT --shape S --dtype T --part P --table T=...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common.hpp"

namespace stridewise::cli {

using Tables = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// The entries that "T=7,2,5" or "T=FILE.npy" give to the tables of `expression`. Ends the
// command where a table has none, or entries have no table.
[[nodiscard]] Tables read_tables(const std::vector<std::string>& texts,
                                 const Expression& expression);

// The same for several layouts, of which each takes those of its own.
[[nodiscard]] Tables tables_of(const std::vector<std::string>& texts,
                               std::span<const LayoutSource> layouts);

// The type that `dtype` names; where it is empty, the one that the layout's text tells, else
// f32.
[[nodiscard]] ElementType type_for(const std::string& dtype,
                                   const LayoutSource& layout);

struct LayoutOptions {
  std::string layout;
  std::string shape;
  std::string dtype;  // empty: what the layout tells, else f32
  std::string part;
  std::vector<std::string> tables;

  void add_to(Command command);
  [[nodiscard]] LayoutSource source() const;
  [[nodiscard]] ElementType type() const;
  // The memory, with --part chosen where it is given.
  [[nodiscard]] Layout bind() const;
  // One tensor of it. Ends the command where there are several and none is chosen, or
  // where some index has no place.
  [[nodiscard]] Layout bind_tensor() const;
};

// Its name as part of an answer: "q " or nothing.
[[nodiscard]] std::string part_prefix(const Tensor& tensor);

}  // namespace stridewise::cli
