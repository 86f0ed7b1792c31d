// Differences and leaks in words: each fault that a kernel may have is planted,
// and must be named by its sentence.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "inspect/words.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Bytes = std::vector<std::byte>;
using Index = std::vector<std::int64_t>;

const ElementType f32 = *parse_element_type("f32");
const ElementType s8 = *parse_element_type("s8");

Layout layout_of(const std::string& text, const std::string& shape,
                 const ElementType& type = f32) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape(shape, source.dims), type.bytes());
}

template <class T>
void put(Bytes& memory, const Layout& layout, const Index& x, T value) {
  std::memcpy(memory.data() + layout.offset(x) * layout.element_bytes(), &value,
              sizeof value);
}

// A tensor of random numbers in its layout; padding is zero.
Bytes random_tensor(const Layout& layout, const ElementType& type = f32) {
  Bytes memory(static_cast<std::size_t>(layout.size_bytes()));
  std::mt19937 random(7);
  testing::for_each_index(layout.shape(), [&](const Index& x) {
    if (type == f32) {
      put(memory, layout, x,
          static_cast<float>(static_cast<int>(random() % 100000) + 1));
    } else {
      put(memory, layout, x, static_cast<std::int8_t>(random() % 255 - 127));
    }
  });
  return memory;
}

Bytes moved(const Layout& from, const Layout& to, const Bytes& memory) {
  Bytes out(static_cast<std::size_t>(to.size_bytes()));
  reorder_reference(from, to, memory.data(), out.data());
  return out;
}

DiffReport differ(const Layout& a, const Bytes& a_bytes, const Layout& b,
                  const Bytes& b_bytes, const ElementType& type = f32,
                  const Tolerance& tolerance = {}) {
  const Result<DiffReport> report =
      diff(a, a_bytes, b, b_bytes, DiffOptions{type, tolerance, {}});
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

// A reference in logical order, and the right dump of it.
struct Pair {
  Layout logical;
  Layout layout;
  Bytes reference;
  Bytes dump;

  [[nodiscard]] DiffReport report(const ElementType& type = f32) const {
    return differ(layout, dump, logical, reference, type);
  }
};

Pair pair_of(const std::string& text, const std::string& shape,
             const std::string& logical = "nchw",
             const ElementType& type = f32) {
  Pair pair{
      layout_of(logical, shape, type), layout_of(text, shape, type), {}, {}};
  pair.reference = random_tensor(pair.logical, type);
  pair.dump = moved(pair.logical, pair.layout, pair.reference);
  return pair;
}

// ------------------------------------------------------------- faults -----

TEST(Diff, EqualInOtherLayouts) {
  for (const char* text : {"nchw", "nChw16c", "nhwc", "mace.height",
                           "okk.aligned(npus=4,npu_bytes=8192,start=3)"}) {
    const DiffReport report = pair_of(text, "3x17x6x5").report();
    EXPECT_EQ(report.differences, 0) << text;
    EXPECT_EQ(report.elements, 3 * 17 * 6 * 5);
    EXPECT_THAT(report.findings, IsEmpty());
  }
}

TEST(Diff, AllOfSomeChannels) {
  Pair pair = pair_of("nChw16c", "2x17x6x5");
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    if (x[1] >= 8 && x[1] < 16) put(pair.dump, pair.layout, x, 0.0F);
  });
  const DiffReport report = pair.report();
  EXPECT_EQ(report.differences, 2 * 8 * 6 * 5);
  EXPECT_THAT(report.findings, Contains("all of c=8..15"));
  EXPECT_EQ(report.first->index, (Index{0, 8, 0, 0}));
  EXPECT_EQ(report.by_dim[1].counts[8], 60);
  EXPECT_EQ(report.by_dim[1].counts[7], 0);
}

