// Layouts from data alone: what a reorder wrote must be recovered as a function
// that is equal for every element, and of the same size.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/infer.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;
using Outcome = InferReport::Outcome;

Layout plain(const Shape& shape, std::int64_t width) {
  Axis axis;
  for (const Dim& dim : shape) axis.terms.push_back(Term{{dim.name}, {}});
  return *Layout::bind(Expression{{axis}}, shape, width);
}

// What a program with that layout makes of a dense tensor.
Bytes dump_of(const Layout& layout, const Bytes& reference) {
  Bytes dump(static_cast<std::size_t>(layout.size_bytes()));
  reorder_reference(plain(layout.shape(), layout.element_bytes()), layout,
                    reference.data(), dump.data());
  return dump;
}

// Element k is the number k + 1, digit by digit where one file is too narrow.
std::vector<Bytes> distinct(std::int64_t elements, std::int64_t width) {
  std::vector<Bytes> files;
  const std::int64_t bytes = width >= 3 ? width : 4;
  for (std::int64_t file = 0; file * width < bytes; ++file) {
    Bytes reference(static_cast<std::size_t>(elements * width));
    for (std::int64_t k = 0; k < elements; ++k) {
      const std::int64_t number = (k + 1) >> (8 * width * file);
      std::memcpy(reference.data() + k * width, &number,
                  static_cast<std::size_t>(std::min<std::int64_t>(width, 8)));
    }
    files.push_back(std::move(reference));
  }
  return files;
}

std::vector<Bytes> probe_files(const Shape& shape, const ElementType& type) {
  const Probe probe = *Probe::make(shape, type);
  std::vector<Bytes> files;
  for (int k = 0; k < probe.files(); ++k) {
    Bytes file(static_cast<std::size_t>(probe.elements() * type.bytes()));
    probe.fill(k, 0, probe.elements(), file.data());
    files.push_back(std::move(file));
  }
  return files;
}

InferReport infer_files(const std::vector<Bytes>& references,
                        const std::vector<Bytes>& dumps, const Shape& shape,
                        std::int64_t width, bool positional = false) {
  std::vector<InferPair> pairs;
  for (std::size_t k = 0; k < references.size(); ++k) {
    pairs.push_back({references[k], dumps[k]});
  }
  Result<InferReport> report =
      infer(pairs, InferOptions{shape, width, positional});
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

InferReport through(const Layout& layout,
                    const std::vector<Bytes>& references) {
  std::vector<Bytes> dumps;
  for (const Bytes& reference : references) {
    dumps.push_back(dump_of(layout, reference));
  }
  return infer_files(references, dumps, layout.shape(), layout.element_bytes());
}

// Empty when both place every element alike, a's memory being from byte `start` on.
std::string offsets_differ(const Layout& a, const Layout& b,
                           std::int64_t start = 0) {
  std::string text;
  testing::for_each_index(a.shape(), [&](const auto& index) {
    if ((a.offset(index) - b.offset(index)) * b.element_bytes() != start) {
      text = "offsets";
    }
  });
  return text;
}

// Empty when they take as many bytes as well.
std::string difference(const Layout& a, const Layout& b) {
  if (a.size_bytes() != b.size_bytes()) {
    return "sizes " + std::to_string(a.size_bytes()) + " and " +
           std::to_string(b.size_bytes());
  }
  return offsets_differ(a, b);
}

// Empty when the report is this layout's function and nothing else.
std::string wrong(const InferReport& report, const Layout& layout,
                  Outcome expected = Outcome::one) {
  if (report.outcome != expected) return "outcome: " + report.reason;
  const InferFit& fit = report.fits.at(0);
  // Where blocks are cut by both ends of a dim, their size does not show, and the
  // simplest one may take more than was written.
  const bool cut = std::ranges::any_of(
      layout.terms(), [](const BoundTerm& term) { return term.bias != 0; });
  if (fit.missing_bytes != 0 && cut) {
    return offsets_differ(fit.layout, layout, fit.start_byte);
  }
  if (fit.missing_bytes != 0 || fit.trailing_bytes != 0) {
    return std::to_string(fit.missing_bytes) + " bytes missing, " +
           std::to_string(fit.trailing_bytes) + " too many for " +
           print(fit.layout.expression());
  }
  if (fit.start_byte != 0) {
    return "starts at " + std::to_string(fit.start_byte) + " of " +
           print(fit.layout.expression());
  }
  const std::string differs = difference(fit.layout, layout);
  if (!differs.empty()) {
    return differs + " of " + print(fit.layout.expression());
  }
  // What is printed is what was found.
  const Result<Expression> parsed =
      parse_expression(print(fit.layout.expression()));
  if (!parsed) return "not printable";
  return difference(
      *Layout::bind(*parsed, layout.shape(), layout.element_bytes()), layout);
}

Layout layout_of(const std::string& text, const std::string& shape,
                 std::int64_t width) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape(shape, source.dims), width);
}

