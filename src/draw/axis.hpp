// One axis of a layout as a picture needs it: which steps to show, and what lies
// between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise::draw {

// A digit with more than one value, along its axis.
struct AxisTerm {
  std::string name;  // as the notation prints it
  std::int64_t extent;
  std::int64_t stride;
};

// What the notation calls it.
[[nodiscard]] Digit digit_of(const Layout& layout, const BoundTerm& term);

// The axis's digits of more than one value, largest stride first.
[[nodiscard]] std::vector<AxisTerm> axis_terms(const Layout& layout,
                                               std::size_t axis);

// Does each stride exceed what all smaller ones add up to? Then a coordinate has
// one decomposition, found by division.
[[nodiscard]] bool nested(std::span<const AxisTerm> terms);

// Steps of an axis within one of the axis before it: those of its digits, and
// those that the pitch leaves unused, of which the last may be a part of one.
[[nodiscard]] std::int64_t axis_room(const Layout& layout, std::size_t axis);

// All axes nested: then a place has one combination of digits.
[[nodiscard]] bool all_nested(const Layout& layout);

// Units (equal parts of the axis: rows of cells, or single steps) that are shown
// or left out together.
struct AxisRun {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  bool elided = false;
  bool gaps = false;  // all that is left out
  // What exactly is left out: "61 more c", "61 more c and 3 rows", "15 more
  // rows".
  std::string text = {};
};

struct AxisView {
  std::int64_t base = 0;       // of the digits
  std::int64_t extent = 0;     // of the axis
  std::int64_t used = 0;       // steps before the gaps of a pitch; 0: all
  std::int64_t unit = 1;       // steps
  std::int64_t budget = 0;     // units to show, about
  std::string unit_name = {};  // "row"
};

// All units in order, but for the middle of a long gap. Where there are more than
// the budget, the middle of the outermost digits is left out first: what remains
// are the first two steps and the last one. The units in `forced` are shown in any
// case.
[[nodiscard]] std::vector<AxisRun> shown_runs(
    std::span<const AxisTerm> terms, const AxisView& view,
    std::span<const std::int64_t> forced);

// "12,345"
[[nodiscard]] std::string grouped(std::int64_t number);

}  // namespace stridewise::draw
