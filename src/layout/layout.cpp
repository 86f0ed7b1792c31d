// The read-only face of a bound layout, and its two directions.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/utf8.hpp"
#include "layout/data.hpp"

namespace stridewise {
namespace {

const detail::LayoutData& data_of(const Layout& layout) {
  return detail::LayoutAccess::data(layout);
}
const detail::TensorData& tensor_of(const Layout& layout) {
  return detail::LayoutAccess::tensor(layout);
}

[[maybe_unused]] bool is_index(std::span<const std::int64_t> index,
                               const Layout& layout) {
  const Shape& shape = layout.shape();
  if (layout.tensor() < 0 || index.size() != shape.size()) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d].extent) return false;
  }
  return true;
}

// Whether the index of any tensor has room.
[[maybe_unused]] bool has_room(std::span<const std::int64_t> index,
                               const Layout& layout) {
  return std::ranges::all_of(layout.tensors(), [&](const Tensor& tensor) {
    return tensor.shape.size() <= index.size();
  });
}

}  // namespace

Layout::Layout(std::shared_ptr<const detail::LayoutData> data,
               std::int32_t tensor)
    : data_(std::move(data)),
      tensor_(tensor < 0 ? &data_->none
                         : &data_->tensors[static_cast<std::size_t>(tensor)]) {}

const Expression& Layout::expression() const {
  return data_of(*this).expression;
}
const Shape& Layout::shape() const { return tensor_of(*this).tensor.shape; }
std::int64_t Layout::element_bits() const {
  return tensor_of(*this).tensor.element_bits;
}
std::int64_t Layout::element_bytes() const {
  return ceil_div(element_bits(), 8);
}
std::span<const BoundAxis> Layout::axes() const { return data_of(*this).axes; }
std::span<const BoundTerm> Layout::terms() const {
  return tensor_of(*this).terms;
}
std::int32_t Layout::tensor() const { return tensor_of(*this).number; }
bool Layout::plain() const { return tensor_of(*this).plain; }
std::int64_t Layout::elements() const {
  return tensor_of(*this).tensor.elements;
}
std::int64_t Layout::places() const { return tensor_of(*this).places; }
std::int64_t Layout::place_bits() const { return tensor_of(*this).place_bits; }
std::int64_t Layout::size_bits() const { return data_of(*this).size_bits; }
std::int64_t Layout::size_bytes() const {
  return ceil_div(data_of(*this).size_bits, 8);
}
std::int64_t Layout::used_bits() const {
  std::int64_t end = 0;
  for (const detail::Piece& piece : data_of(*this).pieces) {
    const auto tensor = static_cast<std::size_t>(piece.tensor);
    if (data_of(*this).tensors[tensor].tensor.elements == 0) continue;
    std::int64_t last = piece.base + piece.unit;
    for (const detail::PieceTerm& term : piece.terms) {
      const detail::Reach reach = term.copies != 0
                                      ? detail::Reach{0, term.copies}
                                      : detail::reach_of(piece, term.digit);
      last += (reach.low + reach.count - 1) * term.stride;
    }
    end = std::max(end, last);
  }
  return std::min(end, data_of(*this).size_bits);
}
const std::optional<Error>& Layout::defect() const {
  return tensor_of(*this).defect;
}
const std::optional<Error>& Layout::unreadable() const {
  return tensor_of(*this).unreadable;
}
const std::optional<Error>& Layout::unfindable() const {
  return data_of(*this).unfindable;
}
std::int64_t Layout::base_offset() const noexcept {
  STRIDEWISE_EXPECTS(plain(), "Layout::base_offset: the layout is plain");
  return tensor_of(*this).base_offset;
}

std::span<const Tensor> Layout::tensors() const {
  return data_of(*this).listed;
}

Result<Layout> Layout::part(std::string_view name) const {
  std::string names;
  for (const detail::TensorData& tensor : data_of(*this).tensors) {
    if (tensor.tensor.name == name) return Layout(data_, tensor.number);
    names += (names.empty() ? "" : ", ") + tensor.tensor.name;
  }
  return fail(ErrorCode::unknown_name,
              names.empty()
                  ? fmt::format("no part '{}': the layout is of one tensor",
                                printable(name))
                  : fmt::format("no part '{}'; the layout has {}",
                                printable(name), names));
}

std::vector<LayoutPiece> Layout::pieces() const {
  std::vector<LayoutPiece> pieces;
  for (const detail::Piece& piece : data_of(*this).pieces) {
    if (tensor() >= 0 && piece.tensor != tensor()) continue;
    LayoutPiece shown{.tensor = piece.tensor, .base_bits = piece.base};
    for (const detail::Variable& v : piece.variables) {
      if (v.kind != detail::Variable::Kind::slice) continue;
      shown.slices.push_back({v.name, v.low, v.low + v.extent});
    }
    for (const detail::PieceTerm& term : piece.terms) {
      shown.digits.push_back(
          {term.axis, term.written, term.extent(), term.stride});
    }
    pieces.push_back(std::move(shown));
  }
  return pieces;
}

bool Layout::dense() const {
  if (!plain() || elements() != places() || !valid()) return false;
  std::int64_t stride = 1;
  for (auto term = terms().rbegin(); term != terms().rend(); ++term) {
    if (term->extent > 1 && term->flat_stride != stride) return false;
    stride *= std::max<std::int64_t>(term->extent, 1);
  }
  return true;
}