RC_GTEST_PROP(Infer, RecoversRandomLayouts, ()) {
  const Shape shape = testing::random_shape();
  const std::int64_t width = testing::random_element_bytes();
  const Layout layout = testing::random_valid_layout(shape, width);
  RC_PRE(layout.valid());
  const InferReport report =
      through(layout, distinct(layout.elements(), width));
  const std::string what = wrong(report, layout);
  if (!what.empty()) {
    RC_FAIL(print(layout.expression()) + " of " + print(shape) + " and " +
            std::to_string(width) + " bytes: " + what);
  }
}

// A part of the dump, from any byte on: every element that lies within it is
// found where it is.
RC_GTEST_PROP(Infer, DumpsThatBeginAnywhere, ()) {
  const Shape shape = testing::random_shape();
  const std::int64_t width = *rc::gen::element<std::int64_t>(2, 4, 8);
  const Layout layout = testing::random_valid_layout(shape, width);
  RC_PRE(layout.valid());
  RC_PRE(layout.elements() >= 16);
  const std::vector<Bytes> references = distinct(layout.elements(), width);
  const std::int64_t size = layout.size_bytes();
  const std::int64_t cut = testing::in_range(1, size / 3);
  std::vector<Bytes> dumps;
  for (const Bytes& reference : references) {
    Bytes dump = dump_of(layout, reference);
    dump.erase(dump.begin(), dump.begin() + cut);
    dumps.push_back(std::move(dump));
  }
  const InferReport report = infer_files(references, dumps, shape, width);
  std::int64_t present = 0;
  std::set<std::pair<std::size_t, std::int64_t>> seen;
  testing::for_each_index(shape, [&](const auto& index) {
    if (layout.offset(index) * width < cut) return;
    ++present;
    for (std::size_t d = 0; d < index.size(); ++d) seen.emplace(d, index[d]);
  });
  // An index that is nowhere in the dump may be anywhere before it, and what
  // stands for it may contradict the rest.
  std::size_t indices = 0;
  for (const Dim& dim : shape) indices += static_cast<std::size_t>(dim.extent);
  RC_PRE(present >= 8);
  RC_PRE(seen.size() == indices);
  if (report.outcome != Outcome::one) {
    RC_FAIL(print(layout.expression()) + " of " + print(shape) + " and " +
            std::to_string(width) + " bytes from " + std::to_string(cut) +
            ": " + report.reason);
  }
  const InferFit& fit = report.fits.at(0);
  RC_ASSERT(report.present == report.matching);
  testing::for_each_index(shape, [&](const auto& index) {
    const std::int64_t byte = layout.offset(index) * width - cut;
    if (byte < 0) return;
    if (fit.layout.offset(index) * width - fit.start_byte != byte) {
      RC_FAIL(print(layout.expression()) + " of " + print(shape) + " and " +
              std::to_string(width) + " bytes from " + std::to_string(cut) +
              ": " + print(fit.layout.expression()) + " from " +
              std::to_string(fit.start_byte));
    }
  });
}

struct Case {
  const char* layout;
  const char* shape;
};

