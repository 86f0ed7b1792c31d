// The laws of the model on random layouts, each against brute force.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "stridewise/layout.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {
namespace {

using Index = std::vector<std::int64_t>;

std::string describe(const Layout& layout) {
  return print(layout.expression()) + " of " + print(layout.shape());
}

// offset() by the definition, with no code of the library but the digits.
std::int64_t byte_by_definition(const Layout& layout, const Index& index) {
  std::int64_t byte = 0;
  for (std::size_t a = 0; a < layout.axes().size(); ++a) {
    std::int64_t coordinate = layout.axes()[a].base;
    for (const BoundTerm& term : layout.terms()) {
      if (term.axis != static_cast<std::int32_t>(a)) continue;
      std::int64_t v =
          (index[static_cast<std::size_t>(term.dim)] + term.bias) / term.div;
      if (term.mod != 0) v %= term.mod;
      coordinate += v * term.stride;
    }
    byte += coordinate * layout.axes()[a].pitch_bytes;
  }
  return byte;
}

RC_GTEST_PROP(Laws, OffsetIsTheDefinition, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, random_element_bytes());
  RC_LOG() << describe(layout);
  for_each_index(shape, [&](const Index& index) {
    RC_ASSERT(layout.offset(index) * layout.element_bytes() ==
              byte_by_definition(layout, index));
  });
}

RC_GTEST_PROP(Laws, InverseOfEveryPlace, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, random_element_bytes());
  RC_LOG() << describe(layout);
  RC_ASSERT(layout.valid());
  std::set<std::int64_t> taken;
  Index back(shape.size());
  for_each_index(shape, [&](const Index& index) {
    const std::int64_t offset = layout.offset(index);
    RC_ASSERT(offset >= 0 && offset < layout.places());
    RC_ASSERT(layout.element_at(offset, back) == Place::element);
    RC_ASSERT(back == index);
    taken.insert(offset);
  });
  for (std::int64_t place = 0; place < layout.places(); ++place) {
    const bool element = layout.element_at(place, back) == Place::element;
    RC_ASSERT(element == taken.contains(place));
  }
}

RC_GTEST_PROP(Laws, CoordinatesAddUpToTheOffset, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, random_element_bytes());
  RC_LOG() << describe(layout);
  Index at(layout.axes().size());
  for_each_index(shape, [&](const Index& index) {
    layout.coordinates_of(index, at);
    for (std::size_t a = 0; a < at.size(); ++a) {
      RC_ASSERT(at[a] >= 0 && at[a] < layout.axes()[a].extent);
    }
    RC_ASSERT(layout.offset_of_coordinates(at) == layout.offset(index));
  });
}

// valid() says exactly what enumeration says, for layouts that are mostly bad.
RC_GTEST_PROP(Laws, ValidMeansNoTwoElementsShareAPlace, ()) {
  const Shape shape = random_shape();
  const Expression expression = arbitrary_expression(shape);
  const Result<Layout> layout = Layout::bind(expression, shape, 1);
  RC_ASSERT(layout.has_value());
  RC_PRE(layout->places() < 1 << 16);  // digits that repeat a dim can be vast
  RC_LOG() << describe(*layout);
  RC_PRE(layout->valid() || layout->defect()->code != ErrorCode::unsupported);
  std::set<std::int64_t> taken;
  bool distinct = true;
  for_each_index(shape, [&](const Index& index) {
    distinct = taken.insert(layout->offset(index)).second && distinct;
  });
  RC_ASSERT(layout->valid() == distinct);
  if (!distinct) return;
  Index back(shape.size());
  for_each_index(shape, [&](const Index& index) {
    RC_ASSERT(layout->element_at(layout->offset(index), back) ==
              Place::element);
    RC_ASSERT(back == index);
  });
  for (std::int64_t place = 0; place < layout->places(); ++place) {
    RC_ASSERT((layout->element_at(place, back) == Place::element) ==
              taken.contains(place));
  }
}

}  // namespace
}  // namespace stridewise::testing
