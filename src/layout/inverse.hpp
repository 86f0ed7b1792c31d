// The inverse of one piece: place -> digit values -> index.
//
// Places to digits. The terms form one list by descending stride. In nearly every layout
// each stride exceeds what all later terms can add together ("nested"), so each digit is
// one division. Where strides interleave (h:3 w:2 with H = 2, W = 3), several values of a
// digit remain possible and are tried in turn; a layout for which that could take long is
// refused when it is bound (defect.cpp).
//
// Digits to index. A list of steps, fixed when the layout is bound (closure.cpp): each
// takes numbered slots that are known and fills one more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layout/piece.hpp"

namespace stridewise::detail {

inline constexpr std::size_t max_slots = 512;

// One term, by descending stride, which is not 0. Nested, a term counts all values of its
// box, so that padding is told from gaps; else those that indices reach.
struct InverseTerm {
  std::int32_t term;
  std::int64_t low;    // the first value
  std::int64_t count;  // of values
  Divider stride;
  std::int64_t rest_max;  // the most that what lies right of it can add
};

struct DecodeStep {
  enum class Kind : std::uint8_t {
    undo,  // out = the raw value of `unit` whose twisted digit has the value `in`
    raw,     // out = the raw value of `unit` at the variable `in`
    finish,  // out = what `unit` makes of the raw value `in`
    chain,   // out = the value that digits of it tell: see below
    offset,  // out = in + low, where that is 0 .. extent-1
    rest,    // out = in % divisor
    split,   // the digits of the fused index `in`
    fuse,    // out = the fused index of digits that are known
    search,  // out = the first value whose digits are those
  };
  struct Part {
    std::int32_t slot;
    std::int64_t weight;
  };

  Kind kind;
  std::int32_t in = -1;
  std::int32_t out = -1;
  Unit unit = {};
  std::vector<std::pair<Twist::Kind, std::int32_t>> twists = {};  // undo
  // chain: y = the sum of weight * slot, known modulo `modulus` (0: exactly). The value
  // is y / divisor, modulo `wrap` (0: not), of a digit; and low + (y - bias - low) %
  // modulus, then / divisor, of a variable (`is_variable`), outside of `extent` none.
  // split, fuse: the digits, slowest first. search: `digits` of the slots, of which those
  // with mod repeat after `modulus`.
  std::vector<Part> parts = {};
  std::vector<BoundDigit> digits = {};
  std::vector<Divider> strides = {};
  std::vector<std::int64_t> counts = {};
  bool redundant = false;
  bool is_variable = false;
  std::int64_t bias = 0;
  std::int64_t modulus = 0;
  std::int64_t wrap = 0;
  std::int64_t low = 0;
  std::int64_t extent = 0;
  Divider divisor = {};
};

struct PieceInverse {
  std::vector<InverseTerm> terms = {};
  bool nested = false;
  std::int64_t first_reachable = 0;  // sum of low * stride; 0 when nested
  // The most combinations of digits that an inverse may have to try.
  std::int64_t most_tries = 1;
  // What slots have before any step: of the terms, their least reachable value.
  std::vector<std::int64_t> start = {};
  std::vector<DecodeStep> steps = {};
  bool verify = false;  // the digits tell more than the steps used
  // Of each dim of the layout's shape: the slot, and how much of the dim one step of it
  // takes (0: the piece tells nothing of it).
  std::vector<std::int32_t> dim_slots = {};
  std::vector<std::int64_t> scales = {};
  std::vector<bool> named = {};  // whether a digit or a slice names the dim
  std::int32_t bit_slot = -1;    // -1: the rest of the place
  std::int64_t bit_low = 0;      // of the slice of bits
  // Why digits do not tell the index.
  std::optional<Error> not_covered = {};
  // Why not even one index is told.
  std::optional<Error> unsolved = {};
};

// Fills the terms of the inverse and what follows from strides alone.
void list_terms(const Piece& piece, PieceInverse& inverse);

// Runs the steps on slots that begin with the terms' values. False: padding.
[[nodiscard]] bool decode(const PieceInverse& inverse,
                          std::span<std::int64_t> slots);

// What the piece has at a bit of memory; `index` in the own dims of its tensor, which
// `dims` lists. Found::tensor is not set. Pre: nothing is unsolved.
[[nodiscard]] Found find(const Piece& piece, const PieceInverse& inverse,
                         std::span<const std::int32_t> dims, std::int64_t place,
                         std::span<std::int64_t> index);

// The first x in [low, high) whose digits are those values, or -1. Digits without mod come
// first; the others repeat after `period`.
[[nodiscard]] std::int64_t search_value(std::span<const BoundDigit> digits,
                                        std::span<const std::int64_t> values,
                                        std::int64_t low, std::int64_t high,
                                        std::int64_t period);

}  // namespace stridewise::detail