// Every entry of the catalogue, with parameters beside the defaults.
const std::vector<Case>& catalogue_cases() {
  static const std::vector<Case> cases = {
      {"nchw", "2x17x5x4"},
      {"nhwc", "2x17x5x4"},
      {"nChw8c", "2x17x5x4"},
      {"nChw16c", "2x17x5x4"},
      {"nChw16c", "2x5x5x4"},
      {"OIhw4i16o4i", "40x17x3x3"},
      {"OIhw16i16o", "20x35x3x2"},
      {"gOIhw4i16o4i", "2x20x18x3x3"},
      {"aBcd16b", "2x17x5x4"},
      {"onednn.strided(nstride=400,cstride=20,wstride=1,hstride=4)",
       "2x17x5x4"},
      {"mace.channel", "2x17x5x4"},
      {"mace.height", "2x3x5x4"},
      {"mace.width", "2x3x5x7"},
      {"mace.argument", "w=10"},
      {"mace.filter", "6x5x3x3"},
      {"mace.filter-2018", "6x5x3x3"},
      {"mace.weight-height", "6x5x3x3"},
      {"mace.weight-width", "6x5x3x3"},
      {"mace.depthwise", "1x6x3x3"},
      {"mace.buffer-filter", "6x5x3x3"},
      {"mace.buffer-depthwise", "1x6x3x3"},
      {"mli.hwc", "5x4x17"},
      {"mli.chw", "5x4x17"},
      {"mli.hwcn", "3x3x5x7"},
      {"mli.hw1n", "3x3x7"},
      {"mli.nchw", "7x5x3x3"},
      {"mli.nhwc", "7x5x3x3"},
      {"mli.strided(hstride=80,wstride=18)", "5x4x17"},
      {"okk.continuous", "2x17x5x4"},
      {"okk.strided-system(nstride=400)", "2x17x5x4"},
      {"okk.aligned(npus=4,npu_bytes=4096)", "2x7x5x4"},
      {"okk.aligned(npus=4,npu_bytes=4096,start=2)", "2x7x5x4"},
      {"okk.aligned(npus=8,npu_bytes=4096,start=6)", "2x3x5x4"},
      {"okk.aligned(npus=4,npu_bytes=4096,addr=8448)", "2x7x5x4"},
      {"okk.compact(npus=4,npu_bytes=4096,start=1)", "2x7x5x4"},
      {"okk.compact(npus=4,npu_bytes=4096,addr=4196)", "2x9x5x4"},
      {"okk.strided(npus=4,npu_bytes=8192,start=1,nstride=300,cstride=60,"
       "hstride=9,wstride=2)",
       "2x9x5x4"},
      {"okk.matrix(npus=4,npu_bytes=4096,w=15)", "2x40"},
      {"okk.matrix(npus=4,npu_bytes=4096,w=6,start=3)", "3x40"},
      {"okk.4n(npus=4,npu_bytes=4096)", "6x5x4x5"},
      {"okk.4n(npus=4,npu_bytes=4096,start=2,base=compact)", "6x5x4x5"},
      {"okk.2n(npus=4,npu_bytes=4096)", "5x5x4x5"},
      {"okk.2ic(npus=4,npu_bytes=4096,start=1)", "5x6x3x3"},
      {"okk.4n-system", "6x5x4x5"},
      {"okk.2n-system", "5x5x4x5"},
      {"okk.2ic-system", "5x6x3x3"},
  };
  return cases;
}

// Every plain entry of the catalogue by its name, for sizes that fill no tile.
TEST(Infer, RecoversEveryPlainEntry) {
  int tried = 0;
  for (const CatalogueEntry& entry : catalogue()) {
    const bool needs_numbers =
        std::ranges::any_of(entry.params, [](const CatalogueParam& param) {
          return param.default_value.empty();
        });
    // The local memory of an NPU is half a megabyte: cases above have smaller ones.
    if (entry.dims.empty() || needs_numbers || entry.name.starts_with("okk.")) {
      continue;
    }
    const LayoutSource source = *resolve_layout(entry.name);
    Shape shape;
    std::int64_t extent = entry.dims.size() > 3 ? 3 : 67;
    for (const std::string& dim : entry.dims) {
      const bool one = entry.name.starts_with("mace.") && dim == "m";
      const bool few =
          entry.name.find("HWC4") != std::string::npos && dim == "c";
      shape.push_back({dim, one ? 1 : few ? 3 : extent});
      extent = extent == 3 ? 37 : extent == 37 ? 5 : extent + 5;
    }
    for (const std::int64_t width : {4, 2, 1}) {
      const Result<Layout> layout = source.bind(shape, width);
      if (!layout || !layout->plain() || !layout->valid()) continue;
      const ElementType type = *parse_element_type(width == 4   ? "f32"
                                                   : width == 2 ? "u16"
                                                                : "u8");
      const std::vector<Bytes> references = probe_files(shape, type);
      const InferReport report = through(*layout, references);
      EXPECT_EQ(wrong(report, *layout), "") << entry.name;
      if (report.fits.empty()) continue;
      EXPECT_THAT(report.fits[0].names, Contains(entry.name));
      ++tried;
      break;
    }
  }
  EXPECT_GT(tried, 80);
}

