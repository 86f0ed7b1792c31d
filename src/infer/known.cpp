// SPDX-License-Identifier: Apache-2.0
#include "infer/known.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "infer/natural.hpp"
#include "infer/places.hpp"
#include "layout/index.hpp"

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

// The places of the dump that hold the value of the first element; none where they are many.
std::vector<std::int64_t> places_of_first(const InferData& data) {
  constexpr std::size_t most = 16;
  std::vector<std::int64_t> places;
  for (std::int64_t at = 0; at < data.dump_bytes() / data.width(); ++at) {
    if (!data.equal(0, at * data.width())) continue;
    if (places.size() == most) return {};
    places.push_back(at);
  }
  return places;
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
  std::int64_t values = 0;
  for (std::int64_t e = 0; e < elements; ++e) {
    values += table.add(data.reference_key(e)) ? 1 : 0;
  }
  if (8 * values < elements || table.scan(data, 0) < values) {
    return std::nullopt;
  }
  KnownPlaces known(data, dims);
  known.strides_ = strides_of(dims.shape);
  known.places_.reserve(static_cast<std::size_t>(elements));
  std::int64_t found = 0;
  for (std::int64_t e = 0; e < elements; ++e) {
    const std::int64_t byte = table.place(data.reference_key(e));
    known.places_.push_back(byte < 0 ? unknown : byte / data.width());
    found += byte < 0 ? 0 : 1;
  }
  if (8 * found < elements) return std::nullopt;
  known.complete_ = found == elements;
  if (known.place(0) != unknown) {
    known.first_places_ = {known.place(0)};
  } else {
    known.first_places_ = places_of_first(data);
  }
  known.draw_samples();
  return known;
}

void KnownPlaces::draw_samples() {
  Sequence random;  // an answer does not depend on chance
  for (int k = 0; k < 16 * sample_count && std::ssize(samples_) < sample_count;
       ++k) {
    const std::int64_t element = random.below(elements());
    if (place(element) != unknown) samples_.push_back(element);
  }
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
    steps.push_back(step(x * strides_[d]));
  }
  return steps;
}

std::vector<std::int64_t> KnownPlaces::voted_line(std::size_t d) const {
  std::vector<std::int64_t> steps = line(d);
  const std::int64_t extent = shape()[d].extent;
  Sequence random;
  for (std::int64_t x = 1; x < extent; ++x) {
    std::int64_t& told = steps[static_cast<std::size_t>(x)];
    for (int k = 0; k < sample_count && told == unknown; ++k) {
      // The same element at index 0 and at x.
      const std::int64_t other = random.below(elements());
      const std::int64_t zero = other - index(other, d) * strides_[d];
      const std::int64_t at = zero + x * strides_[d];
      if (place(zero) == unknown || place(at) == unknown) continue;
      told = place(at) - place(zero);
    }
  }
  return steps;
}

bool KnownPlaces::additive() const {
  std::vector<std::vector<std::int64_t>> lines;
  for (std::size_t d = 0; d < shape().size(); ++d) {
    lines.push_back(voted_line(d));
  }
  return std::ranges::all_of(samples_, [&](std::int64_t element) {
    std::int64_t sum = place(0);
    for (std::size_t d = 0; d < shape().size(); ++d) {
      const std::int64_t along =
          lines[d][static_cast<std::size_t>(index(element, d))];
      if (along == unknown) return true;
      sum += along;
    }
    return place(element) == sum;
  });
}

bool KnownPlaces::explained_by(const Layout& layout) const {
  const std::int64_t bits = 8 * dims_->element_bytes;
  std::vector<std::int64_t> index(shape().size(), 0);
  for (std::int64_t e = 0; e < elements(); ++e) {
    const std::int64_t bit = layout.bit_of(index);
    if (place(e) != unknown) {
      if (bit != place(e) * bits) return false;
    } else if (bit % 8 != 0 || bit + bits > 8 * dump_bytes_ ||
               !data_->equal(e, bit / 8)) {
      return false;
    }
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
  const std::optional<Layout> layout = bind_digits(
      std::move(terms), std::move(fused), 0, shape(), dims_->element_bytes);
  return layout ? fit(*layout, {}) : std::nullopt;
}

}  // namespace stridewise::inference