TEST(Diff, OnlyOddRows) {
  Pair pair = pair_of("nhwc", "2x5x8x7");
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    if (x[2] % 2 == 1) put(pair.dump, pair.layout, x, -1.0F);
  });
  EXPECT_THAT(pair.report().findings, Contains("all of h odd"));
  put(pair.dump, pair.layout, {0, 0, 1, 0}, 0.0F);
  std::memcpy(
      pair.dump.data() + pair.layout.offset(Index{1, 2, 3, 4}) * 4,
      pair.reference.data() + pair.logical.offset(Index{1, 2, 3, 4}) * 4, 4);
  EXPECT_THAT(pair.report().findings,
              Contains("only h odd (279 of its 280 elements)"));
}

TEST(Diff, EverythingAfterAByte) {
  Pair pair = pair_of("nChw8c", "2x24x8x7");
  for (std::size_t k = 4096; k < pair.dump.size(); ++k) {
    pair.dump[k] ^= std::byte{0x40};
  }
  EXPECT_THAT(pair.report().findings, Contains("everything after byte 4096"));
}

TEST(Diff, SwappedProcessors) {
  Pair pair = pair_of("okk.aligned(npus=4,npu_bytes=8192)", "2x16x6x5");
  Bytes swapped = pair.dump;
  for (std::size_t npu = 0; npu < 4; ++npu) {
    std::memcpy(swapped.data() + (3 - npu) * 8192,
                pair.dump.data() + npu * 8192, 8192);
  }
  pair.dump = swapped;
  const std::vector<std::string> findings = pair.report().findings;
  EXPECT_EQ(findings.at(0), "npu is in reverse order");
  EXPECT_THAT(findings, Contains("c=4k and 4k+3, 4k+1 and 4k+2 are swapped"));
}

// Some have two channels, others one: dims do not tell what axes do.
TEST(Diff, ProcessorsInAnotherOrder) {
  const Pair right = pair_of("okk.aligned(npus=64,npu_bytes=1024)", "2x70x6x5");
  const auto says = [&](auto from) {
    Pair pair = right;
    for (std::size_t npu = 0; npu < 64; ++npu) {
      std::memcpy(pair.dump.data() + npu * 1024,
                  right.dump.data() + from(npu) * 1024, 1024);
    }
    return pair.report().findings.at(0);
  };
  EXPECT_EQ(says([](std::size_t npu) { return 63 - npu; }),
            "npu is in reverse order");
  EXPECT_EQ(says([](std::size_t npu) { return npu ^ 1; }),
            "npu=2k and 2k+1 are swapped");
  EXPECT_EQ(says([](std::size_t npu) { return (npu + 2) % 64; }),
            "npu is rotated: npu=0 holds npu=2");
}

TEST(Diff, OneProcessorIsWrong) {
  Pair pair = pair_of("okk.aligned(npus=4,npu_bytes=8192)", "2x16x6x5");
  std::memset(pair.dump.data() + 2 * 8192, 0, 8192);
  const DiffReport report = pair.report();
  EXPECT_THAT(report.findings, Contains("all of c=4k+2"));
  EXPECT_THAT(report.findings, Contains("only on npu=2"));
}

// Where values are few, nothing is said of what might be found by chance.
TEST(Diff, FewValuesAreNotRearranged) {
  Pair pair =
      pair_of("okk.aligned(npus=4,npu_bytes=8192)", "2x16x6x5", "nchw", s8);
  std::mt19937 random(11);
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    const auto value = static_cast<std::int8_t>(random() % 4 == 0 ? 1 : 0);
    put(pair.reference, pair.logical, x, value);
    const bool flipped = random() % 16 == 0;
    put(pair.dump, pair.layout, x,
        static_cast<std::int8_t>(flipped ? 1 - value : value));
  });
  for (const std::string& finding : pair.report(s8).findings) {
    EXPECT_THAT(finding, Not(HasSubstr("holds")));
    EXPECT_THAT(finding, Not(HasSubstr("swapped")));
    EXPECT_THAT(finding, Not(HasSubstr("stride")));
    EXPECT_THAT(finding, Not(HasSubstr("order")));
    EXPECT_THAT(finding, Not(HasSubstr("further")));
    EXPECT_THAT(finding, Not(HasSubstr("early")));
  }
}