TEST(Infer, RecoversTheCatalogueByName) {
  for (const Case& c : catalogue_cases()) {
    const LayoutSource source = *resolve_layout(c.layout);
    const Shape shape = *parse_shape(c.shape, source.dims);
    int bound = 0;
    for (const char* dtype : {"f32", "f16", "s8"}) {
      const ElementType type = *parse_element_type(dtype);
      // Packed modes are of one width.
      const Result<Layout> layout = source.bind(shape, type.bytes());
      if (!layout) continue;
      ++bound;
      const std::vector<Bytes> references = probe_files(shape, type);
      const InferReport report = through(*layout, references);
      EXPECT_EQ(wrong(report, *layout), "") << c.layout << " " << dtype;
      if (report.fits.empty()) continue;
      const InferFit& fit = report.fits[0];
      ASSERT_FALSE(fit.names.empty())
          << c.layout << " " << dtype << ": " << print(fit.layout.expression());
      // Every name is a layout of the same function.
      for (const std::string& name : fit.names) {
        const Result<LayoutSource> named = resolve_layout(name);
        ASSERT_TRUE(named) << name;
      }
      const std::string base = std::string(source.name);
      EXPECT_THAT(fit.names, Contains(HasSubstr(base)))
          << c.layout << " " << dtype;
    }
    EXPECT_GT(bound, 0) << c.layout;
  }
}

TEST(Infer, DimsOfOtherNames) {
  const Layout layout = layout_of("mace.channel", "2x7x5x4", 4);
  const std::vector<Bytes> references = distinct(layout.elements(), 4);
  const std::vector<Bytes> dumps = {dump_of(layout, references[0])};
  const Shape letters = *parse_shape("p=2,q=7,r=5,s=4");
  const InferReport named = infer_files(references, dumps, letters, 4);
  EXPECT_EQ(named.outcome, Outcome::one);
  EXPECT_THAT(named.fits[0].names, Contains("onednn.acBd4b"));
  const InferReport positional =
      infer_files(references, dumps, letters, 4, true);
  EXPECT_EQ(positional.fits[0].names[0], "mace.channel");
}

TEST(Infer, SaysWhatTheNotationSays) {
  const auto printed = [](const char* layout, const char* shape) {
    const Layout bound = layout_of(layout, shape, 4);
    const InferReport report = through(bound, distinct(bound.elements(), 4));
    return report.fits.empty() ? report.reason
                               : print(report.fits[0].layout.expression());
  };
  EXPECT_EQ(printed("n c h:9 w", "n=2,c=3,h=5,w=5"), "n c h:9 w");
  EXPECT_EQ(printed("n:120 c:30 h:8 w", "n=2,c=3,h=3,w=5"), "n:120 c:30 h:8 w");
  EXPECT_EQ(printed("n c:^128B h w", "n=2,c=3,h=5,w=7"), "n c:^128B h w");
  EXPECT_EQ(printed("@96 h w", "h=5,w=7"), "@96 h w");
  EXPECT_EQ(printed("a%3 b a/3", "a=10,b=7"), "a%3 b a/3");
  EXPECT_EQ(printed("a%6/3 b a/6 a%3", "a=20,b=7"), "a%6/3 b a/6 a%3");
  EXPECT_EQ(printed("(a+2)%5 b (a+2)/5", "a=20,b=7"), "(a+2)%5 b (a+2)/5");
}

TEST(Infer, NamesTheMemoryThatBeginsLater) {
  for (const char* text :
       {"mace.channel", "okk.compact(npus=8,npu_bytes=1024)", "nChw16c"}) {
    const Layout layout = layout_of(text, "2x17x5x4", 4);
    const std::vector<Bytes> references = distinct(layout.elements(), 4);
    Bytes dump(4096);
    const Bytes memory = dump_of(layout, references[0]);
    dump.insert(dump.end(), memory.begin(), memory.end());
    const InferReport report =
        infer_files(references, {dump}, layout.shape(), 4);
    ASSERT_EQ(report.fits.size(), 1U) << text;
    const InferFit& fit = report.fits[0];
    // Only a memory of its own has axes; else the bytes before are its base.
    const bool axes = layout.axes().size() > 1;
    EXPECT_THAT(axes ? fit.names_at_base : fit.names, ::testing::IsEmpty());
    const auto& names = axes ? fit.names : fit.names_at_base;
    ASSERT_FALSE(names.empty()) << print(fit.layout.expression());
    const Result<LayoutSource> named = resolve_layout(names[0]);
    ASSERT_TRUE(named) << names[0];
    EXPECT_EQ(offsets_differ(*named->bind(layout.shape(), 4), layout), "");
    EXPECT_EQ(axes ? -fit.start_byte : fit.base_bytes, 4096);
  }
}

