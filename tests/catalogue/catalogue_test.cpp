// Names, parameters and preconditions of the catalogue.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/catalogue.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "catalogue/files.hpp"
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

// The entry with numbers for what has no default.
std::string call(const CatalogueEntry& entry) {
  std::string given;
  for (const CatalogueParam& param : entry.params) {
    EXPECT_FALSE(param.doc.empty());
    if (!param.default_value.empty()) continue;
    // Nested strides for mli.strided, two columns a channel for okk.matrix.
    given += (given.empty() ? "(" : ",") + param.name +
             (param.name == "hstride" ? "=8" : "=2");
  }
  return given.empty() ? entry.name : entry.name + given + ")";
}

Shape small_shape(const CatalogueEntry& entry) {
  Shape shape;
  for (const std::string& dim : entry.dims) {
    const bool multiplier = dim == "m" && entry.name.starts_with("mace.");
    const bool tail = entry.name == "torch.int4pack-cpu512" && dim == "n";
    const bool block =
        dim == "k" && (entry.name == "gguf.q4_K" || entry.name == "gguf.q5_K");
    shape.push_back({dim, multiplier ? 1 : tail ? 80 : block ? 256 : 2});
  }
  return shape;
}

// Types that no vendor's layout is for are refused in these words.
bool refuses_type(const std::string& message) {
  return message.find("-mode holds") != std::string::npos ||
         message.find("elements are of") != std::string::npos ||
         message.find("is not a multiple of") != std::string::npos ||
         message.find("does not divide") != std::string::npos ||
         message.find("least 1") != std::string::npos;
}

TEST(Catalogue, EveryEntryBindsWithItsDefaults) {
  std::set<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.source.empty());
    EXPECT_FALSE(entry.summary.empty());
    if (entry.name == "onednn.TAG") continue;
    const Result<LayoutSource> source = resolve_layout(call(entry));
    ASSERT_TRUE(source) << source.error().to_string();
    Binding binding;
    int bound = 0;
    for (const std::int64_t bits : {1, 2, 3, 4, 6, 8, 10, 12, 16, 32}) {
      binding.element_bits = bits;
      for (const std::string& table : source->expression.tables()) {
        binding.tables[table] = {0};
      }
      Result<Layout> layout = source->bind(small_shape(entry), binding);
      if (!layout && !binding.tables.empty()) {
        for (auto& [name, entries] : binding.tables) entries = {1, 0};
        layout = source->bind(small_shape(entry), binding);
      }
      if (!layout) {
        EXPECT_TRUE(refuses_type(layout.error().message))
            << bits << ": " << layout.error().message;
        continue;
      }
      ++bound;
      EXPECT_TRUE(layout->valid()) << layout->defect()->message;
      if (layout->tensors().size() > 1) continue;
      EXPECT_EQ(layout->elements(), *element_count(small_shape(entry)));
    }
    EXPECT_GT(bound, 0);
  }
  EXPECT_GE(names.size(), 150U);
}

TEST(Catalogue, FilesAreReadWhole) {
  std::size_t entries = 0;
  for (const CatalogueFile& file : catalogue_files()) {
    const Result<Catalogue> one = Catalogue::read(file.text, file.name);
    ASSERT_TRUE(one) << one.error().message;
    entries += one->entries().size();
  }
  EXPECT_EQ(entries, catalogue().entries().size());
}

TEST(Catalogue, DefaultsDependOnTheTypeAndTheSizes) {
  EXPECT_EQ(bound("ascend.NC1HWC0", "2x17x5x4", 1), "n c/32 h w c%32");
  EXPECT_EQ(bound("ascend.NC1HWC0", "2x17x5x4", 2), "n c/16 h w c%16");
  EXPECT_EQ(bound("ascend.NC1HWC0(c0=4)", "2x17x5x4", 2), "n c/4 h w c%4");
  EXPECT_EQ(bound("hpc.fftw-r2c-inplace", "5x9", 8), "i j%10");
  EXPECT_EQ(bound("nvdla.feature", "40x3x5", 1), "c/32:480B h:160B w c%32");
  EXPECT_EQ(bound("nvdla.feature(line=192,surface=640)", "40x3x5", 1),
            "c/32:640B h:192B w c%32");
  EXPECT_THAT(bound("ascend.NC1HWC0", "2x17x5x4", 64),
              HasSubstr("c0 = 256/element_bits is 0; it must be at least 1"));
}

const char* const chip = R"(
vendor = "acme"
title = "Acme NPU"

[params.block]
default = 8
doc = "channels side by side"
min = 1

[[layouts]]
name = "tile"
aliases = ["AT"]
summary = "feature map"
dims = "n c h w"
expression = "n c/${block} h w c%${block}"
params = ["block"]
checks = [{ that = "c < 1000", message = "up to 999 channels" }]
)";

