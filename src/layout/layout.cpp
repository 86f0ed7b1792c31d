// The read-only face of a bound layout, and its forward direction.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/layout.hpp"

#include <algorithm>
#include <utility>

#include "layout/data.hpp"

namespace stridewise {

Layout::Layout(std::shared_ptr<const detail::LayoutData> data)
    : data_(std::move(data)) {}

const Expression& Layout::expression() const { return data_->expression; }
const Shape& Layout::shape() const { return data_->shape; }
std::int64_t Layout::element_bytes() const { return data_->element_bytes; }
std::span<const BoundAxis> Layout::axes() const { return data_->axes; }
std::span<const BoundTerm> Layout::terms() const { return data_->terms; }
std::int64_t Layout::elements() const { return data_->elements; }
std::int64_t Layout::places() const { return data_->places; }
std::int64_t Layout::size_bytes() const {
  return data_->places * data_->element_bytes;
}
const std::optional<Error>& Layout::defect() const { return data_->defect; }
std::int64_t Layout::base_offset() const noexcept { return data_->base_offset; }

bool Layout::dense() const {
  if (elements() != places() || !valid()) return false;
  std::int64_t stride = 1;
  for (auto term = terms().rbegin(); term != terms().rend(); ++term) {
    if (term->extent > 1 && term->flat_stride != stride) return false;
    stride *= std::max<std::int64_t>(term->extent, 1);
  }
  return true;
}

std::int64_t Layout::offset(
    std::span<const std::int64_t> index) const noexcept {
  std::int64_t place = data_->base_offset;
  for (const detail::FlatTerm& term : data_->flat_terms) {
    place += term.value(index[static_cast<std::size_t>(term.dim)]) *
             term.flat_stride;
  }
  return place;
}

void Layout::coordinates_of(
    std::span<const std::int64_t> index,
    std::span<std::int64_t> coordinates) const noexcept {
  for (std::size_t k = 0; k < data_->axes.size(); ++k) {
    coordinates[k] = data_->axes[k].base;
  }
  for (std::size_t k = 0; k < data_->terms.size(); ++k) {
    const detail::FlatTerm& term = data_->flat_terms[k];
    coordinates[static_cast<std::size_t>(data_->terms[k].axis)] +=
        term.value(index[static_cast<std::size_t>(term.dim)]) *
        data_->terms[k].stride;
  }
}

std::int64_t Layout::offset_of_coordinates(
    std::span<const std::int64_t> coordinates) const noexcept {
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < data_->axes.size(); ++k) {
    bytes += coordinates[k] * data_->axes[k].pitch_bytes;
  }
  return bytes / data_->element_bytes;
}

bool operator==(const Layout& a, const Layout& b) {
  return a.data_ == b.data_ ||
         (a.shape() == b.shape() && a.element_bytes() == b.element_bytes() &&
          a.expression() == b.expression());
}

}  // namespace stridewise
