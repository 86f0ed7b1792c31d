// The normal form: a layout is a list of pieces, each a set of indices of one tensor
// whose place is a base and a sum of digits. Forward evaluation is all here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/divider.hpp"
#include "layout/digit.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::detail {

// The most that a layout may have: lets both directions work on the stack.
inline constexpr std::size_t max_terms = 64;  // of a piece
inline constexpr std::size_t max_dims = 32;
inline constexpr std::size_t max_variables = 160;  // of a piece
inline constexpr std::size_t max_pieces = 1024;
inline constexpr std::size_t max_table_entries = std::size_t{1} << 22;

struct BoundTable {
  std::vector<std::int64_t> entries;
  std::int64_t extent = 0;  // the largest entry + 1
  std::vector<std::pair<std::int64_t, std::int64_t>>
      positions;  // of entries, sorted

  // The position of an entry among the first `count`, or -1.
  [[nodiscard]] std::int64_t position(std::int64_t entry,
                                      std::int64_t count) const;
};

// A digit of one variable: ((x + bias) / div) % mod, perhaps reversed or looked up.
struct Unit {
  std::int32_t variable = 0;
  std::int64_t bias = 0;
  Divider div = {};
  std::int64_t mod = 0;  // 0: none
  Divider mod_divider = {};
  bool reversed = false;
  const BoundTable* table = nullptr;
  std::int64_t count = 1;   // values before the table
  std::int64_t extent = 1;  // values after it

  [[nodiscard]] bool plain() const { return !reversed && table == nullptr; }
  [[nodiscard]] BoundDigit digit() const { return {bias, div.value(), mod}; }

  // The value before it is reversed and looked up.
  [[nodiscard]] std::int64_t raw(std::int64_t x) const {
    std::int64_t v = x + bias;
    if (div.value() != 1) v = div.quotient(v);
    return mod == 0 ? v : mod_divider.remainder(v);
  }
  [[nodiscard]] std::int64_t finish(std::int64_t v) const {
    if (reversed) v = count - 1 - v;
    return table == nullptr ? v : table->entries[static_cast<std::size_t>(v)];
  }
  // The raw value that is finished so, or -1.
  [[nodiscard]] std::int64_t undo(std::int64_t v) const {
    if (table != nullptr) v = table->position(v, count);
    if (v < 0 || v >= count) return -1;
    return reversed ? count - 1 - v : v;
  }
};

struct BoundTwist {
  Twist::Kind kind = Twist::Kind::exclusive_or;
  Unit unit = {};
};

// v combined with w, modulo n; and the v that a combination was made of.
[[nodiscard]] std::int64_t twist(Twist::Kind kind, std::int64_t v,
                                 std::int64_t w, std::int64_t n);
[[nodiscard]] std::int64_t untwist(Twist::Kind kind, std::int64_t v,
                                   std::int64_t w, std::int64_t n);

struct TwistedDigit {
  Unit unit = {};
  std::vector<BoundTwist> twists = {};

  [[nodiscard]] bool plain() const { return twists.empty() && unit.plain(); }
  [[nodiscard]] std::int64_t extent() const { return unit.extent; }
  // `values`: of the variables.
  [[nodiscard]] std::int64_t value(std::span<const std::int64_t> values) const {
    const auto of = [&](const Unit& u) {
      return u.finish(u.raw(values[static_cast<std::size_t>(u.variable)]));
    };
    std::int64_t v = of(unit);
    for (const BoundTwist& t : twists) {
      v = twist(t.kind, v, of(t.unit), unit.extent);
    }
    return v;
  }
};

struct FusedTerm {
  TwistedDigit digit = {};
  std::int64_t stride = 1;
};

// What digits are taken of.
struct Variable {
  enum class Kind : std::uint8_t {
    dim,  // the index in a dim: of the tensor's own dims, `scale` to each step
    bit,  // the bit of the element
    fused,  // base + the sum of digits * strides
    slice,  // parent - low; outside 0 .. extent-1 the index is not of this piece
    rest,   // parent % divisor: the place in the piece of a cut
  };
  Kind kind = Kind::dim;
  // dim: its number in the layout's shape; slice, rest: the parent variable.
  std::int32_t source = 0;
  std::int32_t own_dim = -1;  // dim: its number among the tensor's own dims
  std::int64_t scale = 1;
  std::int64_t low = 0;  // slice: of the parent; fused: the base
  Divider divisor = {};
  std::vector<FusedTerm> fused = {};
  std::int64_t extent = 1;  // values 0 .. extent-1
  bool of_bits = false;     // made of the element's bit
  std::string name = {};
};

struct PieceTerm {
  TwistedDigit digit = {};
  std::int64_t stride = 0;  // bits
  std::int32_t axis = 0;
  std::int64_t copies = 0;  // not 0: no digit, and so many copies
  Term written = {};

  [[nodiscard]] std::int64_t extent() const {
    return copies != 0 ? copies : digit.extent();
  }
};

struct Piece {
  std::int32_t tensor = 0;
  std::int64_t unit = 1;           // bits of the element that lie together here
  std::int32_t bit_variable = -1;  // the bit within `unit`, where not a digit
  std::int64_t base = 0;           // bits
  std::vector<Variable> variables = {};  // each after those that it is made of
  std::vector<PieceTerm> terms = {};     // slowest first

  // The place of an index of the tensor's own dims in bits; nullopt where the index is
  // not of this piece.
  [[nodiscard]] std::optional<std::int64_t> bit_of(
      std::span<const std::int64_t> index, std::int64_t bit) const;
};

// The values of a digit that are reached: all where it is not plain.
[[nodiscard]] Reach reach_of(const Piece& piece, const TwistedDigit& digit);

}  // namespace stridewise::detail