// What is nowhere in the dump may be anywhere.
TEST(Infer, SaysWhatIsNotInTheDump) {
  const Layout layout = layout_of("nchw", "3x5x4x4", 4);
  const std::vector<Bytes> references = distinct(layout.elements(), 4);
  Bytes dump = dump_of(layout, references[0]);
  dump.resize(dump.size() / 3 * 2);
  const InferReport report = infer_files(references, {dump}, layout.shape(), 4);
  EXPECT_EQ(report.outcome, Outcome::unproven);
  EXPECT_EQ(report.reason,
            "1 of 3 indices of n, such as n=2, have no element in the dump");
}

// ------------------------------------------------------- values repeat ----

Bytes random_bytes(std::int64_t count, int values, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& b : bytes) {
    b = static_cast<std::byte>(
        std::uniform_int_distribution<int>(0, values - 1)(random));
  }
  return bytes;
}

TEST(Infer, RepeatingValuesAreSearched) {
  for (const Case c :
       {Case{"nhwc", "2x17x5x4"}, Case{"nChw16c", "2x17x5x4"},
        Case{"OIhw4i16o4i", "40x17x3x3"}, Case{"mace.width", "2x3x5x7"},
        Case{"n c h:^64B w", "n=2,c=3,h=5,w=7"},
        Case{"n c:40 h w", "n=2,c=3,h=5,w=7"},
        Case{"axis0=- |1000B| @77 w h c n", "n=2,c=3,h=5,w=7"},
        Case{"okk.4n(npus=64,start=3)", "6x5x4x5"}}) {
    const Layout layout = layout_of(c.layout, c.shape, 1);
    const Bytes reference = random_bytes(layout.elements(), 256, 5);
    const InferReport report = through(layout, {reference});
    // Where enough values occur once, it is the only one.
    EXPECT_THAT(report.outcome, AnyOf(Outcome::one, Outcome::unproven));
    EXPECT_EQ(wrong(report, layout, report.outcome), "") << c.layout;
  }
}

// A search that finds one does not rule out others.
TEST(Infer, WhatASearchFindsIsNotProven) {
  for (const Case c : {Case{"nhwc", "2x17x5x4"}, Case{"nChw16c", "2x17x5x4"},
                       Case{"n c h:^64B w", "n=2,c=3,h=5,w=7"}}) {
    const Layout layout = layout_of(c.layout, c.shape, 1);
    const Bytes reference = random_bytes(layout.elements(), 12, 5);
    const InferReport report = through(layout, {reference});
    EXPECT_EQ(wrong(report, layout, Outcome::unproven), "") << c.layout;
  }
}

// Few elements can be told apart, and a layout of which most would lie outside
// the dump explains those.
TEST(Infer, OneCornerIsNotZero) {
  const Layout layout = layout_of("nhwc", "2x4x3x3", 4);
  Bytes reference(static_cast<std::size_t>(layout.elements() * 4));
  for (std::size_t k = 0; k < 9; ++k) {
    reference[4 * k] = static_cast<std::byte>(k + 1);
  }
  const InferReport report = through(layout, {reference});
  EXPECT_EQ(report.present, layout.elements());
  EXPECT_NE(report.outcome, Outcome::one);
  EXPECT_THAT(report.fits, ::testing::Contains(::testing::Field(
                               &InferFit::layout, ::testing::Eq(layout))));
}

// Channel 2 holds nothing but zeros: it may be anywhere among the padding.
TEST(Infer, AnIndexThatNoValueTells) {
  const Layout layout = layout_of("nChw16c", "2x17x5x4", 4);
  Bytes reference = distinct(layout.elements(), 4)[0];
  for (const std::int64_t n : {0, 1}) {
    std::memset(reference.data() + (n * 17 + 2) * 20 * 4, 0, 20 * 4);
  }
  EXPECT_EQ(wrong(through(layout, {reference}), layout, Outcome::unproven), "");
}

