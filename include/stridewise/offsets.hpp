// Where all indices of a tensor lie, as numbers: a table for gathers, and its inverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// What places are counted in.
enum class OffsetUnit : std::uint8_t { bit, byte, element };

// "bit", "byte", "element". Error unknown_name lists them.
[[nodiscard]] Result<OffsetUnit> parse_offset_unit(std::string_view name);

// What stands for a place of an inverse table that holds no element of the tensor.
inline constexpr std::int64_t offset_of_padding = -1;
inline constexpr std::int64_t offset_of_gap = -2;
inline constexpr std::int64_t offset_of_other_part = -3;

// The places of one tensor. Cheap to make from a layout, immutable.
class Offsets {
 public:
  // Errors: no tensor is chosen; a layout that cannot be read; elements that do not begin
  // at whole units.
  [[nodiscard]] static Result<Offsets> make(const Layout& layout,
                                            OffsetUnit unit);

  // The extents of the table: the tensor's own dims and, counted in bits, the bit of the
  // element where the text says where each bit lies (Tensor::bitwise) or where the width
  // is no power of two.
  [[nodiscard]] const std::vector<std::int64_t>& extents() const {
    return extents_;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // How many units the memory has, the last rounded up.
  [[nodiscard]] std::int64_t places() const { return places_; }

  // The places of indices first .. first + out.size() - 1 in logical order, the last dim
  // fastest. About 1 ns each for plain layouts. Pre: within count().
  void fill(std::int64_t first, std::span<std::int64_t> out) const;

  // For places first .. first + out.size() - 1 the number of the index that lies there
  // (in the order of fill), or one of the numbers above. Error unsupported: what lies at
  // a place cannot be told. Pre: within places().
  [[nodiscard]] Result<void> fill_inverse(std::int64_t first,
                                          std::span<std::int64_t> out) const;

 private:
  Offsets(Layout layout, OffsetUnit unit);

  Layout layout_;
  std::int64_t unit_bits_;
  bool bits_ = false;  // the last extent is the bit of the element
  std::vector<std::int64_t> extents_;
  std::int64_t count_ = 0;
  std::int64_t places_ = 0;
};

}  // namespace stridewise
