// Names, parameters and preconditions of the catalogue.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/catalogue.hpp"

#include <gmock/gmock.h>

#include <set>

#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using ::testing::HasSubstr;

std::string expression(std::string_view text) {
  const Result<LayoutSource> source = resolve_layout(text);
  return source ? print(source->expression)
                : "error: " + source.error().message;
}

std::string bound(std::string_view text, std::string_view shape,
                  std::int64_t element_bytes = 4) {
  const Result<LayoutSource> source = resolve_layout(text);
  if (!source) return "error: " + source.error().message;
  const Result<Layout> layout =
      source->bind(*parse_shape(shape, source->dims), element_bytes);
  return layout ? print(layout->expression())
                : "error: " + layout.error().message;
}

TEST(Catalogue, EveryEntryBindsWithItsDefaults) {
  std::set<std::string_view> names;
  for (const CatalogueEntry& entry : catalogue()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.source.empty());
    EXPECT_FALSE(entry.summary.empty());
    if (entry.name == "onednn.TAG") continue;
    std::string text(entry.name);
    std::string given;
    for (const CatalogueParam& param : entry.params) {
      EXPECT_FALSE(param.doc.empty());
      if (!param.default_value.empty()) continue;
      // Nested strides for mli.strided, one column a channel for okk.matrix.
      given += std::string(given.empty() ? "(" : ",") +
               std::string(param.name) +
               (param.name == "hstride" ? "=8" : "=2");
    }
    if (!given.empty()) text += given + ")";
    const Result<LayoutSource> source = resolve_layout(text);
    ASSERT_TRUE(source) << source.error().to_string();
    Shape shape;
    for (const std::string_view dim : entry.dims) {
      shape.push_back(
          {std::string(dim), dim == "m" && entry.dims.size() == 4 ? 1 : 2});
    }
    for (const std::int64_t width : {1, 2, 4}) {
      const Result<Layout> layout = source->bind(shape, width);
      if (!layout) {
        EXPECT_THAT(layout.error().message, HasSubstr("-mode holds"));
        continue;
      }
      EXPECT_TRUE(layout->valid()) << layout->defect()->message;
      EXPECT_EQ(layout->elements(), *element_count(shape));
    }
  }
  EXPECT_GE(names.size(), 30U);
}

TEST(Catalogue, FillsInParameters) {
  EXPECT_EQ(expression("okk.aligned(npus=64,start=2)"),
            "npu=(c+2)%64 |524288B| offset=n (c+2)/64:^128B h w");
  EXPECT_EQ(expression("okk.compact(addr=1048672)"),
            "npu=(c+2)%64 |524288B| offset=@96B n (c+2)/64 h w");
  EXPECT_EQ(expression("okk.compact(4, 1024, 1)"),
            "npu=(c+1)%4 |1024B| offset=n (c+1)/4 h w");
  EXPECT_EQ(expression("okk.strided(nstride=120,wstride=2)"),
            "npu=c%64 |524288B| offset=n:120 c/64 h w:2");
  EXPECT_EQ(expression("okk.4n(base=compact)"),
            "npu=c%64 |524288B| offset=n/4 c/64 h w n%4");
  EXPECT_EQ(expression("okk.4n"),
            "npu=c%64 |524288B| offset=n/4 c/64:^128B h w n%4");
  EXPECT_EQ(expression("okk.matrix(npus=4,w=15,start=1)"),
            "npu=(m+15)%60/15 |524288B| offset=r (m+15)/60:^128B (m+15)%15");
  EXPECT_EQ(bound("okk.compact(addr=96)", "2x3x4x5"),
            "npu=c%64 |524288B| offset=@24 n c/64 h w");
}

