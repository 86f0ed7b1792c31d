// Layouts from tensors whose values repeat: int8, ternary, 4-bit codes.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "stridewise/catalogue.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using Bytes = std::vector<std::byte>;
using Outcome = InferReport::Outcome;

enum class Values { int8, ternary, nibble };

const char* name_of(Values values) {
  return values == Values::int8      ? "int8"
         : values == Values::ternary ? "ternary"
                                     : "4-bit";
}

// Standard normal values, quantised.
Bytes normal(std::int64_t count, Values values, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw;
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& b : bytes) {
    const double x = draw(random);
    const double q = values == Values::int8
                         ? std::clamp(std::round(30 * x), -128.0, 127.0)
                     : values == Values::ternary
                         ? (x > 0.5    ? 1.0
                            : x < -0.5 ? -1.0
                                       : 0.0)
                         : std::clamp(std::round(2.5 * x), -8.0, 7.0);
    b = static_cast<std::byte>(static_cast<std::int8_t>(q));
  }
  return bytes;
}

Layout plain(const Shape& shape) {
  Axis axis;
  for (const Dim& dim : shape) axis.terms.push_back(Term{{dim.name}, {}});
  return *Layout::bind(Expression{{axis}}, shape, 1);
}

Layout layout_of(const std::string& text, const std::string& shape) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape(shape, source.dims), 1);
}

Bytes dump_of(const Layout& layout, const Bytes& reference) {
  Bytes dump(static_cast<std::size_t>(layout.size_bytes()));
  reorder_reference(plain(layout.shape()), layout, reference.data(),
                    dump.data());
  return dump;
}

InferReport report_of(const Layout& layout, const Bytes& reference,
                      const Bytes& dump) {
  const InferPair pair{reference, dump};
  return *infer({&pair, 1}, InferOptions{layout.shape(), 1, false});
}

// Empty when one of the fits is this function.
std::string wrong(const InferReport& report, const Layout& layout) {
  std::string text = report.reason;
  for (const InferFit& fit : report.fits) {
    bool same = true;
    testing::for_each_index(layout.shape(), [&](const auto& index) {
      same = same &&
             fit.layout.offset(index) - fit.start_byte == layout.offset(index);
    });
    if (same) return "";
    text += " found " + print(fit.layout.expression());
  }
  if (report.best) text += " near " + print(report.best->layout.expression());
  return text;
}

struct Case {
  const char* layout;
  const char* small;  // 7,777 elements or some more
  const char* large;  // some 30,000
};

// What users have of layouts that no catalogue names, and nested tags.
const std::vector<Case>& cases() {
  static const std::vector<Case> cases = {
      {"r/32 c/32 r%32/16 c%32/16 r%16 c%16", "r=77,c=101", "r=173,c=175"},
      {"c/32 r/8 r%2 c%32/8 c%8/4 r%8/2 c%4", "r=77,c=101", "r=173,c=175"},
      {"m/128 k/4 m%32 m%128/32 k%4", "m=131,k=61", "m=300,k=101"},
      {"nHWC8h2w32c2w", "n=1,c=40,h=13,w=15", "n=1,c=70,h=21,w=21"},
      {"r/8 c/128 r%8/2 c%128 r%2", "r=37,c=213", "r=150,c=203"},
      {"k/16 n/64 n%8 k%8/2 n%64/16 k%2 n%16/8 k%16/8", "k=80,n=130",
       "k=144,n=210"},
      {"AB2a2b16a16b", "a=77,b=101", "a=173,b=175"},
      {"c/16 r/16 r%16 c%16", "r=77,c=101", "r=173,c=175"},
      {"c/32 r/16 r%16 c%32", "r=77,c=101", "r=173,c=175"},
      {"n/32 k/32 k%32/2 n%32 k%2", "n=77,k=101", "n=173,k=175"},
      {"OIhw4i16o4i", "o=37,i=30,h=3,w=3", "o=66,i=51,h=3,w=3"},
      {"nChw32c", "n=2,c=70,h=9,w=7", "n=2,c=70,h=15,w=15"},
      {"n c/4 w h c%4", "n=2,c=70,h=9,w=7", "n=2,c=70,h=15,w=15"},
      {"k n/8 n%2 n%8/2", "k=61,n=130", "k=171,n=176"},
  };
  return cases;
}

// Instrumented programs take ten times as long: there a part of the cases will do, as all of
// them run in the build that is not.
bool slow() { return std::getenv("STRIDEWISE_SLOW") != nullptr; }

