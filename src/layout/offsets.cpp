// SPDX-License-Identifier: Apache-2.0
#include "stridewise/offsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "layout/index.hpp"

namespace stridewise {
namespace {

constexpr std::array<std::pair<std::string_view, OffsetUnit>, 3> units = {
    {{"bit", OffsetUnit::bit},
     {"byte", OffsetUnit::byte},
     {"element", OffsetUnit::element}}};

std::int64_t bits_of(OffsetUnit unit, const Layout& layout) {
  switch (unit) {
    case OffsetUnit::bit:
      return 1;
    case OffsetUnit::byte:
      return 8;
    case OffsetUnit::element:
      break;
  }
  return layout.element_bits();
}

// What one term of a plain layout adds at consecutive indices of its dim: divisions
// are made once a step, not once an index.
void add_term(const BoundTerm& term, std::int64_t first,
              std::span<std::int64_t> sums) {
  const std::int64_t x = first + term.bias;
  std::int64_t within = x % term.div;
  std::int64_t value = x / term.div;
  if (term.mod != 0) value %= term.mod;
  for (std::int64_t& sum : sums) {
    sum += value * term.flat_stride;
    if (++within < term.div) continue;
    within = 0;
    if (++value == term.mod && term.mod != 0) value = 0;
  }
}

// The places of a plain layout, row by row of its last dims.
class Rows {
 public:
  // Rows of about this many indices.
  static constexpr std::int64_t row = 1024;

  Rows(const Layout& layout, std::int64_t scale)
      : layout_(layout), scale_(scale) {
    // The trailing dims that a row holds, as a table of sums.
    std::int64_t inner = 1;
    split_ = layout.shape().size();
    while (split_ > 0) {
      const std::int64_t extent = layout.shape()[split_ - 1].extent;
      if (inner * std::min(extent, row) > row && inner > 1) break;
      if (extent > row) break;
      inner *= extent;
      --split_;
    }
    table_.assign(static_cast<std::size_t>(inner), 0);
    for (std::size_t d = split_; d < layout.shape().size(); ++d) add_dim(d);
  }

  void fill(std::int64_t first, std::span<std::int64_t> out) const {
    const auto inner = static_cast<std::int64_t>(table_.size());
    const Shape& shape = layout_.shape();
    const std::int64_t long_extent = split_ == 0 ? 1 : shape[split_ - 1].extent;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(row));
    std::size_t done = 0;
    while (done < out.size()) {
      const std::int64_t at = first + static_cast<std::int64_t>(done);
      const std::int64_t outer = at / inner;
      // So many indices of the dim left of the table, in this row.
      const std::int64_t x = outer % long_extent;
      const std::int64_t count = std::min(
          {long_extent - x, std::max<std::int64_t>(row / inner, 1),
           ceil_div(static_cast<std::int64_t>(out.size() - done) + at % inner,
                    inner)});
      const std::span<std::int64_t> line(sums.data(),
                                         static_cast<std::size_t>(count));
      start(outer / long_extent, x, line);
      done += spread(line, at % inner, out.subspan(done));
    }
  }

 private:
  void add_dim(std::size_t dim) {
    const std::int64_t extent = layout_.shape()[dim].extent;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(extent), 0);
    for (const BoundTerm& term : layout_.terms()) {
      if (term.dim == static_cast<std::int32_t>(dim)) add_term(term, 0, sums);
    }
    std::int64_t repeat = 1;  // of each index, by the dims right of it
    for (std::size_t d = dim + 1; d < layout_.shape().size(); ++d) {
      repeat *= layout_.shape()[d].extent;
    }
    for (std::size_t k = 0; k < table_.size(); ++k) {
      const auto x = static_cast<std::int64_t>(k) / repeat % extent;
      table_[k] += sums[static_cast<std::size_t>(x)] * scale_;
    }
  }

  // The sums of all dims left of the table, for consecutive indices of the last of them.
  void start(std::int64_t outer, std::int64_t x,
             std::span<std::int64_t> line) const {
    std::vector<std::int64_t> index(layout_.shape().size(), 0);
    for (std::size_t d = split_ == 0 ? 0 : split_ - 1; d-- > 0;) {
      index[d] = outer % layout_.shape()[d].extent;
      outer /= layout_.shape()[d].extent;
    }
    std::int64_t base = layout_.base_offset();
    for (const BoundTerm& term : layout_.terms()) {
      const auto dim = static_cast<std::size_t>(term.dim);
      if (dim + 1 >= split_) continue;
      std::int64_t value = (index[dim] + term.bias) / term.div;
      if (term.mod != 0) value %= term.mod;
      base += value * term.flat_stride;
    }
    std::ranges::fill(line, base);
    for (const BoundTerm& term : layout_.terms()) {
      if (static_cast<std::size_t>(term.dim) + 1 == split_) {
        add_term(term, x, line);
      }
    }
    for (std::int64_t& sum : line) sum *= scale_;
  }

