// SPDX-License-Identifier: Apache-2.0
#include "inspect/beyond.hpp"

#include <algorithm>
#include <utility>

#include "layout/exact.hpp"

namespace stridewise::inspect {
namespace {

using Extents = std::vector<std::int64_t>;

// The same memory with a dim at a time made larger, as far as no two elements meet.
// nullopt: there is no such dim.
std::optional<Layout> enlarged(const Layout& layout, const Shape& from,
                               const Extents& extents) {
  const Expression exact = exact_expression(layout);
  Shape shape = from;
  std::optional<Layout> larger;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (extents[d] <= shape[d].extent) continue;
    Shape tried = shape;
    tried[d].extent = extents[d];
    Result<Layout> bound = Layout::bind(exact, tried, layout.element_bytes());
    if (!bound || !bound->valid()) continue;
    shape = std::move(tried);
    larger = *std::move(bound);
  }
  return larger;
}

// Extents that are whole blocks of the largest kind.
Extents whole_blocks(const Layout& layout) {
  Extents extents;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    std::int64_t block = 1;
    std::int64_t bias = 0;
    for (const BoundTerm& term : layout.terms()) {
      if (term.dim == static_cast<std::int32_t>(d) && term.mod != 0 &&
          term.div * term.mod > block) {
        block = term.div * term.mod;
        bias = term.bias % block;
      }
    }
    const std::int64_t extent = layout.shape()[d].extent;
    extents.push_back((extent + bias + block - 1) / block * block - bias);
  }
  return extents;
}

// Extents that go on to where the next slower digit steps.
Extents up_to_strides(const Layout& layout) {
  Extents extents(layout.shape().size(), 0);
  std::vector<BoundTerm> terms;
  for (const BoundTerm& term : layout.terms()) {
    if (term.extent > 1) terms.push_back(term);
  }
  std::ranges::sort(terms, {}, &BoundTerm::flat_stride);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const BoundTerm& term = terms[k];
    if (term.mod != 0 || term.flat_stride < 1) continue;
    const std::int64_t next =
        k + 1 < terms.size() ? terms[k + 1].flat_stride : layout.places();
    extents[static_cast<std::size_t>(term.dim)] =
        next / term.flat_stride * term.div - term.bias;
  }
  return extents;
}

}  // namespace

Beyond::Beyond(const Layout& layout) : layout_(layout) {
  blocks_ = enlarged(layout, layout.shape(), whole_blocks(layout));
  gaps_ = enlarged(layout, shape(Room::block), up_to_strides(layout));
}

const Shape& Beyond::shape(Room room) const {
  if (room == Room::gap && gaps_) return gaps_->shape();
  if (room != Room::nowhere && blocks_) return blocks_->shape();
  return layout_.shape();
}

Room Beyond::find(std::int64_t place, std::vector<std::int64_t>& index) const {
  const auto is_of = [&](const std::optional<Layout>& larger) {
    return larger && place < larger->places() &&
           larger->element_at(place, index) == Place::element;
  };
  if (is_of(blocks_)) return Room::block;
  if (is_of(gaps_)) return Room::gap;
  return Room::nowhere;
}

}  // namespace stridewise::inspect
