// Text <-> layouts, shapes and indices. See docs/notation.md for the grammar.
// Every error of a parser carries the text and the position of the fault.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// One line of the notation, e.g. "row=n h | pixel=c/4 w | lane=c%4".
// Accepts everything that print() returns: parse_expression(print(e)) == e.
[[nodiscard]] Result<Expression> parse_expression(std::string_view text);
[[nodiscard]] std::string print(const Expression& expression);
[[nodiscard]] std::string print(const Digit& digit);
[[nodiscard]] std::string print(const Term& term);

// A oneDNN tag: outer letters from slowest to fastest, then inner blocks
// "<size><letter>"; a letter is upper-case iff its dim has an inner block.
struct Tag {
  Expression expression;
  std::vector<std::string> dims;  // logical order
  bool canonical = false;         // abc... letters, which stand for positions
};

// Canonical ("aBcd16b") or friendly ("nChw16c", "gOIhw4i16o4i") tags. The
// logical order of friendly letters is the vendor's: n c d h w, g o i d h w,
// t n c, and l d s n c i g o for recurrent weights.
[[nodiscard]] Result<Tag> parse_tag(std::string_view text);

// A count in decimal, or in hexadecimal with 0x: what dump tools print. A leading
// 0 means nothing.
[[nodiscard]] Result<std::int64_t> parse_count(std::string_view text);

// "n=2,c=17,h=5,w=4", or "2x17x5x4" where `dims` gives the logical order. With
// names, the order is that of `dims` if not empty (all must be given), else as
// written.
[[nodiscard]] Result<Shape> parse_shape(std::string_view text,
                                        std::span<const std::string> dims = {});
[[nodiscard]] std::string print(const Shape& shape);

// "n=1,c=16,h=4,w=3" or "1,16,4,3": an index within `shape`, in its order.
[[nodiscard]] Result<std::vector<std::int64_t>> parse_index(
    std::string_view text, const Shape& shape);

// "h=10..30,w=5..": a box of indices, low..high without high; low or high may be left out.
[[nodiscard]] Result<std::vector<Slice>> parse_window(std::string_view text);

// "npu=1,offset=28": a coordinate on each axis of `layout`, gaps up to the next
// step of the axis to the left included; axes that are not named stand at 0.
[[nodiscard]] Result<std::vector<std::int64_t>> parse_coordinates(
    std::string_view text, const Layout& layout);

}  // namespace stridewise