TEST(Diff, AStrideOffByOne) {
  Pair pair = pair_of("n:800 c:200 h:12 w", "n=2,c=3,h=9,w=8");
  pair.dump =
      moved(pair.logical, layout_of("n:800 c:200 h:13 w", "n=2,c=3,h=9,w=8"),
            pair.reference);
  pair.dump.resize(static_cast<std::size_t>(pair.layout.size_bytes()));
  EXPECT_THAT(pair.report().findings,
              Contains("the stride of h is 1 element too large"));
}

// Each row overwrites the end of the one before it, or begins in what the plane
// after it overwrites.
TEST(Diff, AStrideOffByOneWhereRowsOverlap) {
  const auto says = [](const char* text, const char* dim, std::int64_t by) {
    Pair pair = pair_of(text, "2x3x9x8");
    const auto d = static_cast<std::size_t>(std::string("nchw").find(dim));
    Bytes dump(pair.dump.size());
    testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
      const std::int64_t place = pair.layout.offset(x) + by * x[d];
      if (place < 0 || place >= pair.layout.places()) return;
      std::memcpy(dump.data() + place * 4,
                  pair.reference.data() + pair.logical.offset(x) * 4, 4);
    });
    pair.dump = dump;
    return pair.report().findings.at(0);
  };
  EXPECT_EQ(says("nchw", "h", -1), "the stride of h is 1 element too small");
  EXPECT_EQ(says("nchw", "h", 1), "the stride of h is 1 element too large");
  EXPECT_EQ(says("nchw", "c", -1), "the stride of c is 1 element too small");
  EXPECT_EQ(says("nchw", "n", 3), "the stride of n is 3 elements too large");
  EXPECT_EQ(says("nhwc", "w", -1), "the stride of w is 1 element too small");
}

TEST(Diff, EverythingFurtherOn) {
  Pair pair = pair_of("@4 n c h w", "n=2,c=3,h=9,w=8");
  std::rotate(pair.dump.begin(), pair.dump.end() - 8, pair.dump.end());
  EXPECT_THAT(pair.report().findings,
              Contains("everything is 2 elements further on"));
}

TEST(Diff, OneBatchLate) {
  Pair pair = pair_of("nChw16c", "4x17x6x5");
  const std::size_t batch = pair.dump.size() / 4;
  std::memmove(pair.dump.data() + batch, pair.dump.data(), 3 * batch);
  EXPECT_THAT(pair.report().findings, Contains("n is one late: n=1 holds n=0"));
}

TEST(Diff, TheWrongOneOfFourInAWord) {
  Pair pair = pair_of("okk.4n(npus=4,npu_bytes=8192)", "8x6x5x7", "nchw", s8);
  for (std::size_t k = 0; k < pair.dump.size(); k += 4) {
    std::swap(pair.dump[k + 1], pair.dump[k + 2]);
  }
  EXPECT_THAT(pair.report(s8).findings,
              Contains("n=4k+1 and 4k+2 are swapped"));
}

TEST(Diff, OneOfFourInAWordForAll) {
  const Pair right =
      pair_of("okk.4n(npus=4,npu_bytes=8192)", "8x6x5x7", "nchw", s8);
  Pair pair = right;
  for (std::size_t k = 0; k < pair.dump.size(); ++k) {
    pair.dump[k] = right.dump[k / 4 * 4];
  }
  EXPECT_EQ(pair.report(s8).findings.at(0),
            "n=4k+1 holds 4k, 4k+2 holds 4k, 4k+3 holds 4k");
  for (std::size_t k = 0; k < pair.dump.size(); ++k) {
    pair.dump[k] = right.dump[k / 4 * 4 + (k + 1) % 4];
  }
  EXPECT_EQ(pair.report(s8).findings.at(0),
            "n=4k holds 4k+1, 4k+1 holds 4k+2, 4k+2 holds 4k+3, 4k+3 holds 4k");
}