TEST(Infer, ABaseWithinEachProcessor) {
  const auto says = [](const char* text, const char* shape) {
    const Layout layout = layout_of(text, shape, 4);
    const InferReport report = through(layout, distinct(layout.elements(), 4));
    EXPECT_EQ(wrong(report, layout), "") << text;
    return report.fits.empty() ? report.reason
                               : print(report.fits[0].layout.expression());
  };
  EXPECT_EQ(says("npu=c%5 |4096B| @33 n c/5 h w", "n=2,c=17,h=3,w=4"),
            "npu=c%5 |4096B| offset=@33 n c/5 h w");
  EXPECT_EQ(says("row=h |256B| @7 w c", "h=5,w=6,c=3"), "h |256B| @7 w c");
  // Strides of the outer axis are steps of it, not bytes.
  says("(b+1) (c+9)/4 (d+8)/4 (c+9)%4/2 (d+8)%4 (c+9)%2 a%2",
       "a=2,b=2,c=6,d=5");
}

// From the second block on, blocks go on as if they were one.
TEST(Infer, AnEndOfABlockThatDoesNotShow) {
  for (const auto& [text, shape] :
       {std::pair{"row=c/4:45 c%2:20 c%4/2:5 a%5", "a=1,c=5"},
        std::pair{"row=(c+1)/6:65 (c+1)%3:20 (c+1)%6/3:5 a%5", "a=1,c=7"}}) {
    const Layout layout = layout_of(text, shape, 16);
    EXPECT_EQ(wrong(through(layout, distinct(layout.elements(), 16)), layout),
              "")
        << text;
  }
}

TEST(Infer, NothingIsNearWhereNothingMatches) {
  const Layout layout = layout_of("nchw", "2x17x5x4", 4);
  const std::vector<Bytes> references = distinct(layout.elements(), 4);
  const InferReport report =
      infer_files(references, {Bytes(references[0].size())}, layout.shape(), 4);
  EXPECT_EQ(report.outcome, Outcome::none);
  EXPECT_FALSE(report.best);
  EXPECT_FALSE(report.first_break);
  EXPECT_THAT(report.reason,
              HasSubstr("hardly any value of the reference is in the dump"));
}

TEST(Infer, SeveralFit) {
  const Layout layout = layout_of("n c", "n=3,c=3", 1);
  // Symmetric: rows and columns may be exchanged.
  const Bytes reference = {std::byte{1}, std::byte{2}, std::byte{3},
                           std::byte{2}, std::byte{1}, std::byte{4},
                           std::byte{3}, std::byte{4}, std::byte{1}};
  const InferReport report = through(layout, {reference});
  EXPECT_EQ(report.outcome, Outcome::several);
  EXPECT_EQ(report.fits.size(), 2U);
}

TEST(Infer, MostlyEqualValues) {
  // Half of a feature map is zeros, as is all padding.
  const Layout layout = layout_of("nChw16c", "2x17x5x4", 4);
  Bytes reference = distinct(layout.elements(), 4)[0];
  for (std::int64_t k = 0; k < layout.elements(); k += 2) {
    std::memset(reference.data() + 4 * (k * 7 % layout.elements()), 0, 4);
  }
  // w=0 and w=2 are zeros everywhere: what they are is nearly sure.
  EXPECT_EQ(wrong(through(layout, {reference}), layout, Outcome::unproven), "");
  const Bytes whole = distinct(layout.elements(), 4)[0];
  std::memcpy(reference.data() + 400, whole.data() + 400, 16);
  EXPECT_EQ(wrong(through(layout, {reference}), layout), "");
}

TEST(Infer, EqualDataTellNothing) {
  const Layout layout = layout_of("nhwc", "2x3x5x4", 4);
  const InferReport report =
      through(layout, {Bytes(static_cast<std::size_t>(layout.size_bytes()))});
  EXPECT_EQ(report.outcome, Outcome::unknowable);
  EXPECT_TRUE(report.fits.empty());
  EXPECT_THAT(report.reason,
              HasSubstr("all elements of the reference are equal"));
}

TEST(Infer, NotANumberIsWhatItsBitsAre) {
  const Layout layout = layout_of("nhwc", "2x3x5x4", 4);
  Bytes reference = distinct(layout.elements(), 4)[0];
  for (std::uint32_t k = 0; k < 60; ++k) {
    const std::uint32_t nan = 0x7fc00000U + k / 2;
    std::memcpy(reference.data() + std::size_t{8} * k, &nan, 4);
  }
  EXPECT_EQ(wrong(through(layout, {reference}), layout, Outcome::unproven), "");
}