TEST(Repeating, NestedBlocks) {
  int passed_over = 0;
  for (const Case& c : cases()) {
    if (slow() && ++passed_over % 3 != 0) continue;
    for (const Values values :
         {Values::int8, Values::ternary, Values::nibble}) {
      if (slow() && values != Values::int8) continue;
      const Layout layout =
          layout_of(c.layout, values == Values::int8 ? c.small : c.large);
      const Bytes reference = normal(layout.elements(), values, 3);
      const InferReport report =
          report_of(layout, reference, dump_of(layout, reference));
      EXPECT_EQ(wrong(report, layout), "")
          << c.layout << " " << name_of(values) << " of " << layout.elements();
      EXPECT_EQ(report.matching, layout.elements());
    }
  }
}

// Dims in any order, with one or two blocks each, of which no name knows.
TEST(Repeating, LayoutsThatNoNameHas) {
  std::mt19937 random(11);
  const auto below = [&](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  for (int n = 0; n < (slow() ? 4 : 20); ++n) {
    const int dims = 2 + below(3);
    // Extents of some 7,777 to 30,000 elements that blocks do not divide.
    const std::vector<std::vector<int>> extents = {
        {147, 201}, {11, 53, 51}, {3, 37, 15, 17}};
    std::vector<std::string> inner;
    std::vector<std::string> outer;
    std::string shape;
    for (int d = 0; d < dims; ++d) {
      const std::string name(1, static_cast<char>('p' + d));
      const int extent = extents[static_cast<std::size_t>(dims - 2)]
                                [static_cast<std::size_t>(d)];
      shape += (d == 0 ? "" : ",") + name + "=" + std::to_string(extent);
      const int blocks = extent < 12 ? 0 : 1 + below(2);
      const int small = 2 << below(3);
      const int large = small * (2 << below(2));
      if (blocks == 0) {
        outer.push_back(name);
      } else if (blocks == 1) {
        outer.push_back(name + "/" + std::to_string(small));
        inner.push_back(name + "%" + std::to_string(small));
      } else {
        outer.push_back(name + "/" + std::to_string(large));
        inner.push_back(name + "%" + std::to_string(large) + "/" +
                        std::to_string(small));
        inner.push_back(name + "%" + std::to_string(small));
      }
    }
    std::shuffle(outer.begin(), outer.end(), random);
    std::shuffle(inner.begin(), inner.end(), random);
    outer.insert(outer.end(), inner.begin(), inner.end());
    std::string text;
    for (const std::string& digit : outer) {
      text += (text.empty() ? "" : " ") + digit;
    }
    for (const Values values :
         {Values::int8, Values::ternary, Values::nibble}) {
      const Layout layout = layout_of(text, shape);
      const Bytes reference = normal(layout.elements(), values, 3);
      const InferReport report =
          report_of(layout, reference, dump_of(layout, reference));
      EXPECT_EQ(wrong(report, layout), "")
          << text << " of " << shape << ", " << name_of(values);
    }
  }
}

// Every plain entry of the catalogue, for sizes that fill no tile.
TEST(Repeating, EveryPlainEntry) {
  int tried = 0;
  int passed_over = 0;
  for (const CatalogueEntry& entry : catalogue()) {
    const bool needs_numbers =
        std::ranges::any_of(entry.params, [](const CatalogueParam& param) {
          return param.default_value.empty();
        });
    if (entry.dims.empty() || needs_numbers) continue;
    const LayoutSource source = *resolve_layout(entry.name);
    Shape shape;
    for (const std::string& dim : entry.dims) {
      static const std::vector<std::vector<std::int64_t>> extents = {
          {7777},         {77, 101},        {21, 37, 13},
          {3, 37, 7, 11}, {3, 37, 5, 5, 7}, {2, 3, 37, 5, 3, 5}};
      const std::size_t rank = std::min<std::size_t>(entry.dims.size(), 6);
      const bool one = entry.name.starts_with("mace.") && dim == "m";
      const bool few =
          entry.name.find("HWC4") != std::string::npos && dim == "c";
      const std::int64_t extent =
          extents[rank - 1][std::min<std::size_t>(shape.size(), rank - 1)];
      shape.push_back({dim, one ? 1 : few ? 3 : extent});
    }
    const Result<Layout> layout = source.bind(shape, 1);
    if (!layout || !layout->plain() || !layout->valid()) continue;
    if (slow() && ++passed_over % 16 != 0) continue;
    for (const Values values : {Values::int8, Values::ternary}) {
      const Bytes reference = normal(layout->elements(), values, 3);
      const InferReport report =
          report_of(*layout, reference, dump_of(*layout, reference));
      EXPECT_EQ(wrong(report, *layout), "")
          << entry.name << " " << name_of(values) << " of " << print(shape);
      ++tried;
    }
  }
  EXPECT_GT(tried, slow() ? 5 : 100);
}

}  // namespace
}  // namespace stridewise