std::int64_t Layout::offset(
    std::span<const std::int64_t> index) const noexcept {
  STRIDEWISE_EXPECTS(is_index(index, *this),
                     "Layout::offset: an index of the chosen tensor, with a "
                     "number for each dim");
  if (!tensor_of(*this).plain)
    return bit_of(index) / tensor_of(*this).place_bits;
  std::int64_t place = tensor_of(*this).base_offset;
  for (const detail::FlatTerm& term : tensor_of(*this).flat_terms) {
    place += term.value(index[static_cast<std::size_t>(term.dim)]) *
             term.flat_stride;
  }
  return place;
}

std::int64_t Layout::bit_of(std::span<const std::int64_t> index,
                            std::int64_t bit) const noexcept {
  STRIDEWISE_EXPECTS(is_index(index, *this),
                     "Layout::bit_of: an index of the chosen tensor, with a "
                     "number for each dim");
  STRIDEWISE_EXPECTS(bit >= 0 && bit < element_bits(),
                     "Layout::bit_of: 0 <= bit < element_bits()");
  if (tensor_of(*this).plain)
    return offset(index) * tensor_of(*this).place_bits + bit;
  for (const std::int32_t p : tensor_of(*this).pieces) {
    const auto place =
        data_of(*this).pieces[static_cast<std::size_t>(p)].bit_of(index, bit);
    if (place) return *place;
  }
  return 0;  // only where a precondition does not hold
}

void Layout::coordinates_of(
    std::span<const std::int64_t> index,
    std::span<std::int64_t> coordinates) const noexcept {
  coordinates_at(bit_of(index), coordinates);
}

void Layout::coordinates_at(
    std::int64_t bit, std::span<std::int64_t> coordinates) const noexcept {
  STRIDEWISE_EXPECTS(bit >= 0 && bit < size_bits(),
                     "Layout::coordinates_at: 0 <= bit < size_bits()");
  STRIDEWISE_EXPECTS(coordinates.size() == axes().size(),
                     "Layout::coordinates_at: a coordinate for each axis");
  for (std::size_t k = 0; k < data_of(*this).axes.size(); ++k) {
    const std::int64_t pitch = data_of(*this).axes[k].pitch_bits;
    coordinates[k] = pitch == 0 ? 0 : bit / pitch;
    bit -= coordinates[k] * pitch;
  }
}

std::int64_t Layout::offset_of_coordinates(
    std::span<const std::int64_t> coordinates) const noexcept {
  STRIDEWISE_EXPECTS(
      coordinates.size() == axes().size() &&
          std::ranges::equal(coordinates, axes(),
                             [](std::int64_t at, const BoundAxis& axis) {
                               return at >= 0 && at < axis.extent;
                             }),
      "Layout::offset_of_coordinates: a coordinate for each axis, within it");
  std::int64_t bits = 0;
  for (std::size_t k = 0; k < data_of(*this).axes.size(); ++k) {
    bits += coordinates[k] * data_of(*this).axes[k].pitch_bits;
  }
  return bits / tensor_of(*this).place_bits;
}

Found Layout::find(std::int64_t bit,
                   std::span<std::int64_t> index) const noexcept {
  STRIDEWISE_EXPECTS(!unfindable(),
                     "Layout::find: what lies at a place can be told");
  STRIDEWISE_EXPECTS(bit >= 0 && bit < size_bits(),
                     "Layout::find: 0 <= bit < size_bits()");
  STRIDEWISE_EXPECTS(has_room(index, *this),
                     "Layout::find: an index with room for all dims");
  Found padding;
  for (std::size_t p = 0; p < data_of(*this).pieces.size(); ++p) {
    const detail::Piece& piece = data_of(*this).pieces[p];
    const auto t = static_cast<std::size_t>(piece.tensor);
    const detail::TensorData& tensor = data_of(*this).tensors[t];
    if (tensor.tensor.elements == 0) continue;
    Found found = detail::find(piece, data_of(*this).inverses[p], tensor.dims,
                               bit, index);
    if (found.place == Place::gap) continue;
    found.tensor = piece.tensor;
    found.more = found.place == Place::element && tensor.defect.has_value();
    if (found.place == Place::element) return found;
    padding = found;
  }
  return padding;
}

Place Layout::element_at(std::int64_t offset,
                         std::span<std::int64_t> index) const noexcept {
  STRIDEWISE_EXPECTS(tensor() >= 0 && valid(),
                     "Layout::element_at: the tensor is chosen, and valid");
  STRIDEWISE_EXPECTS(offset >= 0 && offset < places(),
                     "Layout::element_at: 0 <= offset < places()");
  const Found found = find(offset * tensor_of(*this).place_bits, index);
  const bool other =
      found.tensor >= 0 && found.tensor != tensor_of(*this).number;
  return other ? Place::other : found.place;
}

bool operator==(const Layout& a, const Layout& b) {
  if (a.tensor() != b.tensor()) return false;
  return a.data_ == b.data_ ||
         (data_of(a).shape == data_of(b).shape &&
          data_of(a).binding.element_bits == data_of(b).binding.element_bits &&
          data_of(a).binding.tables == data_of(b).binding.tables &&
          a.expression() == b.expression());
}

}  // namespace stridewise
