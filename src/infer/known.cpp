// SPDX-License-Identifier: Apache-2.0
#include "infer/known.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "infer/natural.hpp"
#include "infer/places.hpp"

namespace stridewise::inference {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 22;
constexpr std::int64_t most_places = 4 * most_elements;
constexpr int sample_count = 64;

// Steps to the next element of each dim, in elements of the reference.
std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d].extent;
  }
  return strides;
}

// The next index in logical order.
void advance(std::vector<std::int64_t>& index, const Shape& shape) {
  for (std::size_t d = index.size(); d-- > 0;) {
    if (++index[d] < shape[d].extent) return;
    index[d] = 0;
  }
}

}  // namespace

std::optional<KnownPlaces> KnownPlaces::find(const InferData& data,
                                             const Dims& dims,
                                             std::int64_t elements) {
  const std::int64_t places = data.dump_bytes() / data.width();
  if (elements == 0 || elements > most_elements || places > most_places) {
    return std::nullopt;
  }
  PlaceTable table(elements);
  for (std::int64_t e = 0; e < elements; ++e) table.add(data.reference_key(e));
  if (!table.distinct() || table.scan(data, 0) < elements) return std::nullopt;
  KnownPlaces known(dims, data.dump_bytes());
  known.strides_ = strides_of(dims.shape);
  known.places_.reserve(static_cast<std::size_t>(elements));
  for (std::int64_t e = 0; e < elements; ++e) {
    const std::int64_t byte = table.place(data.reference_key(e));
    if (byte < 0) return std::nullopt;
    known.places_.push_back(byte / data.width());
  }
  Sequence random;  // an answer does not depend on chance
  for (int k = 0; k < sample_count; ++k) {
    known.samples_.push_back(random.below(elements));
  }
  return known;
}

std::string KnownPlaces::free_name(std::string name) const {
  while (std::ranges::find(shape(), name, &Dim::name) != shape().end()) {
    name += "_";
  }
  return name;
}

std::vector<std::int64_t> KnownPlaces::line(std::size_t d) const {
  std::vector<std::int64_t> steps;
  for (std::int64_t x = 0; x < shape()[d].extent; ++x) {
    steps.push_back(place(x * strides_[d]) - place(0));
  }
  return steps;
}

bool KnownPlaces::additive() const {
  return std::ranges::all_of(samples_, [&](std::int64_t element) {
    std::int64_t sum = place(0);
    for (std::size_t d = 0; d < shape().size(); ++d) {
      sum += place(index(element, d) * strides_[d]) - place(0);
    }
    return place(element) == sum;
  });
}

bool KnownPlaces::explained_by(const Layout& layout) const {
  const std::int64_t bits = 8 * dims_->element_bytes;
  std::vector<std::int64_t> index(shape().size(), 0);
  for (const std::int64_t place : places_) {
    if (layout.bit_of(index) != place * bits) return false;
    advance(index, shape());
  }
  return true;
}

std::optional<InferFit> KnownPlaces::fit(const Result<Layout>& layout,
                                         std::vector<std::string> names) const {
  if (!layout || !layout->valid() || layout->unreadable() ||
      layout->tensors().size() != 1 || layout->shape() != shape() ||
      !explained_by(*layout)) {
    return std::nullopt;
  }
  const std::int64_t more = dump_bytes_ - layout->size_bytes();
  return InferFit{.layout = *layout,
                  .names = std::move(names),
                  .trailing_bytes = std::max<std::int64_t>(more, 0),
                  .missing_bytes = std::max<std::int64_t>(-more, 0)};
}

std::optional<InferFit> KnownPlaces::fit(std::vector<Term> terms,
                                         std::vector<FusedIndex> fused) const {
  // A dim of one index has no stride of its own.
  const auto pace = [](const Term& term) {
    return std::pair(term.stride.kind == Step::Kind::natural,
                     term.stride.value);
  };
  std::ranges::stable_sort(terms, std::ranges::greater{}, pace);
  Expression expression;
  expression.fused = std::move(fused);
  expression.axes.push_back({.terms = std::move(terms)});
  const auto bound = [&] {
    return Layout::bind(expression, shape(), dims_->element_bytes);
  };
  const Result<Layout> exact = bound();
  if (!exact) return std::nullopt;
  const std::vector<LayoutPiece> pieces = exact->pieces();
  std::vector<Term>& digits = expression.axes.front().terms;
  if (pieces.size() != 1 || pieces.front().digits.size() != digits.size()) {
    return std::nullopt;
  }
  hide_natural_strides(digits, pieces.front().digits);
  return fit(bound(), {});
}

}  // namespace stridewise::inference