TEST(Diff, ReversedRows) {
  Pair pair = pair_of("nchw", "2x3x9x8");
  const Bytes right = pair.dump;
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    const Index y = {x[0], x[1], 8 - x[2], x[3]};
    std::memcpy(pair.dump.data() + pair.layout.offset(x) * 4,
                right.data() + pair.layout.offset(y) * 4, 4);
  });
  EXPECT_THAT(pair.report().findings, Contains("h is in reverse order"));
}

// --------------------------------------------------------- what is equal ---

TEST(Diff, NotANumber) {
  const Layout layout = layout_of("nchw", "1x1x2x4");
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto infinity = std::numeric_limits<float>::infinity();
  Bytes a(32);
  Bytes b(32);
  put(a, layout, {0, 0, 0, 0}, nan);
  put(b, layout, {0, 0, 0, 0}, -nan);  // another NaN: equal
  put(a, layout, {0, 0, 0, 1}, nan);
  put(b, layout, {0, 0, 0, 2}, nan);
  put(a, layout, {0, 0, 0, 3}, -0.0F);  // equal to 0
  put(a, layout, {0, 0, 1, 0}, infinity);
  put(b, layout, {0, 0, 1, 0}, infinity);
  put(a, layout, {0, 0, 1, 1}, infinity);
  put(b, layout, {0, 0, 1, 1}, -infinity);
  const DiffReport report = differ(layout, a, layout, b, f32, {1.0, 1.0, 100});
  EXPECT_EQ(report.differences, 3);
  EXPECT_EQ(report.nan_a, 1);
  EXPECT_EQ(report.nan_b, 1);
  EXPECT_EQ(report.max_abs, 0);
  EXPECT_TRUE(std::isinf(report.worst->abs));
  EXPECT_THAT(report.findings, Contains("1 are NaN in A and numbers in B"));
}

TEST(Diff, Tolerances) {
  const Layout layout = layout_of("nchw", "1x1x1x3");
  Bytes a(12);
  Bytes b(12);
  const float values[3][2] = {
      {1.0F, std::nextafter(1.0F, 2.0F)}, {100.0F, 101.0F}, {0.0F, 0.001F}};
  for (std::int64_t k = 0; k < 3; ++k) {
    put(a, layout, {0, 0, 0, k}, values[k][0]);
    put(b, layout, {0, 0, 0, k}, values[k][1]);
  }
  const auto count = [&](const Tolerance& tolerance) {
    return differ(layout, a, layout, b, f32, tolerance).differences;
  };
  EXPECT_EQ(count({}), 3);
  EXPECT_EQ(count({0, 0, 1}), 2);
  EXPECT_EQ(count({0.01, 0, -1}), 1);
  EXPECT_EQ(count({0, 0.0011, -1}), 1);
  EXPECT_EQ(count({0.01, 0.002, -1}), 0);
  const DiffReport report = differ(layout, a, layout, b);
  EXPECT_EQ(report.max_abs, 1.0);
  EXPECT_EQ(report.worst->index, (Index{0, 0, 0, 1}));
  EXPECT_EQ(report.max_rel, 1.0);  // 0 and 0.001
}

TEST(Diff, TolerancesThatAreNone) {
  const Layout layout = layout_of("nchw", "1x1x1x3");
  const Bytes bytes(12);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Tolerance& tolerance :
       {Tolerance{nan, 0, -1}, Tolerance{0, nan, -1}, Tolerance{-0.5, 0, -1},
        Tolerance{0, infinity, -1}}) {
    const Result<DiffReport> report =
        diff(layout, bytes, layout, bytes, DiffOptions{f32, tolerance, {}});
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message,
                HasSubstr("a finite number, 0 or more"));
  }
}

