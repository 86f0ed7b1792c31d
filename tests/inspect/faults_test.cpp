// Each fault that a kernel may have is planted, and must be named by its sentence.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "inspect/tensors.hpp"

namespace stridewise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using namespace inspect_test;  // NOLINT

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

// The lanes of each word of four in another order, of some channels alone.
Pair lanes_of(const char* shape, std::array<std::size_t, 4> from,
              std::int64_t channels) {
  const Pair right =
      pair_of("okk.4n(npus=4,npu_bytes=8192)", shape, "nchw", s8);
  Pair pair = right;
  const Layout& layout = pair.layout;
  Index x(4, 0);
  const std::int64_t words = (layout.shape()[0].extent + 3) / 4;
  for (std::int64_t word = 0; word < words; ++word) {
    for (x[1] = 0; x[1] < channels; ++x[1]) {
      for (x[2] = 0; x[2] < layout.shape()[2].extent; ++x[2]) {
        for (x[3] = 0; x[3] < layout.shape()[3].extent; ++x[3]) {
          x[0] = 4 * word;
          const auto at = static_cast<std::size_t>(layout.offset(x));
          for (std::size_t lane = 0; lane < 4; ++lane) {
            pair.dump[at + lane] = right.dump[at + from.at(lane)];
          }
        }
      }
    }
  }
  return pair;
}

TEST(Diff, WrongLanesOfAWordThatIsNotFull) {
  EXPECT_EQ(lanes_of("6x6x5x7", {3, 1, 2, 0}, 6).report(s8).findings.at(0),
            "n%4=0 and n%4=3 are swapped");
  EXPECT_EQ(lanes_of("6x6x5x7", {1, 2, 3, 0}, 6).report(s8).findings.at(0),
            "n%4 is rotated: n%4=0 holds n%4=1");
  EXPECT_EQ(lanes_of("5x6x5x7", {0, 2, 1, 3}, 6).report(s8).findings.at(0),
            "n=1 and n=2 are swapped");
  EXPECT_EQ(lanes_of("2x6x5x7", {3, 2, 1, 0}, 6).report(s8).findings.at(0),
            "n%4=2 holds n%4=1, n%4=3 holds n%4=0");
}

TEST(Diff, WrongLanesOfSomeChannels) {
  EXPECT_EQ(lanes_of("8x6x5x7", {3, 1, 2, 0}, 2).report(s8).findings.at(0),
            "n=4k and 4k+3 are swapped, where c=0..1");
  EXPECT_EQ(lanes_of("6x6x5x7", {3, 1, 2, 0}, 2).report(s8).findings.at(0),
            "n%4=0 and n%4=3 are swapped, where c=0..1");
}

// A shift is told of all that it is true of, and of nothing else.
TEST(Diff, OneIndexThatHoldsAnotherIsNoShift) {
  Pair pair = pair_of("nchw", "4x17x6x5");
  const std::size_t batch = pair.dump.size() / 4;
  std::memcpy(pair.dump.data() + 3 * batch, pair.dump.data(), batch);
  EXPECT_EQ(pair.report().findings.at(0), "n=3 holds n=0");
}

TEST(Diff, ProcessorsOfOneBatchAreSwapped) {
  const Pair right = pair_of("okk.aligned(npus=8,npu_bytes=8192)", "2x16x6x5");
  Pair pair = right;
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    if (x[0] != 1 || (x[1] % 8 != 2 && x[1] % 8 != 3)) return;
    const Index y = {x[0], x[1] ^ 1, x[2], x[3]};
    std::memcpy(pair.dump.data() + pair.layout.offset(x) * 4,
                right.dump.data() + right.layout.offset(y) * 4, 4);
  });
  EXPECT_EQ(pair.report().findings.at(0),
            "npu=2 and npu=3 are swapped, where n=1");
}

// Rows of 9 where 8 were meant: all that is slower follows.
TEST(Diff, AStrideThatOthersFollow) {
  const char* const shape = "n=2,c=3,h=9,w=8";
  Pair pair = pair_of("n c h:10 w", shape);
  const Layout wider = layout_of("n c h:11 w", shape);
  Bytes dump = moved(pair.logical, wider, pair.reference);
  dump.resize(pair.dump.size());
  pair.dump = dump;
  EXPECT_EQ(pair.report().findings.at(0),
            "written with h 11 elements apart instead of 10");
}

TEST(Diff, ValuesInOtherPlaces) {
  Pair pair = pair_of("nchw", "2x17x6x5");
  pair.dump = moved(pair.logical, layout_of("nhwc", "n=2,c=17,h=6,w=5"),
                    pair.reference);
  EXPECT_THAT(pair.report().findings.at(0),
              StartsWith("A has the values of B in other places"));
  // Other values are in no place.
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    put(pair.dump, pair.layout, x, 0.5F);
  });
  EXPECT_EQ(pair.report().findings.at(0), "A is 0.5 in all that differs");
}

TEST(Diff, BytesAreThoseOfTheFile) {
  Pair pair = pair_of("nChw16c", "2x17x6x5");
  put(pair.dump, pair.layout, {1, 2, 3, 4}, -1.0F);
  DiffOptions options{f32};
  options.first_byte_a = 96;
  const Result<DiffReport> report =
      diff(pair.layout, pair.dump, pair.logical, pair.reference, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->first->byte_a,
            96 + 4 * pair.layout.offset(Index{1, 2, 3, 4}));
  EXPECT_EQ(report->first->byte_b, 4 * pair.logical.offset(Index{1, 2, 3, 4}));
}

}  // namespace
}  // namespace stridewise