  // Adds the table to each of the sums; returns how many numbers that made.
  std::size_t spread(std::span<const std::int64_t> line, std::int64_t skip,
                     std::span<std::int64_t> out) const {
    std::size_t made = 0;
    for (const std::int64_t sum : line) {
      const auto begin = static_cast<std::size_t>(skip);
      const std::size_t count =
          std::min(table_.size() - begin, out.size() - made);
      for (std::size_t k = 0; k < count; ++k) {
        out[made + k] = sum + table_[begin + k];
      }
      made += count;
      skip = 0;
      if (made == out.size()) break;
    }
    return made;
  }

  const Layout& layout_;
  std::int64_t scale_;  // units of a place
  std::size_t split_;   // the table holds the dims from here on
  std::vector<std::int64_t> table_;
};

}  // namespace

Result<OffsetUnit> parse_offset_unit(std::string_view name) {
  for (const auto& [known, unit] : units) {
    if (known == name) return unit;
  }
  return fail(ErrorCode::unknown_name,
              fmt::format("no unit '{}': bit, byte or element", name));
}

Offsets::Offsets(Layout layout, OffsetUnit unit)
    : layout_(std::move(layout)), unit_bits_(bits_of(unit, layout_)) {
  const Tensor& tensor =
      layout_.tensors()[static_cast<std::size_t>(layout_.tensor())];
  for (const Dim& dim : layout_.shape()) extents_.push_back(dim.extent);
  const auto width = static_cast<std::uint64_t>(tensor.element_bits);
  bits_ = unit == OffsetUnit::bit &&
          (tensor.bitwise || !std::has_single_bit(width));
  count_ = tensor.elements;
  if (bits_) {
    extents_.push_back(tensor.element_bits);
    count_ = saturated(mul(count_, tensor.element_bits));
  }
  places_ = ceil_div(layout_.size_bits(), unit_bits_);
}

Result<Offsets> Offsets::make(const Layout& layout, OffsetUnit unit) {
  STRIDEWISE_EXPECTS(unit <= OffsetUnit::element,
                     "Offsets::make: a valid unit");
  if (layout.unreadable()) return unexpected(*layout.unreadable());
  const std::int64_t bits = bits_of(unit, layout);
  const Tensor& tensor =
      layout.tensors()[static_cast<std::size_t>(layout.tensor())];
  if (tensor.bitwise && unit != OffsetUnit::bit) {
    return fail(ErrorCode::invalid_value,
                "the layout says where each bit of an element lies: count in "
                "bits");
  }
  if (layout.place_bits() % bits != 0) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format(
            "elements of {} bits lie at multiples of {} {}: count in {}",
            layout.element_bits(), layout.place_bits(),
            layout.place_bits() == 1 ? "bit" : "bits",
            layout.place_bits() % 8 == 0 ? "bytes" : "bits"));
  }
  return Offsets(layout, unit);
}

void Offsets::fill(std::int64_t first, std::span<std::int64_t> out) const {
  STRIDEWISE_EXPECTS(first >= 0 && std::ssize(out) <= count_ - first,
                     "Offsets::fill: indices within count()");
  if (out.empty()) return;
  if (layout_.plain() && !bits_) {
    Rows(layout_, layout_.place_bits() / unit_bits_).fill(first, out);
    return;
  }
  const std::int64_t width = bits_ ? layout_.element_bits() : 1;
  std::vector<std::int64_t> index = index_of(layout_.shape(), first / width);
  std::int64_t bit = first % width;
  for (std::int64_t& place : out) {
    place = layout_.bit_of(index, bit) / unit_bits_;
    if (++bit < width) continue;
    bit = 0;
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < layout_.shape()[d].extent) break;
      index[d] = 0;
    }
  }
}

Result<void> Offsets::fill_inverse(std::int64_t first,
                                   std::span<std::int64_t> out) const {
  STRIDEWISE_EXPECTS(first >= 0 && std::ssize(out) <= places_ - first,
                     "Offsets::fill_inverse: places within places()");
  if (layout_.unfindable()) return unexpected(*layout_.unfindable());
  if (out.empty()) return {};
  std::size_t most_dims = 0;
  for (const Tensor& tensor : layout_.tensors()) {
    most_dims = std::max(most_dims, tensor.shape.size());
  }
  std::vector<std::int64_t> index(most_dims);
  for (std::int64_t& number : out) {
    const Found found = layout_.find(first++ * unit_bits_, index);
    if (found.place == Place::gap) {
      number = offset_of_gap;
    } else if (found.tensor != layout_.tensor()) {
      number = offset_of_other_part;
    } else if (found.place == Place::padding) {
      number = offset_of_padding;
    } else {
      number = 0;
      for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
        number = number * layout_.shape()[d].extent + index[d];
      }
      if (bits_) number = number * layout_.element_bits() + found.bit;
    }
  }
  return {};
}

}  // namespace stridewise