// Neighbours that are one and the same double.
TEST(Diff, LongIntegersAreExact) {
  const ElementType s64 = *parse_element_type("s64");
  const Layout layout = layout_of("nchw", "1x1x1x4", s64);
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t values[4][2] = {
      {large, large + 1}, {large, large + 3}, {7, 7}, {-large, -large - 2}};
  Bytes a(32);
  Bytes b(32);
  for (std::int64_t k = 0; k < 4; ++k) {
    put(a, layout, {0, 0, 0, k}, values[k][0]);
    put(b, layout, {0, 0, 0, k}, values[k][1]);
  }
  DiffReport report = differ(layout, a, layout, b, s64);
  EXPECT_EQ(report.differences, 3);
  EXPECT_EQ(report.first->a_text, "4611686018427387905");
  EXPECT_EQ(report.first->b_text, "4611686018427387906");
  EXPECT_EQ(report.worst->index, (Index{0, 0, 0, 1}));
  EXPECT_EQ(report.worst->abs_text, "3");
  EXPECT_EQ(differ(layout, a, layout, b, s64, {0, 2, -1}).differences, 1);
  // Errors that are one double as well.
  put(a, layout, {0, 0, 0, 0}, least);
  put(b, layout, {0, 0, 0, 0}, large);
  put(a, layout, {0, 0, 0, 2}, least);
  put(b, layout, {0, 0, 0, 2}, large + 1);
  report = differ(layout, a, layout, b, s64);
  EXPECT_EQ(report.worst->index, (Index{0, 0, 0, 2}));
  EXPECT_EQ(report.worst->abs_text, "13835058055282163714");
}

TEST(Diff, LongFloatsAreExact) {
  const ElementType f128 = *parse_element_type("f128");
  const Layout layout = layout_of("nchw", "1x1x1x2", f128);
  Bytes a(32);
  Bytes b(32);
  put(a, layout, {0, 0, 0, 1}, 1.0L);
  put(b, layout, {0, 0, 0, 1}, 1.0L + 0x1p-60L);
  EXPECT_EQ(differ(layout, a, layout, b, f128).differences,
            std::numeric_limits<long double>::digits > 60 ? 1 : 0);
}

// Every half, against the library's own conversion of each.
TEST(Diff, HalvesAreTheirNumbers) {
  const ElementType f16 = *parse_element_type("f16");
  const Layout half = layout_of("nchw", "1x1x256x256", f16);
  Bytes a(1 << 17);
  for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
    const auto value = static_cast<std::uint16_t>(bits);
    std::memcpy(a.data() + std::size_t{2} * bits, &value, 2);
  }
  const Bytes zeros(1 << 17);
  for (const std::uint32_t bits :
       {0x0001U, 0x03ffU, 0x0400U, 0x3c00U, 0x7bffU, 0x8001U, 0xbc00U}) {
    Bytes one = zeros;
    const auto value = static_cast<std::uint16_t>(bits);
    std::memcpy(one.data(), &value, 2);
    const DiffReport report = differ(half, one, half, zeros, f16);
    const int exponent = static_cast<int>(bits >> 10 & 31U);
    const double fraction = bits & 1023U;
    EXPECT_EQ(report.max_abs, exponent == 0
                                  ? std::ldexp(fraction, -24)
                                  : std::ldexp(1024 + fraction, exponent - 25));
  }
  const DiffReport report = differ(half, a, half, zeros, f16);
  EXPECT_EQ(report.differences, (1 << 16) - 2);  // but 0 and -0
  EXPECT_EQ(report.nan_a, 2 * 1023);
  EXPECT_EQ(report.max_abs, 65504);
}

// More indices than are counted one by one.
TEST(Diff, LongDimsAreCountedByRanges) {
  const Layout layout = layout_of("x", "x=1000000", s8);
  Bytes a(1000000);
  Bytes b = a;
  std::fill(b.begin() + 300000, b.begin() + 700001, std::byte{1});
  const DiffReport report = differ(layout, a, layout, b, s8);
  EXPECT_EQ(report.differences, 400001);
  EXPECT_THAT(report.findings, Contains("all of x=300000..700000"));
  const DiffCounts& counts = report.by_dim[0];
  EXPECT_EQ(counts.step, 16);
  EXPECT_EQ(counts.counts.size(), 62500U);
  EXPECT_EQ(counts.counts[300000 / 16], 16);
  EXPECT_EQ(counts.counts[700000 / 16], 1);
  EXPECT_EQ(counts.first, 300000);
  EXPECT_EQ(counts.last, 700000);
  b[500000] = std::byte{0};
  std::fill(b.begin() + 310000, b.begin() + 320000, std::byte{0});
  EXPECT_THAT(differ(layout, a, layout, b, s8).findings,
              Contains("only x between 300000 and 700000 (390000 of its 400001 "
                       "elements)"));
}

