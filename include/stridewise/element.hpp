// What one value of a tensor is: its name, kind and width. Moving needs the
// width alone; files and value conversions need the kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stridewise/result.hpp"

namespace stridewise {

enum class ElementKind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  brain_floating,
  complex_floating,
  small_floating,  // of 4 to 8 bits, in the formats of accelerators
};

struct ElementType {
  std::string_view name;  // the canonical name, e.g. "f32"; static storage
  ElementKind kind;
  std::int32_t bits;  // width in memory

  // Of an element on its own, as in a .npy file: the width rounded up.
  [[nodiscard]] constexpr std::int64_t bytes() const { return (bits + 7) / 8; }

  // Whole numbers, with or without a sign; a boolean is none.
  [[nodiscard]] constexpr bool is_integer() const {
    return kind == ElementKind::signed_integer ||
           kind == ElementKind::unsigned_integer;
  }
  // Real numbers; a complex one is none.
  [[nodiscard]] constexpr bool is_float() const {
    return kind == ElementKind::floating ||
           kind == ElementKind::brain_floating ||
           kind == ElementKind::small_floating;
  }

  friend constexpr bool operator==(const ElementType&,
                                   const ElementType&) = default;
};

// The types with names of their own, in the order in which help texts list them. Integers
// of every other width from 1 to 64 bits are types too: "u4", "s3".
[[nodiscard]] std::span<const ElementType> element_types();

// The type of a canonical name or of a customary spelling of it: "f32",
// "fp32", "float32", "float" are one type; case does not matter.
// Error unknown_name lists the canonical names.
[[nodiscard]] Result<ElementType> parse_element_type(std::string_view name);

}  // namespace stridewise