TEST(Catalogue, RefusesWhatTheVendorsRefuse) {
  EXPECT_THAT(bound("mace.depthwise", "2x5x2x3"),
              HasSubstr("multiplier m must be 1"));
  EXPECT_THAT(bound("okk.aligned(addr=132)", "1x1x1x1"),
              HasSubstr("divisible by 128 (addr%128 is 4)"));
  EXPECT_THAT(bound("okk.compact(addr=2)", "1x1x1x1", 1),
              HasSubstr("divisible by 4"));
  EXPECT_THAT(bound("okk.compact(npus=4,npu_bytes=1024,addr=4096)", "1x1x1x1"),
              HasSubstr("must lie in local memory"));
  EXPECT_THAT(bound("okk.aligned(start=64)", "1x1x1x1"),
              HasSubstr("start must be an NPU"));
  EXPECT_THAT(bound("okk.compact(npus=4,npu_bytes=1024,addr=512)", "2x4x8x9"),
              HasSubstr("each npu takes 1088 bytes, more than the 1024"));
  EXPECT_THAT(bound("okk.matrix(w=41)", "2x40"), HasSubstr("w must be in"));
  EXPECT_THAT(bound("okk.matrix(w=0)", "2x40"), HasSubstr("at least 1"));
  EXPECT_THAT(bound("okk.4n", "4x1x1x1", 4), HasSubstr("1 byte"));
  EXPECT_THAT(bound("okk.2n", "4x1x1x1", 1), HasSubstr("2 bytes"));
  EXPECT_THAT(bound("okk.2ic", "4x1x1x1", 2), HasSubstr("4 bytes"));
  EXPECT_THAT(bound("okk.4n(base=aligned,addr=4)", "4x1x1x1", 1),
              HasSubstr("divisible by 128"));
  EXPECT_THAT(bound("okk.4n(base=compact,addr=4)", "4x1x1x1", 1),
              HasSubstr("offset=@4 "));
  EXPECT_THAT(bound("mli.strided(hstride=11,wstride=4)", "2x3x4"),
              HasSubstr("each mem_stride must be at least"));
  EXPECT_THAT(bound("mli.strided(hstride=12,wstride=4)", "2x3x4"),
              HasSubstr("h:12 w:4 c:1"));
}

TEST(Catalogue, UnknownNamesSuggestTheNearest) {
  EXPECT_THAT(expression("mace.chanel"), HasSubstr("'mace.channel'?"));
  EXPECT_THAT(expression("okk.alligned(start=2)"), HasSubstr("okk.aligned"));
  EXPECT_THAT(expression("nchv"), HasSubstr("'nchw'?"));
  EXPECT_THAT(expression("nCHw16c"), HasSubstr("'nChw16c'?"));
  EXPECT_THAT(expression("onednn.nChw16"), HasSubstr("'onednn.nChw16c'?"));
  EXPECT_THAT(expression("okk.aligned(strat=2)"), HasSubstr("mean start?"));
  EXPECT_THAT(expression("okk.4n(base=aligend)"),
              HasSubstr("one of aligned, compact"));
}

TEST(Catalogue, ParameterErrors) {
  EXPECT_THAT(expression("okk.matrix"), HasSubstr("needs w"));
  EXPECT_THAT(expression("okk.aligned(start=1,addr=128)"),
              HasSubstr("start or addr, not both"));
  EXPECT_THAT(expression("okk.aligned(start=1,start=2)"),
              HasSubstr("given twice"));
  EXPECT_THAT(expression("okk.aligned(1,2,3,4,5)"),
              HasSubstr("takes 4 parameters"));
  EXPECT_THAT(expression("mace.channel(1)"), HasSubstr("takes no parameters"));
  EXPECT_THAT(expression("okk.aligned(npus=0)"), HasSubstr("at least 1"));
  EXPECT_THAT(expression("okk.aligned(start=1"), HasSubstr("',' or ')'"));
  EXPECT_THAT(expression("okk.aligned()x"), HasSubstr("expected the end"));
  EXPECT_THAT(expression("okk.aligned(npu_bytes=9223372036854775807,start=3)"),
              HasSubstr("overflows"));
}

TEST(Catalogue, WordsAreTagsUnlessTheyAreDims) {
  EXPECT_EQ(expression("nc"), "n c");
  EXPECT_EQ(expression("onednn.nc"), "n c");
  EXPECT_EQ(expression("q"), "q");
  EXPECT_THAT(expression("batch"), HasSubstr("unknown layout"));
  const std::vector<std::string> dims = {"batch"};
  EXPECT_EQ(print(resolve_layout("batch", dims)->expression), "batch");
}

TEST(Catalogue, PositionalDimsTakeTheOthersNames) {
  LayoutSource a = *resolve_layout("nchw");
  LayoutSource b = *resolve_layout("aBcd8b");
  align_dims(a, b);
  EXPECT_EQ(print(b.expression), "n c/8 h w c%8");
  LayoutSource c = *resolve_layout("abc");
  align_dims(a, c);
  EXPECT_EQ(print(c.expression), "a b c");
}

}  // namespace
}  // namespace stridewise
