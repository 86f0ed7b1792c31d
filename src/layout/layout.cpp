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

Layout::Layout(std::shared_ptr<const detail::LayoutData> data,
               std::int32_t tensor)
    : data_(std::move(data)),
      tensor_(tensor < 0 ? &data_->none
                         : &data_->tensors[static_cast<std::size_t>(tensor)]) {}

const Expression& Layout::expression() const { return data_->expression; }
const Shape& Layout::shape() const { return tensor_->tensor.shape; }
std::int64_t Layout::element_bits() const {
  return tensor_->tensor.element_bits;
}
std::int64_t Layout::element_bytes() const {
  return ceil_div(element_bits(), 8);
}
std::span<const BoundAxis> Layout::axes() const { return data_->axes; }
std::span<const BoundTerm> Layout::terms() const { return tensor_->terms; }
std::int32_t Layout::tensor() const { return tensor_->number; }
bool Layout::plain() const { return tensor_->plain; }
std::int64_t Layout::elements() const { return tensor_->tensor.elements; }
std::int64_t Layout::places() const { return tensor_->places; }
std::int64_t Layout::place_bits() const { return tensor_->place_bits; }
std::int64_t Layout::size_bits() const { return data_->size_bits; }
std::int64_t Layout::size_bytes() const {
  return ceil_div(data_->size_bits, 8);
}
std::int64_t Layout::used_bits() const {
  std::int64_t end = 0;
  for (const detail::Piece& piece : data_->pieces) {
    const auto tensor = static_cast<std::size_t>(piece.tensor);
    if (data_->tensors[tensor].tensor.elements == 0) continue;
    std::int64_t last = piece.base + piece.unit;
    for (const detail::PieceTerm& term : piece.terms) {
      const detail::Reach reach = term.copies != 0
                                      ? detail::Reach{0, term.copies}
                                      : detail::reach_of(piece, term.digit);
      last += (reach.low + reach.count - 1) * term.stride;
    }
    end = std::max(end, last);
  }
  return std::min(end, data_->size_bits);
}
const std::optional<Error>& Layout::defect() const { return tensor_->defect; }
const std::optional<Error>& Layout::unreadable() const {
  return tensor_->unreadable;
}
const std::optional<Error>& Layout::unfindable() const {
  return data_->unfindable;
}
std::int64_t Layout::base_offset() const noexcept {
  return tensor_->base_offset;
}

std::span<const Tensor> Layout::tensors() const { return data_->listed; }

Result<Layout> Layout::part(std::string_view name) const {
  std::string names;
  for (const detail::TensorData& tensor : data_->tensors) {
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
  for (const detail::Piece& piece : data_->pieces) {
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
  if (!tensor_->plain) return bit_of(index) / tensor_->place_bits;
  std::int64_t place = tensor_->base_offset;
  for (const detail::FlatTerm& term : tensor_->flat_terms) {
    place += term.value(index[static_cast<std::size_t>(term.dim)]) *
             term.flat_stride;
  }
  return place;
}

std::int64_t Layout::bit_of(std::span<const std::int64_t> index,
                            std::int64_t bit) const noexcept {
  if (tensor_->plain) return offset(index) * tensor_->place_bits + bit;
  for (const std::int32_t p : tensor_->pieces) {
    const auto place =
        data_->pieces[static_cast<std::size_t>(p)].bit_of(index, bit);
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
  for (std::size_t k = 0; k < data_->axes.size(); ++k) {
    const std::int64_t pitch = data_->axes[k].pitch_bits;
    coordinates[k] = pitch == 0 ? 0 : bit / pitch;
    bit -= coordinates[k] * pitch;
  }
}

std::int64_t Layout::offset_of_coordinates(
    std::span<const std::int64_t> coordinates) const noexcept {
  std::int64_t bits = 0;
  for (std::size_t k = 0; k < data_->axes.size(); ++k) {
    bits += coordinates[k] * data_->axes[k].pitch_bits;
  }
  return bits / tensor_->place_bits;
}

Found Layout::find(std::int64_t bit,
                   std::span<std::int64_t> index) const noexcept {
  Found padding;
  for (std::size_t p = 0; p < data_->pieces.size(); ++p) {
    const detail::Piece& piece = data_->pieces[p];
    const auto t = static_cast<std::size_t>(piece.tensor);
    const detail::TensorData& tensor = data_->tensors[t];
    if (tensor.tensor.elements == 0) continue;
    Found found =
        detail::find(piece, data_->inverses[p], tensor.dims, bit, index);
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
  const Found found = find(offset * tensor_->place_bits, index);
  const bool other = found.tensor >= 0 && found.tensor != tensor_->number;
  return other ? Place::other : found.place;
}

bool operator==(const Layout& a, const Layout& b) {
  if (a.tensor() != b.tensor()) return false;
  return a.data_ == b.data_ ||
         (a.data_->shape == b.data_->shape &&
          a.data_->binding.element_bits == b.data_->binding.element_bits &&
          a.data_->binding.tables == b.data_->binding.tables &&
          a.expression() == b.expression());
}

}  // namespace stridewise
