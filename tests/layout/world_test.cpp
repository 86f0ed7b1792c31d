// The laws of the whole model: on the collection of layouts that people use, and on random
// layouts of the whole grammar.
// SPDX-License-Identifier: Apache-2.0
#include "support/world.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "stridewise/offsets.hpp"
#include "support/definition.hpp"

namespace stridewise::testing {
namespace {

using Index = std::vector<std::int64_t>;

// Every bit of memory is one thing, every bit of an element is somewhere, and both
// directions agree. Returns what is wrong.
std::string broken_law(const Layout& whole) {
  std::map<std::int64_t, std::int64_t>
      held;  // bits of elements, copies included
  Index index(32);
  for (std::int64_t bit = 0; bit < whole.size_bits(); ++bit) {
    const Found found = whole.find(bit, index);
    if (found.place != Place::element) continue;
    const Tensor& tensor =
        whole.tensors()[static_cast<std::size_t>(found.tensor)];
    const Layout part = *whole.part(tensor.name);
    const Index at(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(
                                                      tensor.shape.size()));
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (at[d] < 0 || at[d] >= tensor.shape[d].extent) return "index outside";
    }
    if (found.copy == 0 && part.bit_of(at, found.bit) != bit) {
      return fmt::format("bit {} is not that of its element", bit);
    }
    if (found.copy == 0) ++held[found.tensor];
  }
  for (std::size_t t = 0; t < whole.tensors().size(); ++t) {
    const Tensor& tensor = whole.tensors()[t];
    const Layout part = *whole.part(tensor.name);
    const std::int64_t all = tensor.elements * tensor.element_bits;
    if (held[static_cast<std::int64_t>(t)] != all) {
      return fmt::format("{} of {} bits of elements are found",
                         held[static_cast<std::int64_t>(t)], all);
    }
    std::string wrong;
    for_each_index(tensor.shape, [&](const Index& x) {
      for (std::int64_t b = 0; b < tensor.element_bits; ++b) {
        const std::int64_t bit = part.bit_of(x, b);
        if (bit < 0 || bit >= whole.size_bits()) wrong = "bit outside";
        const Found found = whole.find(bit, index);
        if (found.place != Place::element || found.bit != b ||
            found.tensor != static_cast<std::int32_t>(t) ||
            !std::equal(x.begin(), x.end(), index.begin())) {
          wrong = fmt::format("the inverse of bit {} is another", bit);
        }
      }
    });
    if (!wrong.empty()) return wrong;
  }
  return {};
}

TEST(World, BothDirectionsOfEveryLayout) {
  for (const WorldEntry& entry : world()) {
    const Layout layout = layout_of(entry);
    EXPECT_TRUE(layout.valid())
        << entry.name << ": " << layout.defect()->message;
    EXPECT_FALSE(layout.unfindable()) << entry.name;
    EXPECT_EQ(broken_law(layout), "") << entry.name << ": " << entry.expression;
  }
}

// Extents that no digit divides.
TEST(World, BothDirectionsOnOtherExtents) {
  for (WorldEntry entry : world()) {
    if (!entry.binding.tables.empty()) continue;
    for (Dim& dim : entry.shape) {
      dim.extent = std::max<std::int64_t>(dim.extent / 2, 1) + 1;
    }
    const Result<Layout> layout = Layout::bind(
        *parse_expression(entry.expression), entry.shape, entry.binding);
    // What swizzles needs its power of two; slices need what they slice.
    if (!layout || !layout->valid()) continue;
    EXPECT_EQ(broken_law(*layout), "")
        << entry.name << ": " << print(entry.shape);
  }
}

RC_GTEST_PROP(WorldLaws, RandomLayoutsOfTheWholeGrammar, ()) {
  const Shape shape = random_shape();
  const std::string text = random_text(shape);
  const std::int64_t bits = random_element_bits();
  RC_LOG() << text << " of " << print(shape) << ", " << bits << " bits";
  const Result<Expression> expression = parse_expression(text);
  RC_ASSERT(expression.has_value());
  RC_ASSERT(*parse_expression(print(*expression)) == *expression);
  const Result<Layout> layout =
      Layout::bind(*expression, shape, Binding{.element_bits = bits});
  if (!layout) RC_LOG() << "  " << layout.error().message;
  RC_ASSERT(layout.has_value());
  RC_PRE(layout->size_bits() < 1 << 20);
  if (!layout->valid()) RC_LOG() << "  " << layout->defect()->message;
  RC_ASSERT(layout->valid());
  const std::string wrong = broken_law(*layout);
  RC_LOG() << "  " << wrong;
  RC_ASSERT(wrong.empty());
}

// Of each bit of each element, by the definition.
std::string undefined_place(const Expression& expression, const Shape& shape,
                            const Binding& binding, const Layout& whole) {
  Definition definition(expression, shape, binding);
  std::string wrong;
  for (const Tensor& tensor : whole.tensors()) {
    const Layout part = *whole.part(tensor.name);
    for_each_index(tensor.shape, [&](const Index& own) {
      // The first index of the whole shape that the own one stands for.
      Index index(shape.size(), 0);
      for (std::size_t d = 0; d < own.size(); ++d) {
        const std::string& name = tensor.shape[d].name;
        const std::size_t slash = name.find('/');
        const auto dim =
            std::ranges::find(shape, name.substr(0, slash), &Dim::name);
        index[static_cast<std::size_t>(dim - shape.begin())] =
            own[d] * (slash == std::string::npos
                          ? 1
                          : std::stoll(name.substr(slash + 1)));
      }
      for (std::int64_t b = 0; b < tensor.element_bits; ++b) {
        const auto place = definition.bit_of(index, b, tensor.name);
        if (!place || *place != part.bit_of(own, b)) {
          wrong =
              fmt::format("bit {} of an element of '{}' is at {}, not {}", b,
                          tensor.name, place.value_or(-1), part.bit_of(own, b));
        }
      }
    });
  }
  if (whole.elements() > 0 && definition.size_bits() != whole.size_bits()) {
    wrong = fmt::format("{} bits, not {}", definition.size_bits(),
                        whole.size_bits());
  }
  return wrong;
}

TEST(World, EveryLayoutByTheDefinition) {
  for (const WorldEntry& entry : world()) {
    const Expression expression = *parse_expression(entry.expression);
    EXPECT_EQ(undefined_place(expression, entry.shape, entry.binding,
                              layout_of(entry)),
              "")
        << entry.name;
  }
}

RC_GTEST_PROP(WorldLaws, RandomLayoutsByTheDefinition, ()) {
  const Shape shape = random_shape();
  const std::string text = random_text(shape);
  const Binding binding{.element_bits = random_element_bits()};
  RC_LOG() << text << " of " << print(shape) << ", " << binding.element_bits;
  const Expression expression = *parse_expression(text);
  const Layout layout = *Layout::bind(expression, shape, binding);
  const std::string wrong = undefined_place(expression, shape, binding, layout);
  RC_LOG() << wrong;
  RC_ASSERT(wrong.empty());
}

// The numbers in bulk are those that are asked one by one.
RC_GTEST_PROP(WorldLaws, OffsetsInBulk, ()) {
  const Shape shape = random_shape();
  const bool plain = in_range(0, 1) == 0;
  const std::int64_t bits = random_element_bits();
  const Layout layout =
      plain ? random_valid_layout(shape, 1 + bits / 8)
            : *Layout::bind(*parse_expression(random_digits_text(shape)), shape,
                            Binding{.element_bits = bits});
  const Offsets offsets = *Offsets::make(layout, OffsetUnit::bit);
  std::vector<std::int64_t> all(static_cast<std::size_t>(offsets.count()));
  offsets.fill(0, all);
  const std::int64_t per_element =
      offsets.count() / std::max<std::int64_t>(layout.elements(), 1);
  std::size_t k = 0;
  for_each_index(shape, [&](const Index& index) {
    for (std::int64_t b = 0; b < per_element; ++b) {
      RC_ASSERT(all[k++] == layout.bit_of(index, b));
    }
  });
  // From anywhere, so many.
  const std::int64_t first = in_range(0, offsets.count() - 1);
  std::vector<std::int64_t> some(
      static_cast<std::size_t>(in_range(0, offsets.count() - first)));
  offsets.fill(first, some);
  RC_ASSERT(std::equal(some.begin(), some.end(), all.begin() + first));
}

}  // namespace
}  // namespace stridewise::testing