// Against a loop over all elements, in layouts of all kinds.
RC_GTEST_PROP(Diff, CountsWhatALoopCounts, ()) {
  const Shape shape = testing::random_shape();
  const Layout a = testing::random_valid_layout(shape, 4);
  const Layout b =
      testing::in_range(0, 2) == 0 ? a : testing::random_valid_layout(shape, 4);
  RC_PRE(a.valid());
  RC_PRE(b.valid());
  const Bytes a_bytes = random_tensor(a);
  Bytes b_bytes = moved(a, b, a_bytes);
  // Few or nearly all: runs of both.
  const std::int64_t one_in = testing::in_range(1, 5);
  std::int64_t planted = 0;
  std::vector<std::vector<std::int64_t>> by_dim;
  for (const Dim& dim : shape) {
    by_dim.emplace_back(static_cast<std::size_t>(dim.extent));
  }
  std::vector<std::vector<std::int64_t>> by_axis;
  for (const BoundAxis& axis : a.axes()) {
    by_axis.emplace_back(static_cast<std::size_t>(axis.extent));
  }
  Index coordinates(a.axes().size());
  Index first;
  Index worst;
  double most = 0;
  testing::for_each_index(shape, [&](const Index& x) {
    if (testing::in_range(0, one_in) == 0) return;
    put(b_bytes, b, x, -3.0F);
    if (planted++ == 0) first = x;
    float value = 0;
    std::memcpy(&value, a_bytes.data() + a.offset(x) * 4, 4);
    if (value + 3.0 > most) {
      most = value + 3.0;
      worst = x;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      ++by_dim[d][static_cast<std::size_t>(x[d])];
    }
    a.coordinates_of(x, coordinates);
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      ++by_axis[k][static_cast<std::size_t>(coordinates[k])];
    }
  });
  const DiffReport report = differ(a, a_bytes, b, b_bytes);
  RC_ASSERT(report.differences == planted);
  RC_ASSERT(report.first.has_value() == (planted > 0));
  if (planted == 0) return;
  RC_ASSERT(report.first->index == first);
  RC_ASSERT(report.first->byte_a == a.offset(first) * 4);
  RC_ASSERT(report.first->byte_b == b.offset(first) * 4);
  RC_ASSERT(report.max_abs == most);
  RC_ASSERT(report.worst->index == worst);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    RC_ASSERT(report.by_dim[d].counts == by_dim[d]);
  }
  for (std::size_t k = 0; k < report.by_axis.size(); ++k) {
    const DiffCounts& counts = report.by_axis[k];
    std::vector<std::int64_t> ranges(counts.counts.size());
    for (std::size_t at = 0; at < by_axis[k].size(); ++at) {
      ranges[at / static_cast<std::size_t>(counts.step)] += by_axis[k][at];
    }
    RC_ASSERT(counts.counts.size() <= std::size_t{1} << 16);
    const bool same = counts.counts == ranges;
    RC_ASSERT(same);
  }
}

TEST(Diff, LargeTensorsInParts) {
  // More than one part of 16 MiB on both sides.
  const Layout a = layout_of("nhwc", "1x48x600x400");
  const Layout b = layout_of("nChw16c", "1x48x600x400");
  Bytes a_bytes = random_tensor(a);
  const Bytes b_bytes = moved(a, b, a_bytes);
  EXPECT_EQ(differ(a, a_bytes, b, b_bytes).differences, 0);
  put(a_bytes, a, {0, 47, 599, 399}, 0.0F);
  put(a_bytes, a, {0, 3, 300, 7}, 0.0F);
  const DiffReport report = differ(a, a_bytes, b, b_bytes);
  EXPECT_EQ(report.differences, 2);
  EXPECT_EQ(report.first->index, (Index{0, 3, 300, 7}));
}

