// Layouts that are more than plain digits, from a probe and its dump.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>

#include "stridewise/catalogue.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {
namespace {

using ::testing::Contains;
using Bytes = std::vector<std::byte>;
using Outcome = InferReport::Outcome;

Layout bound(const std::string& text, const std::string& shape) {
  return *resolve_layout(text)->bind(*parse_shape(shape), 4);
}

InferReport through(const Layout& layout,
                    const Catalogue& names = catalogue()) {
  Bytes reference(static_cast<std::size_t>(layout.elements()) * 4);
  for (std::int64_t k = 0; k < layout.elements(); ++k) {
    const auto number = static_cast<std::int32_t>(k + 1);
    std::memcpy(reference.data() + 4 * k, &number, 4);
  }
  Bytes dump(static_cast<std::size_t>(layout.size_bytes()));
  reorder_reference(*row_major(layout, 32), layout, reference.data(),
                    dump.data());
  const InferPair pair{reference, dump};
  InferOptions options{layout.shape(), 4};
  options.names = names;
  return *infer(std::span(&pair, 1), options);
}

// Empty where the layout found has each element where the other has it.
std::string wrong(const InferReport& report, const Layout& layout) {
  if (report.outcome != Outcome::one) return "none: " + report.reason;
  const Layout& found = report.fits.at(0).layout;
  std::string text;
  for_each_index(layout.shape(), [&](const std::vector<std::int64_t>& index) {
    if (found.bit_of(index) != layout.bit_of(index)) {
      text = print(found.expression());
    }
  });
  return text;
}

TEST(InferBeyond, DimsThatRunBackwards) {
  for (const auto& [text, shape] : {std::pair{"h ~w c", "h=5,w=7,c=3"},
                                    {"~h w ~c", "h=5,w=7,c=3"},
                                    {"o i ~h ~w", "o=4,i=3,h=3,w=3"},
                                    {"b := ~c; n b/8 h b%8", "n=2,c=20,h=3"},
                                    {"~x", "x=11"}}) {
    const Layout layout = bound(text, shape);
    EXPECT_EQ(wrong(through(layout), layout), "") << text;
  }
  EXPECT_EQ(
      print(
          through(bound("h ~w c", "h=5,w=7,c=3")).fits[0].layout.expression()),
      "h ~w c");
}

TEST(InferBeyond, NamesOfTheCatalogue) {
  for (const auto& [text, shape] :
       {std::pair{"image.bgr", "h=5,w=7,c=3"},
        {"ascend.FRACTAL_Z_C04", "n=20,c=3,h=3,w=3"},
        {"tma.swizzle-128B", "r=16,c=32"},
        {"tt.interleaved", "h=70,w=100"},
        {"gpu.mali-u-interleaved", "y=20,x=35"},
        {"llm.rope-interleaved", "h=3,r=8,c=5"}}) {
    const Layout layout = bound(text, shape);
    const InferReport report = through(layout);
    ASSERT_EQ(wrong(report, layout), "") << text;
  }
  EXPECT_THAT(through(bound("tma.swizzle-128B", "r=16,c=32")).fits[0].names,
              Contains("tma.swizzle-128B"));
}

TEST(InferBeyond, BitsThatAreXored) {
  const Catalogue none;  // not by name
  for (const auto& [text, shape, expression] :
       {std::tuple{"r c/8^r%8 c%8", "r=16,c=64", "r c/8^r%8 c%8"},
        {"r c/8^r%4 c%8", "r=16,c=64", ""},
        {"y/4 x/4 y%4/2^x%4/2 x%4/2 y%2^x%2 x%2", "y=8,x=8", ""},
        {"a b/2^a%8 ~b%2", "a=8,b=16", ""},
        {"a:64 b^a%16", "a=16,b=16", ""}}) {
    const Layout layout = bound(text, shape);
    const InferReport report = through(layout, none);
    EXPECT_EQ(wrong(report, layout), "") << text;
    if (*expression != '\0') {
      EXPECT_EQ(print(report.fits.at(0).layout.expression()), expression);
    }
  }
}

TEST(InferBeyond, DigitsThatRunBackwards) {
  for (const auto& [text, shape] : {std::pair{"n k/2 ~k%2", "n=3,k=8"},
                                    {"n k/2 ~k%2", "n=3,k=96"},
                                    {"n k/32 k%16 ~k%32/16", "n=3,k=96"},
                                    {"n k/2 ~k%2", "n=3,k=7"},
                                    {"n k/8 ~k%8/2 k%2", "n=4,k=24"},
                                    {"h ~w/4 w%4", "h=8,w=12"},
                                    {"~k/4 n k%4", "n=12,k=80"},
                                    {"n k/8 ~k%2 ~k%8/4 k%4/2", "n=3,k=32"},
                                    {"n k%40 ~k/40", "n=3,k=80"}}) {
    const Layout layout = bound(text, shape);
    const InferReport report = through(layout, Catalogue());
    ASSERT_EQ(wrong(report, layout), "") << text;
    EXPECT_EQ(print(report.fits.at(0).layout.expression()), text);
  }
}

TEST(InferBeyond, DigitsThatAnotherDimTwists) {
  for (const auto& [text, shape] :
       {std::pair{"n/8 k/4 k%4-n%4 n%8", "n=11,k=13"},
        {"n/8 k/4 k%4+n%4 n%8", "n=16,k=12"},
        {"r c%64/8^r%8 c%8", "r=20,c=64"},
        {"r c/8^r%4 c%8", "r=10,c=64"},
        {"r c-r", "r=6,c=12"},
        {"r c+r%4", "r=40,c=12"},
        {"b r c+r+b", "b=3,r=10,c=12"},
        {"b r c/8^r%8^b%8 c%8", "b=5,r=12,c=64"},
        {"b y x%16+y/2%4 x/16", "b=3,y=10,x=48"}}) {
    const Layout layout = bound(text, shape);
    ASSERT_TRUE(layout.valid()) << text;
    EXPECT_EQ(wrong(through(layout, Catalogue()), layout), "") << text;
  }
}

TEST(InferBeyond, DimsThatCountAsOne) {
  for (const auto& [text, shape] :
       {std::pair{"k := c/4 h w c%4; k/16 n/16 n%16 k%16", "n=20,c=3,h=3,w=3"},
        {"k := c/16 h w c%16; k/16 n/16 n%16 k%16", "n=20,c=40,h=3,w=3"},
        {"p := h w; n p/32 c p%32", "n=2,c=5,h=7,w=9"},
        {"p := h/32 w/32; p%12 p/12 h%32 w%32", "h=130,w=200"},
        {"k := i h w; o/8 k/4 o%8 k%4", "o=10,i=3,h=3,w=3"}}) {
    const Layout layout = bound(text, shape);
    ASSERT_TRUE(layout.valid()) << text;
    EXPECT_EQ(wrong(through(layout, Catalogue()), layout), "") << text;
  }
}

// Pages in an order that no digits say: what is in the dump is not told to be missing.
TEST(InferBeyond, ADumpThatHasAllIsNotHalfExplained) {
  Binding binding{.element_bits = 32, .tables = {{"T", {7, 2, 5, 0, 3, 6}}}};
  const Layout layout = *resolve_layout("kv.vllm-paged-key")
                             ->bind(*parse_shape("b=2,h=3,s=40,d=16"), binding);
  EXPECT_EQ(through(layout).outcome, Outcome::none);
}

TEST(InferBeyond, WhatIsNoneOfThemIsNotFound) {
  const InferReport report = through(bound("x<3,1,4,0,2>", "x=5"), Catalogue());
  EXPECT_EQ(report.outcome, Outcome::none);
  EXPECT_FALSE(report.reason.empty());
}

}  // namespace
}  // namespace stridewise::testing
