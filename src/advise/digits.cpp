// What the digits of a plain layout say of each dim alone.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "advise/facts.hpp"
#include "base/checked.hpp"

namespace stridewise::advising {
namespace {

DigitStep step_of(const BoundTerm& term, std::int64_t stride) {
  return {term.bias, term.div, term.mod, stride};
}

}  // namespace

Places values_of(std::span<const DigitStep> digits, std::int64_t extent) {
  Places values(static_cast<std::size_t>(extent), 0);
  for (const DigitStep& digit : digits) {
    for (std::int64_t x = 0; x < extent; ++x) {
      std::int64_t value = floor_div(x + digit.bias, digit.div);
      if (digit.mod != 0) value = floor_mod(value, digit.mod);
      values[static_cast<std::size_t>(x)] += value * digit.stride;
    }
  }
  return values;
}

Digits::Digits(const Layout& layout, std::optional<std::size_t> bank_axis)
    : places_(layout.shape().size()),
      banks_(layout.shape().size()),
      within_(layout.shape().size()) {
  for (const BoundTerm& term : layout.terms()) {
    const auto dim = static_cast<std::size_t>(term.dim);
    places_[dim].push_back(step_of(term, term.flat_stride));
    if (bank_axis && *bank_axis == static_cast<std::size_t>(term.axis)) {
      banks_[dim].push_back(step_of(term, term.stride));
    } else {
      within_[dim].push_back(step_of(term, term.flat_stride));
    }
  }
  for (std::size_t d = 0; d < places_.size(); ++d) {
    const std::int64_t extent = layout.shape()[d].extent;
    lines_.push_back(extent > most_indices ? Places{}
                                           : values_of(places_[d], extent));
  }
}

std::int64_t longest_run(std::span<const std::int64_t> line) {
  std::int64_t longest = 0;
  std::int64_t run = 0;
  for (std::size_t x = 0; x < line.size(); ++x) {
    run = x > 0 && line[x] == line[x - 1] + 1 ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

std::int64_t windows_of(Places line, std::int64_t lanes) {
  std::ranges::sort(line);
  std::int64_t windows = 0;
  for (auto at = line.begin(); at != line.end(); ++windows) {
    at = std::lower_bound(at, line.end(), *at + lanes);
  }
  return windows;
}

std::optional<std::int64_t> row_alignment(const Layout& layout,
                                          const Digits& digits) {
  // The dim that rows run along.
  const BoundTerm* least = nullptr;
  for (const BoundTerm& term : layout.terms()) {
    if (term.extent < 2 || term.flat_stride == 0) continue;
    if (least == nullptr || term.flat_stride < least->flat_stride) {
      least = &term;
    }
  }
  // The first row's place, and the steps from there to all others.
  std::int64_t first = layout.base_offset();
  std::int64_t common = 0;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    const bool along =
        least != nullptr && least->dim == static_cast<std::int32_t>(d);
    const std::int64_t extent = along ? 1 : layout.shape()[d].extent;
    const auto pieces = refine(digits.places(d), digits.places(d), 0, extent);
    if (!pieces) return std::nullopt;
    const std::int64_t begin = pieces->front().dst_offset;
    first += begin;
    for (const Piece& piece : *pieces) {
      common = std::gcd(common, piece.dst_offset - begin);
      for (const PlanLoop& loop : piece.loops) {
        common = std::gcd(common, loop.dst_stride);
      }
    }
  }
  const std::int64_t bits = std::gcd(common, first) * layout.element_bits();
  return bits % 8 == 0 ? bits / 8 : 1;
}

}  // namespace stridewise::advising