TEST(Catalogue, ReadsFilesOfUsers) {
  const Result<Catalogue> own = Catalogue::read(chip, "acme.toml");
  ASSERT_TRUE(own) << own.error().message;
  const Result<Catalogue> all = catalogue().with(*own);
  ASSERT_TRUE(all);
  const Result<LayoutSource> source =
      resolve_layout("acme.tile(block=4)", {}, *all);
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(print(source->expression), "n c/4 h w c%4");
  EXPECT_EQ(source->entry->vendor, "Acme NPU");
  EXPECT_THAT(
      source->bind(*parse_shape("n=1,c=1000,h=1,w=1"), 1).error().message,
      HasSubstr("up to 999 channels"));
  EXPECT_FALSE(resolve_layout("acme.tile"));
  EXPECT_THAT(all->with(*own).error().message,
              HasSubstr("'acme.tile' already"));
  EXPECT_EQ(own->called("AT").size(), 1U);
  // What is resolved outlives the catalogue.
  const Result<LayoutSource> left =
      resolve_layout("acme.tile", {}, *Catalogue::read(chip, "acme.toml"));
  EXPECT_TRUE(left->bind(*parse_shape("n=1,c=9,h=1,w=1"), 1));
}

// The file above with one line in another's place.
std::string fault(std::string_view line, std::string_view by) {
  std::string text = chip;
  const std::size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  text.replace(at, line.size(), by);
  const Result<Catalogue> read = Catalogue::read(text, "acme.toml");
  return read ? "read" : read.error().message;
}

TEST(Catalogue, FaultsOfFilesNameTheLine) {
  EXPECT_EQ(fault("vendor", "vendro"),
            "acme.toml:2: unknown key 'vendro'; did you mean vendor?");
  EXPECT_THAT(fault("name = \"tile\"", ""), HasSubstr("'name' is missing"));
  EXPECT_THAT(fault("name = \"tile\"", "name = \"a tile\""),
              HasSubstr("acme.toml:10: name must be letters"));
  EXPECT_THAT(fault("= 8", "= [8]"), HasSubstr("acme.toml:6: 'default'"));
  EXPECT_THAT(fault("[\"block\"]", "[\"blok\"]"),
              HasSubstr("acme.toml:16: no [params.blok] in this file"));
  EXPECT_THAT(fault("c%${block}\"", "c%${block\""),
              HasSubstr("without its '}'"));
  EXPECT_THAT(fault("c%${block}\"", "c%${blok}\""),
              HasSubstr("'blok' has no value"));
  EXPECT_THAT(fault("c%${block}\"", "c%\""), HasSubstr("acme.tile: "));
  EXPECT_THAT(fault("n c h w\"\ne", "n c h\"\ne"),
              HasSubstr("dims are n c h, but its expression has c h n w"));
  EXPECT_THAT(fault("c < 1000", "c > 1000"), HasSubstr("'that' must be"));
  EXPECT_THAT(fault("c%${block}\"", "c%${block} ${:nosuch}\""),
              HasSubstr("no parameter 'nosuch'"));
  EXPECT_THAT(fault("c < 1000", "cc < 1000"), HasSubstr("'cc' has no value"));
  EXPECT_THAT(fault("message = \"up", "when = \"block=a\", message = \"up"),
              HasSubstr("no choice of a parameter"));
  EXPECT_THAT(fault("min = 1", "min = 1\nexcludes = \"x\""),
              HasSubstr("excludes x"));
  EXPECT_THAT(fault("[\"AT\"]", "[\"A.T\"]"), HasSubstr("alias 'A.T'"));
  EXPECT_THAT(fault("\"acme\"", "\"\""), HasSubstr("vendor must be"));
  EXPECT_THAT(fault("dims = \"n c h w\"", ""), HasSubstr("'dims' is missing"));
  EXPECT_THAT(
      fault("default = 8", "default = \"" + std::string(100, '(') + "\""),
      HasSubstr("too deeply"));
  std::string deep = "a";
  for (int k = 0; k < 100000; ++k) deep += ".a";
  EXPECT_FALSE(Catalogue::read("[" + deep + "]", "deep.toml"));
  // Where the parser takes for granted what a file may break.
  for (const char* key :
       {"[~", "[[\xc3\xa9]]", "[\"\xc3\xa9\"]", "\xc3\xa9 = 1",
        "\"\xc3\xa9\" = 1", "x.'\xc3\xa9'.y = 1", "x = 0\"\xc3\xa9", "x = [,",
        "x = [1,,2]", "\xff"}) {
    EXPECT_THAT(fault("[[layouts]]", key), HasSubstr("acme.toml:10: ")) << key;
  }
  EXPECT_EQ(fault("title = \"Acme NPU\"", "title = \"Acm\xc3\xa9\" # \xc3\xa9"),
            "read");
  EXPECT_THAT(fault("\"feature map\"", "\"one\\ntwo\""),
              HasSubstr("acme.toml:13: 'summary' must be one line"));
  EXPECT_THAT(fault("[[layouts]]", "[layouts]"),
              HasSubstr("each after [[layouts]]"));
  EXPECT_THAT(fault("\"acme\"", "\"acme"), HasSubstr("acme.toml:2: "));
  EXPECT_EQ(Catalogue::read("", "empty.toml").error().message,
            "empty.toml:1: 'vendor' is missing");
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