TEST(Infer, NoneFitsSaysWhereTheNearestBreaks) {
  const Layout layout = layout_of("nChw16c", "2x17x5x4", 4);
  const std::vector<Bytes> references = distinct(layout.elements(), 4);
  Bytes dump = dump_of(layout, references[0]);
  const std::vector<std::int64_t> x = {1, 3, 2, 1};
  std::memset(dump.data() + layout.offset(x) * 4, 0x5a, 4);
  const InferReport report = infer_files(references, {dump}, layout.shape(), 4);
  EXPECT_EQ(report.outcome, Outcome::none);
  ASSERT_TRUE(report.best);
  EXPECT_EQ(difference(report.best->layout, layout), "");
  EXPECT_EQ(report.matching, layout.elements() - 1);
  EXPECT_EQ(report.first_break, x);
  EXPECT_THAT(report.reason, HasSubstr("679 of 680"));

  Bytes shuffled = references[0];
  std::mt19937 random(3);
  for (std::size_t k = 679; k > 0; --k) {
    const std::size_t other = random() % (k + 1);
    std::swap_ranges(shuffled.begin() + static_cast<std::ptrdiff_t>(4 * k),
                     shuffled.begin() + static_cast<std::ptrdiff_t>(4 * k + 4),
                     shuffled.begin() + static_cast<std::ptrdiff_t>(4 * other));
  }
  const InferReport none =
      infer_files(references, {shuffled}, layout.shape(), 4);
  EXPECT_EQ(none.outcome, Outcome::none);
  EXPECT_TRUE(none.fits.empty());
}

TEST(Infer, WhatIsNoQuestion) {
  const auto error = [](const Bytes& reference, const Bytes& dump,
                        const char* shape) {
    const InferPair pair{reference, dump};
    const Result<InferReport> report =
        infer({&pair, 1}, InferOptions{*parse_shape(shape), 4, false});
    return report ? "accepted" : report.error().message;
  };
  EXPECT_THAT(error(Bytes(24), Bytes{}, "a=2,b=3"), HasSubstr("less than one"));
  EXPECT_THAT(error(Bytes(23), Bytes(24), "a=2,b=3"), HasSubstr("23 bytes"));
  EXPECT_THAT(error(Bytes{}, Bytes(24), "a=0,b=3"),
              HasSubstr("without elements"));
}

// --------------------------------------------------------------- probe ----

TEST(Probes, NoTwoElementsAreEqual) {
  for (const ElementType& type : element_types()) {
    const Shape shape = *parse_shape("a=7,b=11,c=13,d=3");
    const std::vector<Bytes> files = probe_files(shape, type);
    std::set<std::string> seen;
    const auto width = static_cast<std::size_t>(type.bytes());
    for (std::size_t k = 0; k < 3003; ++k) {
      std::string value;
      for (const Bytes& file : files) {
        value.append(reinterpret_cast<const char*>(file.data()) + k * width,
                     width);
      }
      EXPECT_NE(value.find_first_not_of('\0'), std::string::npos);
      seen.insert(value);
    }
    EXPECT_EQ(seen.size(), 3003U) << type.name;
    // So many files as powers of the type's values are 3003 and more.
    const std::size_t expected = type.name == "bool" ? 12
                                 : type.name == "f4" ? 4
                                 : type.bits == 6    ? 3
                                 : type.bits == 8    ? 2
                                                     : 1;
    EXPECT_EQ(files.size(), expected) << type.name;
  }
}

TEST(Probes, FloatsAreNormalNumbers) {
  const Shape shape = *parse_shape("a=61000");
  const Bytes half = probe_files(shape, *parse_element_type("f16"))[0];
  for (std::size_t k = 0; k < 61000; ++k) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, half.data() + 2 * k, 2);
    EXPECT_NE(bits & 0x7c00, 0);
    EXPECT_NE(bits & 0x7c00, 0x7c00);
  }
  const Bytes single = probe_files(shape, *parse_element_type("f32"))[0];
  float value = 0;
  std::memcpy(&value, single.data() + 4 * 60999, 4);
  EXPECT_EQ(value, 61000.0F);
}

}  // namespace
}  // namespace stridewise
