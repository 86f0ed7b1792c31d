// What lies where nothing should, and sizes that do not fit.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "inspect/tensors.hpp"

namespace stridewise {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace inspect_test;  // NOLINT

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
              ElementsAre("5 elements are NaN: all of n=1, c=3, h=2",
                          "1 element is infinite: n=0, c=0, h=5, w=4"));
}

TEST(Check, SizesThatDoNotFit) {
  const Layout blocked = layout_of("nChw16c", "2x17x6x5");
  const auto says = [](const Layout& layout, std::int64_t bytes) {
    return explain_size(layout, f32, bytes);
  };
  EXPECT_THAT(says(blocked, 4080),
              Contains(HasSubstr("elements alone: written without padding")));
  EXPECT_THAT(says(blocked, 3840),
              Contains("the size of another type: f16, bf16, s16, u16; read it "
                       "with --dtype f16"));
  EXPECT_THAT(says(blocked, 8192),
              Contains("the layout's 7680 bytes rounded up to a multiple of "
                       "4096; read it with --skip 0"));
  EXPECT_THAT(says(blocked, 3 * 7680),
              Contains("3 of these tensors, one after the other; read the "
                       "second with --skip 7680"));
  EXPECT_THAT(says(blocked, 3 * 3840),
              Contains("the size with n=3; read it with --shape "
                       "n=3,c=17,h=6,w=5"));
  EXPECT_THAT(says(blocked, 7681), ElementsAre("1 byte too many"));
  EXPECT_THAT(says(blocked, 0), ElementsAre("the file is empty"));
  EXPECT_THAT(says(blocked, 7680), IsEmpty());
  const Layout local =
      layout_of("okk.aligned(npus=64,npu_bytes=8192)", "2x17x6x5");
  EXPECT_THAT(says(local, 32 * 8192),
              Contains("32 npu of 8192 bytes each, where the layout has 64; "
                       "read it by 'npu=c%32 |8192B| offset=n c/32:^128B h "
                       "w'"));
  const Layout pitched = layout_of("n c h:8 w", "n=2,c=3,h=6,w=5");
  EXPECT_THAT(says(pitched, pitched.size_bytes() - 12),
              Contains("ends with the last element: the padding after it is "
                       "missing; read it with --short"));
}

// The likeliest first, few, and none that another one makes nonsense of.
TEST(Check, SizesOfBanks) {
  const auto says = [](const Layout& layout, std::int64_t bytes) {
    return explain_size(layout, f32, bytes);
  };
  const Layout natural =
      layout_of("npu=c%64 | n c/64:^128B h w", "n=2,c=70,h=6,w=5");
  ASSERT_EQ(natural.size_bytes(), 64 * 512);
  EXPECT_THAT(says(natural, 64 * 1536),
              ElementsAre("64 npu of 1536 bytes each, where the layout has "
                          "512; read it by 'npu=c%64 |1536B| n c/64:^128B h "
                          "w'"));
  EXPECT_THAT(says(layout_of("okk.aligned", "2x70x6x5"), 64 * 1024),
              ElementsAre(StartsWith("64 npu of 1024 bytes each, where the "
                                     "layout has 524288; read it by")));
}

TEST(Check, SizesOfPaddedDims) {
  const auto says = [](const char* text, std::int64_t bytes) {
    return explain_size(layout_of(text, "2x70x6x5"), f32, bytes);
  };
  EXPECT_EQ(says("nchw", 2 * 72 * 30 * 4).at(0),
            "the size with c padded from 70 to 72; read it by 'n:2160 c h w'");
  EXPECT_EQ(says("nhwc", 2 * 80 * 30 * 4).at(0),
            "the size with c padded from 70 to 80; read it by 'n h w:80 c'");
  for (const std::string& sentence : says("nchw", 2 * 80 * 30 * 4)) {
    EXPECT_THAT(sentence, Not(HasSubstr("rounded")));
  }
}

TEST(Check, SizesOfOtherStrides) {
  const Layout plain = layout_of("nchw", "2x3x100x192");
  const auto says = [&](std::int64_t bytes) {
    return explain_size(plain, f32, bytes).at(0);
  };
  EXPECT_EQ(says(2 * 3 * 100 * 193 * 4),
            "the size with h 193 elements apart instead of 192; read it by "
            "'n c h:193 w'");
  EXPECT_EQ(says(((2 * 3 * 100 - 1) * 193 + 192) * 4),
            "the size with h 193 elements apart instead of 192; read it by "
            "'n c h:193 w'");
  EXPECT_EQ(
      explain_size(layout_of("nchw", "2x3x100x190"), f32, 2 * 3 * 100 * 192 * 4)
          .at(0),
      "the size with w padded from 190 to 192; read it by 'n c h:192 w'");
  EXPECT_THAT(explain_size(plain, f32, plain.size_bytes() - 1),
              ElementsAre("1 byte is missing"));
}

TEST(Check, BytesAreThoseOfTheFile) {
  const Layout layout = layout_of("nChw16c", "1x17x2x2");
  Bytes memory = random_tensor(layout);
  memory[324] = std::byte{1};
  const Result<CheckReport> report = check_memory(layout, memory, f32, {}, 96);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->leaks.at(0).byte, 96 + 324);
}

}  // namespace
}  // namespace stridewise