// -------------------------------------------------------------- check -----

CheckReport check(const Layout& layout, const Bytes& memory,
                  const ElementType& type = f32) {
  const Result<CheckReport> report = check_memory(layout, memory, type);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

TEST(Check, NothingToFind) {
  for (const char* text : {"nchw", "nChw16c", "mace.height", "nhwc",
                           "okk.aligned(npus=4,npu_bytes=8192)"}) {
    const Layout layout = layout_of(text, "2x17x6x5");
    const CheckReport report = check(layout, random_tensor(layout));
    EXPECT_EQ(report.padding_nonzero, 0) << text;
    EXPECT_EQ(report.padding, layout.places() - layout.elements());
    EXPECT_THAT(report.findings, IsEmpty());
  }
}

TEST(Check, TailChannelsThatAreNotZero) {
  const Layout layout = layout_of("nChw16c", "2x17x6x5");
  Bytes memory = random_tensor(layout);
  const Layout whole = layout_of("nChw16c", "2x32x6x5");
  for (std::int64_t c = 17; c < 32; ++c) {
    put(memory, whole, {1, c, 2, 3}, 0.5F);
  }
  const CheckReport report = check(layout, memory);
  EXPECT_EQ(report.padding_nonzero, 15);
  EXPECT_THAT(
      report.findings,
      Contains("the tail of c is not zero: c=17..31 of the last block"));
  ASSERT_EQ(report.leaks.size(), 1U);
  EXPECT_EQ(report.leaks[0].byte, whole.offset(Index{1, 17, 2, 3}) * 4);
  EXPECT_EQ(report.leaks[0].count, 15);
}

TEST(Check, WhatLeakedIntoPadding) {
  // Each row of 5 is written with 8 of the next one.
  const Layout layout = layout_of("h:8 w", "h=6,w=5");
  Bytes memory = random_tensor(layout);
  std::memcpy(memory.data() + 5 * 4, memory.data() + 8 * 4, 3 * 4);
  const CheckReport report = check(layout, memory);
  EXPECT_EQ(report.padding_nonzero, 3);
  EXPECT_THAT(report.findings, Contains("byte 20 holds h=1,w=0..2"));
  EXPECT_THAT(report.findings,
              Contains(StartsWith("gaps between rows, planes or alignments")));
}

// Channels 62 to 63 of the last round of processors, one of which begins later.
TEST(Check, TailsOfBanksAreTailsToo) {
  const Layout layout =
      layout_of("npu=(c+2)%8 | (c+2)/8:^64B h w", "c=11,h=2,w=3");
  Bytes memory = random_tensor(layout);
  const Layout whole =
      layout_of("npu=(c+2)%8 | (c+2)/8:^64B h w", "c=14,h=2,w=3");
  for (std::int64_t c = 11; c < 14; ++c) put(memory, whole, {c, 1, 2}, 1.0F);
  EXPECT_THAT(check(layout, memory).findings,
              ElementsAre("3 of 190 places without an element are not zero",
                          "the tail of c is not zero: c=11..13 of the last "
                          "block"));
  std::memset(memory.data(), 1, 4);
  EXPECT_THAT(check(layout, memory).findings,
              Contains("places that no index would fill, as before the first "
                       "one, are not zero"));
}

TEST(Check, PaddingThatIsNotANumber) {
  const Layout layout = layout_of("nChw16c", "1x17x6x5");
  Bytes memory = random_tensor(layout);
  const Layout whole = layout_of("nChw16c", "1x32x6x5");
  for (std::int64_t h = 0; h < 6; ++h) {
    for (std::int64_t w = 0; w < 5; ++w) {
      put(memory, whole, {0, 20, h, w}, std::nanf(""));
    }
  }
  const CheckReport report = check(layout, memory);
  EXPECT_EQ(report.nan, 0);
  EXPECT_EQ(report.padding_not_finite, 30);
  EXPECT_EQ(report.leaks.size(), 16U);
  EXPECT_EQ(report.leak_runs, 30);
  EXPECT_THAT(
      report.findings,
      Contains("30 of 450 places without an element are not zero, 30 of "
               "them NaN or infinite"));
}

TEST(Check, NotANumberAndInfinite) {
  const Layout layout = layout_of("nChw16c", "2x17x6x5");
  Bytes memory = random_tensor(layout);
  for (std::int64_t w = 0; w < 5; ++w) {
    put(memory, layout, {1, 3, 2, w}, std::nanf(""));
  }
  put(memory, layout, {0, 0, 5, 4}, -std::numeric_limits<float>::infinity());
  const CheckReport report = check(layout, memory);
  EXPECT_EQ(report.nan, 5);
  EXPECT_EQ(report.inf, 1);
  EXPECT_EQ(report.first_nan, (Index{1, 3, 2, 0}));
  EXPECT_EQ(report.first_inf, (Index{0, 0, 5, 4}));
  EXPECT_THAT(report.findings,
              ElementsAre("5 elements are NaN: n=1, c=3, h=2",
                          "1 element is infinite: n=0, c=0, h=5, w=4"));
}

TEST(Check, SizesThatDoNotFit) {
  const Layout blocked = layout_of("nChw16c", "2x17x6x5");
  const auto says = [](const Layout& layout, std::int64_t bytes) {
    return explain_size(layout, f32, bytes);
  };
  EXPECT_THAT(says(blocked, 4080),
              Contains(HasSubstr("elements alone: written without padding")));
  EXPECT_THAT(says(blocked, 3840), Contains("the size of another type: f16, "
                                            "bf16, s16, u16"));
  EXPECT_THAT(says(blocked, 8192),
              Contains("the layout's 7680 bytes rounded up to a multiple of "
                       "4096"));
  EXPECT_THAT(says(blocked, 3 * 7680), Contains("3 of these tensors, one after "
                                                "the other"));
  EXPECT_THAT(says(blocked, 3 * 3840), Contains("the size with n=3"));
  EXPECT_THAT(says(blocked, 7681), ElementsAre("1 bytes too many"));
  EXPECT_THAT(says(blocked, 0), ElementsAre("the file is empty"));
  EXPECT_THAT(says(blocked, 7680), IsEmpty());
  const Layout local =
      layout_of("okk.aligned(npus=64,npu_bytes=8192)", "2x17x6x5");
  EXPECT_THAT(says(local, 32 * 8192),
              Contains("32 npu of 8192 bytes each, where the layout has 64"));
  const Layout pitched = layout_of("n c h:8 w", "n=2,c=3,h=6,w=5");
  EXPECT_THAT(says(pitched, pitched.size_bytes() - 12),
              Contains("ends with the last element: the padding after it is "
                       "missing"));
}

TEST(Words, Sets) {
  const auto words = [](std::initializer_list<int> in, std::size_t size) {
    std::vector<bool> set(size);
    for (const int k : in) set[static_cast<std::size_t>(k)] = true;
    return inspect::print_set("c", set);
  };
  EXPECT_EQ(words({}, 4), "");
  EXPECT_EQ(words({0, 1, 2, 3}, 4), "");
  EXPECT_EQ(words({2}, 4), "c=2");
  EXPECT_EQ(words({1, 3, 5, 7}, 8), "c odd");
  EXPECT_EQ(words({0, 2, 4, 6}, 8), "c even");
  EXPECT_EQ(words({1, 2, 5, 6, 9, 10}, 12), "c=4k+1 and 4k+2");
  EXPECT_EQ(words({3, 7, 11}, 12), "c=4k+3");
  EXPECT_EQ(words({1, 2, 9}, 12), "c=1..2 and 9");
}

}  // namespace
}  // namespace stridewise
