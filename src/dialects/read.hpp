// One function a dialect: a text that has its form -> an expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/dialect.hpp"

namespace stridewise::dialects {

using Reading = std::optional<Result<DialectText>>;
using KnownDims = std::span<const std::string>;

[[nodiscard]] Reading read_letters(std::string_view text);  // TVM, ACL
[[nodiscard]] Reading read_openvino(std::string_view text);
[[nodiscard]] Reading read_xla(std::string_view text, KnownDims known);
[[nodiscard]] Reading read_cute(std::string_view text, KnownDims known);
[[nodiscard]] Reading read_tirx(std::string_view text, KnownDims known);
[[nodiscard]] Reading read_strides(std::string_view text, KnownDims known);

// A dim's letter and whether its blocks follow further inside.
struct Block {
  std::string dim;
  std::int64_t size;
};

// outer dims, slowest first, then blocks of them, outermost first: "n c h w" and {c 4} are
// n c/4 h w c%4. `dims` of the result are in logical order.
// Errors: a block of no outer dim, of less than 2, sizes beyond 64 bits.
[[nodiscard]] Result<DialectText> blocked(const std::vector<std::string>& outer,
                                          const std::vector<Block>& blocks);

// a, b, c ...; or the known names where they are as many.
[[nodiscard]] DialectText of_rank(std::size_t rank, KnownDims known);

// A digit and its step, in elements; no mod: the rest of the dim.
struct Leaf {
  std::string dim;
  std::int64_t div = 1;
  std::int64_t mod = 0;
  std::int64_t extent = 1;
  std::int64_t stride = 0;
};

// The terms of leaves whose places are then xored: bits shift+base .. of a place, `bits`
// of them, are xored into those from `base` on. No bits: no xor. `shift` may be negative.
// Errors: a leaf whose places are not made of whole bits, where those bits are.
struct Swizzle {
  std::int64_t bits = 0, base = 0, shift = 0;
};
[[nodiscard]] Result<std::vector<Term>> swizzled(std::vector<Leaf> leaves,
                                                 const Swizzle& swizzle);

// One axis of these terms.
[[nodiscard]] Expression memory_of(std::vector<Term> terms);

}  // namespace stridewise::dialects
