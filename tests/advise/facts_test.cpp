// The facts of layouts against a walk over all their places, which knows no digits.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "stridewise/advise.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"
#include "support/grammar.hpp"

namespace stridewise::testing {
namespace {

using Index = std::vector<std::int64_t>;

std::vector<Index> indices(const Shape& shape) {
  std::vector<Index> all = {{}};
  for (const Dim& dim : shape) {
    std::vector<Index> longer;
    for (const Index& index : all) {
      for (std::int64_t x = 0; x < dim.extent; ++x) {
        longer.push_back(index);
        longer.back().push_back(x);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The bits of the elements that differ in one dim alone, in its order.
std::map<Index, std::vector<std::int64_t>> lines(const Layout& layout,
                                                 std::size_t dim) {
  std::map<Index, std::vector<std::int64_t>> all;
  for (const Index& index : indices(layout.shape())) {
    Index line = index;
    line[dim] = 0;
    all[line].push_back(layout.bit_of(index));
  }
  return all;
}

std::int64_t runs(const Layout& layout) {
  std::set<std::int64_t> bits;
  for (const Index& index : indices(layout.shape())) {
    bits.insert(layout.bit_of(index));
  }
  return std::ranges::count_if(bits, [&](std::int64_t bit) {
    return !bits.contains(bit - layout.element_bits());
  });
}

std::int64_t longest_run(const Layout& layout, std::size_t dim) {
  std::int64_t longest = 1;
  for (const auto& [first, line] : lines(layout, dim)) {
    for (std::size_t from = 0; from < line.size(); ++from) {
      std::size_t to = from + 1;
      while (to < line.size() &&
             line[to] == line[to - 1] + layout.element_bits()) {
        ++to;
      }
      longest = std::max(longest, static_cast<std::int64_t>(to - from));
    }
  }
  return longest;
}

// Loads of so many lanes, each from the first element that none has yet.
std::int64_t loads(std::vector<std::int64_t> line, std::int64_t bits) {
  std::int64_t count = 0;
  std::ranges::sort(line);
  while (!line.empty()) {
    const std::int64_t end = line.front() + bits;
    std::erase_if(line, [&](std::int64_t bit) { return bit < end; });
    ++count;
  }
  return count;
}

// Of each box that begins at multiples of its extents, the turns of its busiest bank.
template <class BankAndWord>
ConflictFacts conflicts(const Layout& layout, const Index& box,
                        BankAndWord where) {
  std::map<Index, std::set<std::pair<std::int64_t, std::int64_t>>> boxes;
  for (const Index& index : indices(layout.shape())) {
    Index number = index;
    for (std::size_t d = 0; d < box.size(); ++d) number[d] /= box[d];
    boxes[number].insert(where(index));
  }
  std::int64_t worst = 0, sum = 0;
  for (const auto& [number, words] : boxes) {
    std::map<std::int64_t, std::int64_t> turns;
    for (const auto& [bank, word] : words) ++turns[bank];
    std::int64_t most = 0;
    for (const auto& [bank, count] : turns) most = std::max(most, count);
    worst = std::max(worst, most);
    sum += most;
  }
  return {worst, static_cast<double>(sum) / static_cast<double>(boxes.size())};
}

Access random_access(const Shape& shape) {
  Access access;
  access.vector_dim =
      shape[static_cast<std::size_t>(
                in_range(0, static_cast<std::int64_t>(shape.size()) - 1))]
          .name;
  access.vector_lanes = in_range(1, 9);
  if (in_range(0, 1) == 0) return access;
  for (const Dim& dim : shape) {
    if (in_range(0, 1) == 0) access.box.push_back({dim.name, in_range(1, 4)});
  }
  return access;
}

Index box_of(const Shape& shape, const Access& access) {
  Index box(shape.size(), 1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    for (const Dim& dim : access.box) {
      if (dim.name == shape[d].name) box[d] = dim.extent;
    }
    if (access.box.empty() && shape[d].name == access.vector_dim) {
      box[d] = access.vector_lanes;
    }
  }
  return box;
}

// All that a walk can tell of any layout.
void expect_facts(const Layout& layout, const LayoutFacts& facts,
                  const Chip& chip, const Access& access) {
  const std::int64_t bits = layout.elements() * layout.element_bits();
  RC_ASSERT(facts.element_bytes == (bits + 7) / 8);
  std::int64_t all_loads = 0, lanes = 0;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    RC_ASSERT(facts.dims[d].run == longest_run(layout, d));
    if (layout.shape()[d].name != access.vector_dim) continue;
    std::int64_t most = 0;
    for (const auto& [first, line] : lines(layout, d)) {
      const std::int64_t count =
          loads(line, access.vector_lanes * layout.element_bits());
      most = std::max(most, count);
      all_loads += count;
      lanes += static_cast<std::int64_t>(line.size());
    }
    RC_ASSERT(facts.vectors->per_line == most);
  }
  const double filled = static_cast<double>(lanes) /
                        static_cast<double>(all_loads * access.vector_lanes);
  RC_ASSERT(std::abs(facts.vectors->filled - filled) < 1e-12);
  const std::int64_t word =
      std::max(chip.bank_width_bytes * 8, 8 * layout.element_bytes());
  const std::int64_t banks =
      std::max<std::int64_t>(1, chip.banks * chip.bank_width_bytes * 8 / word);
  const ConflictFacts wanted =
      conflicts(layout, box_of(layout.shape(), access), [&](const Index& x) {
        const std::int64_t at = layout.bit_of(x) / word;
        return std::pair(at % banks, at);
      });
  RC_ASSERT(facts.conflicts->worst == wanted.worst);
  RC_ASSERT(std::abs(facts.conflicts->mean - wanted.mean) < 1e-9);
}

RC_GTEST_PROP(Facts, OfPlainLayoutsAreWhatAWalkCounts, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, random_element_bytes());
  RC_PRE(layout.elements() > 0 && layout.elements() < 3000);
  const Chip chip{.banks = in_range(1, 9),
                  .bank_width_bytes = 4 << in_range(0, 3)};
  const Access access = random_access(shape);
  const Result<LayoutFacts> facts = layout_facts(layout, chip, access);
  RC_ASSERT(facts.has_value());
  RC_ASSERT(facts->bytes == layout.size_bytes());
  expect_facts(layout, *facts, chip, access);
  RC_ASSERT(*facts->runs == runs(layout));
}

RC_GTEST_PROP(Facts, OfAnyLayoutAreWhatAWalkCounts, ()) {
  const Shape shape = random_shape();
  const auto drawn =
      random_layout(shape, in_range(0, 1) == 0 ? 8 : in_range(1, 16));
  RC_PRE(drawn.has_value());
  RC_PRE(drawn->layout.elements() > 0);
  RC_PRE(drawn->layout.elements() < 2000);
  RC_PRE(drawn->layout.valid());
  const bool apart =
      drawn->layout.tensors()[static_cast<std::size_t>(drawn->layout.tensor())]
          .bitwise;
  RC_LOG() << drawn->text << " of " << print(shape) << '\n';
  const Chip chip{.banks = in_range(1, 9), .bank_width_bytes = 4};
  const Access access = random_access(shape);
  const Result<LayoutFacts> facts = layout_facts(drawn->layout, chip, access);
  RC_ASSERT(facts.has_value());
  RC_ASSERT(facts->runs.has_value() == !apart);
  if (apart) return;
  expect_facts(drawn->layout, *facts, chip, access);
  RC_ASSERT(*facts->runs == runs(drawn->layout));
}

// Places of the padded box of digits, told apart by the padded indices.
RC_GTEST_PROP(Facts, PaddingByDimIsWhatTheRoundedTensorHasMore, ()) {
  const std::int64_t n = in_range(1, 3), c = in_range(1, 40),
                     h = in_range(1, 9), block = in_range(1, 16),
                     rows = in_range(1, 4);
  const Layout layout = *bind_layout(
      fmt::format("n h/{} c/{} h%{} c%{}", rows, block, rows, block),
      {{"n", n}, {"c", c}, {"h", h}}, 2);
  const std::int64_t all_c = (c + block - 1) / block * block;
  const std::int64_t all_h = (h + rows - 1) / rows * rows;
  std::int64_t past_c = 0, past_h = 0;
  for (std::int64_t x = 0; x < all_c; ++x) {
    for (std::int64_t y = 0; y < all_h; ++y) {
      past_c += x >= c ? n : 0;
      past_h += y >= h ? n : 0;
    }
  }
  const LayoutFacts facts = *layout_facts(layout);
  RC_ASSERT(facts.dims[0].padding_places == 0);
  RC_ASSERT(facts.dims[1].padding_places == past_c);
  RC_ASSERT(facts.dims[2].padding_places == past_h);
  RC_ASSERT(facts.waste_bytes() == 2 * (n * all_c * all_h - n * c * h));
}

RC_GTEST_PROP(Facts, DescriptorsReadEachElementOnce, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, 1);
  RC_PRE(layout.elements() > 0 && layout.elements() < 3000);
  std::int64_t before = layout.elements() + 1;
  for (std::int64_t dims = 1; dims < 6; ++dims) {
    const auto count = layout_facts(layout, {.dma_dims = dims})->descriptors;
    if (!count) return;
    // With one dim each run is one; more dims never need more descriptors.
    RC_ASSERT(*count >= 1 && *count <= before);
    if (dims == 1) RC_ASSERT(*count >= runs(layout));
    before = *count;
  }
}

// Elements of less than a byte are counted in bits.
TEST(Facts, OfNibbles) {
  const Layout rows =
      *Layout::bind(*parse_expression("a b:^16B"), {{"a", 3}, {"b", 31}},
                    Binding{.element_bits = 4});
  const Layout tight =
      *Layout::bind(*parse_expression("a b"), {{"a", 3}, {"b", 32}},
                    Binding{.element_bits = 4});
  EXPECT_EQ(layout_facts(tight)->row_alignment_bytes, 16);
  EXPECT_EQ(layout_facts(tight)->element_bytes, 48);
  const Chip chip{.banks = 4, .bank_width_bytes = 4};
  const Access row{.box = {{"b", 32}}};
  // 128 bits: four words, one in each bank.
  EXPECT_EQ(layout_facts(tight, chip, row)->conflicts->worst, 1);
  const Access column{.box = {{"a", 3}}};
  EXPECT_EQ(layout_facts(tight, chip, column)->conflicts->worst, 3);
  EXPECT_TRUE(rows.valid());
}

// A tile of rows with a pitch is a loop around a run; more dims take more loops.
TEST(Facts, DescriptorsOfKnownLayouts) {
  const auto descriptors = [](const char* text, const char* shape,
                              std::int64_t dims) {
    return layout_facts(*bind_layout(text, *parse_shape(shape), 4),
                        {.dma_dims = dims})
        ->descriptors;
  };
  const char* const shape = "n=2,c=3,h=5,w=7";
  EXPECT_EQ(descriptors("n c h w", shape, 1), 1);
  EXPECT_EQ(descriptors("n c h:8 w", shape, 1), 30);
  EXPECT_EQ(descriptors("n c h:8 w", shape, 2), 1);
  EXPECT_EQ(descriptors("n c:64 h:8 w", shape, 2), 5);
  EXPECT_EQ(descriptors("n c:64 h:8 w", shape, 3), 1);
}

// ------------------------------------------------------------------ banks ---

struct BankCase {
  Layout layout;
  Chip chip;
};

BankCase random_banks() {
  const std::int64_t npus = in_range(1, 9);
  const std::int64_t start = in_range(0, npus - 1);
  const char* const kind = in_range(0, 1) == 0 ? "aligned" : "compact";
  const Shape shape = {{"n", in_range(1, 3)},
                       {"c", in_range(1, 30)},
                       {"h", in_range(1, 5)},
                       {"w", in_range(1, 9)}};
  const std::string text =
      fmt::format("okk.{}(npus={},start={})", kind, npus, start);
  return {*bind_layout(text, shape, 4), {.bank_axis = "npu", .banks = npus}};
}

BankCase random_matrix() {
  const std::int64_t npus = in_range(1, 9), m = in_range(1, 90);
  const std::string text =
      fmt::format("okk.matrix(npus={},w={})", npus, in_range(1, m));
  return {*bind_layout(text, {{"r", in_range(1, 3)}, {"m", m}}, 4),
          {.bank_axis = "npu", .banks = npus}};
}

RC_GTEST_PROP(Facts, BanksHoldWhatAWalkFindsInThem, ()) {
  const BankCase drawn = in_range(0, 1) == 0 ? random_banks() : random_matrix();
  const Layout& layout = drawn.layout;
  Chip chip = drawn.chip;
  chip.row_alignment_bytes = in_range(0, 1) == 0 ? 0 : 128;
  chip.bank_width_bytes = in_range(0, 1) == 0 ? 0 : 16;
  const Access access = random_access(layout.shape());
  const LayoutFacts facts = *layout_facts(layout, chip, access);
  std::map<std::int64_t, std::int64_t> elements, ends;
  std::int64_t first = layout.places();
  for (const Index& index : indices(layout.shape())) {
    Index at(layout.axes().size());
    layout.coordinates_of(index, at);
    const std::int64_t place = layout.axes().back().pitch_bytes * at.back() / 4;
    ++elements[at.front()];
    first = std::min(first, place);
    ends[at.front()] = std::max(ends[at.front()], place + 1);
  }
  std::int64_t most = 0, furthest = 0;
  for (const auto& [bank, count] : elements) {
    most = std::max(most, count);
    furthest = std::max(furthest, ends[bank] - first);
  }
  RC_ASSERT(facts.banks->banks == chip.banks);
  RC_ASSERT(facts.banks->used == std::ssize(elements));
  RC_ASSERT(facts.banks->fullest_elements == most);
  const std::int64_t row = std::max<std::int64_t>(1, chip.row_alignment_bytes);
  RC_ASSERT(facts.banks->fullest_bytes == (4 * furthest + row - 1) / row * row);
  RC_ASSERT(facts.bytes == chip.banks * facts.banks->fullest_bytes);
  const ConflictFacts wanted =
      conflicts(layout, box_of(layout.shape(), access), [&](const Index& x) {
        Index at(layout.axes().size());
        layout.coordinates_of(x, at);
        const std::int64_t in_word = chip.bank_width_bytes > 0 ? 4 : 1;
        return std::pair(at.front(), at.back() / in_word);
      });
  RC_ASSERT(facts.conflicts->worst == wanted.worst);
  RC_ASSERT(std::abs(facts.conflicts->mean - wanted.mean) < 1e-9);
}

// ------------------------------------------------------------------- rows ---

RC_GTEST_PROP(Facts, RowsBeginWhereTheyAreSaidTo, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, random_element_bytes());
  RC_PRE(layout.elements() > 0 && layout.elements() < 3000);
  const LayoutFacts facts = *layout_facts(layout);
  // Along the dim of the least stride.
  std::size_t dim = shape.size();
  std::int64_t least = layout.places() + 1;
  for (const BoundTerm& term : layout.terms()) {
    if (term.extent > 1 && term.flat_stride != 0 && term.flat_stride < least) {
      least = term.flat_stride;
      dim = static_cast<std::size_t>(term.dim);
    }
  }
  std::int64_t common = 0;
  for (const Index& index : indices(shape)) {
    if (dim == shape.size() || index[dim] == 0) {
      common = std::gcd(common, layout.bit_of(index) / 8);
    }
  }
  RC_ASSERT(*facts.row_alignment_bytes == common);
}

// ----------------------------------------------------------------- limits ---

TEST(Facts, WhatDoesNotFitIsSaid) {
  const Layout layout = *bind_layout(
      "mace.channel", {{"n", 1}, {"h", 20000}, {"w", 3}, {"c", 6}}, 4);
  const Chip chip{.memory_bytes = 1000, .axes = {{"row", 16384}, {"pixel", 6}}};
  const LayoutFacts facts = *layout_facts(layout, chip);
  const std::vector<MissedLimit> missed = missed_limits(layout, facts, chip);
  ASSERT_EQ(missed.size(), 2);
  EXPECT_EQ(missed[0].limit, "memory_bytes");
  EXPECT_EQ(missed[1].limit, "row");
  EXPECT_EQ(missed[1].is, 20000);
  EXPECT_EQ(missed[1].most, 16384);
}

TEST(Facts, WhatIsNoAccess) {
  const Layout layout =
      *bind_layout("nchw", *parse_shape("n=1,c=3,h=5,w=7"), 4);
  EXPECT_EQ(layout_facts(layout, {}, {.vector_dim = "x", .vector_lanes = 4})
                .error()
                .code,
            ErrorCode::unknown_name);
  EXPECT_FALSE(layout_facts(layout, {}, {.vector_dim = "c"}));
  EXPECT_FALSE(layout_facts(layout, {}, {.box = {{"c", 0}}}));
  const Layout large = *bind_layout("ab", {{"a", 100}, {"b", 100}}, 4);
  EXPECT_FALSE(layout_facts(large, {}, {.box = {{"a", 100}, {"b", 100}}}));
}

TEST(Facts, OfATensorWithoutElements) {
  const Layout layout =
      *bind_layout("nchw", *parse_shape("n=1,c=0,h=5,w=7"), 4);
  const LayoutFacts facts = *layout_facts(layout);
  EXPECT_EQ(facts.bytes, 0);
  EXPECT_EQ(facts.waste_bytes(), 0);
}

}  // namespace
}  // namespace stridewise::testing
