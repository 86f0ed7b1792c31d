// What a file of another size than its layout might be, and what reads it.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/tensors.hpp"

namespace stridewise {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace inspect_test;  // NOLINT

const ElementType u8 = *parse_element_type("u8");
const ElementType f16 = *parse_element_type("f16");

std::vector<std::string> says(const std::string& text, const std::string& shape,
                              std::int64_t bytes,
                              const ElementType& type = f32) {
  return explain_size(layout_of(text, shape, type), type, bytes);
}

TEST(Sizes, RowsOfAFrame) {
  EXPECT_THAT(says("h w", "h=1080,w=1920", 2142720, u8),
              ElementsAre("rows of 1984 instead of 1920 (2142720 / 1080); read "
                          "it by 'h:1984 w'"));
  EXPECT_THAT(says("h w", "h=1080,w=1920", 2 * 2142720, f16),
              ElementsAre("rows of 3968 bytes instead of 3840 (4285440 / "
                          "1080); read it by 'h:1984 w'"));
  EXPECT_THAT(says("h:2048 w", "h=1080,w=1920", 2142720, u8),
              Contains(StartsWith("rows of 1984 instead of 2048")));
  EXPECT_THAT(says("n c h w", "n=2,c=3,h=50,w=1920", 2 * 3 * 50 * 1984, u8),
              ElementsAre("rows of 1984 instead of 1920 (595200 / 300); read "
                          "it by 'n c h:1984 w'"));
}

// 101 is no usual multiple: the others divide the size.
TEST(Sizes, ADimInTheMiddle) {
  EXPECT_EQ(says("n c h w", "n=2,c=3,h=100,w=192", 2 * 3 * 101 * 192 * 4).at(0),
            "the size with h padded from 100 to 101 (465408 / 4608); read it "
            "by 'n c:19392 h w'");
  EXPECT_EQ(says("n c h w", "n=2,c=5,h=7,w=9", 2 * 7 * 7 * 9 * 4).at(0),
            "the size with c padded from 5 to 7 (3528 / 504); read it by "
            "'n:441 c h w'");
}

TEST(Sizes, TwoPaddedDims) {
  EXPECT_THAT(says("h w", "h=360,w=70", 368 * 80 * 4),
              ElementsAre("the size with h padded from 360 to 368 and w padded "
                          "from 70 to 80; read it by 'h:80 w' with --skip 0"));
  EXPECT_EQ(says("r c", "r=45,c=70", 48 * 80 * 4).at(0),
            "the size with r padded from 45 to 48 and c padded from 70 to 80; "
            "read it by 'r:80 c' with --skip 0");
  // 364 x 72 would be as large as no other pair; the least growth is told.
  EXPECT_THAT(says("h w", "h=361,w=70", 364 * 72 * 4).at(0),
              HasSubstr("h padded from 361 to 364 and w padded from 70 to 72"));
}

TEST(Sizes, OtherWidthsOfBits) {
  EXPECT_THAT(says("h w", "h=1024,w=1024", 524288, u8),
              Contains("the size of another type: u4, s4, f4; read it with "
                       "--dtype u4"));
  EXPECT_THAT(says("h w", "h=64,w=64", 512, u8),
              Contains("the size of another type: u1; read it with --dtype "
                       "u1"));
  EXPECT_THAT(says("h w", "h=64,w=64", 64 * 64 * 8),
              Contains(StartsWith("the size of another type: f64, s64, u64")));
  const ElementType u4 = *parse_element_type("u4");
  const Layout nibbles =
      *Layout::bind(*parse_expression("h w"), *parse_shape("h=64,w=64"),
                    Binding{.element_bits = 4});
  EXPECT_THAT(explain_size(nibbles, u4, 64 * 64),
              ElementsAre(StartsWith("the size of another type: s8, u8"),
                          "2 of these tensors, one after the other; read the "
                          "second with --skip 2048"));
}

TEST(Sizes, Headers) {
  for (const std::int64_t header : {64, 128, 256, 20}) {
    EXPECT_THAT(says("n c h w", "n=2,c=17,h=5,w=7", 2 * 17 * 35 * 4 + header),
                Contains(StartsWith(std::to_string(header) +
                                    " bytes more than the layout's 4760, as of "
                                    "a header; read it with --skip ")));
  }
}

TEST(Sizes, SeveralTensors) {
  EXPECT_THAT(says("n c h w", "n=1,c=3,h=5,w=7", 5 * 420),
              Contains("5 of these tensors, one after the other; read the "
                       "second with --skip 420"));
}

TEST(Sizes, AtMostThree) {
  for (std::int64_t bytes = 1; bytes < 4000; bytes += 7) {
    if (bytes == 1920) continue;  // the layout's own
    const auto sentences = says("n c/8 h w c%8", "n=2,c=11,h=3,w=5", bytes);
    EXPECT_THAT(sentences, AllOf(Not(SizeIs(0)), Not(SizeIs(4)))) << bytes;
  }
}

// What a sentence says that reads the file must read it: a layout that the file has all
// elements of, and of its size unless --skip 0 goes with it.
TEST(Sizes, WhatReadsItReadsIt) {
  struct Case {
    const char* text;
    const char* shape;
  };
  for (const auto& [text, shape] :
       {Case{"n c h w", "n=2,c=11,h=13,w=18"},
        Case{"n h w c", "n=2,c=5,h=6,w=7"},
        Case{"n c/8 h w c%8", "n=2,c=11,h=3,w=5"}, Case{"h:40 w", "h=9,w=33"},
        Case{"npu=c%4 |512B| n c/4:^64B h w", "n=2,c=11,h=3,w=5"}}) {
    for (std::int64_t bytes = 4; bytes < 9000; bytes += 132) {
      for (const std::string& sentence : says(text, shape, bytes)) {
        const std::size_t at = sentence.find("read it by '");
        if (at == std::string::npos) continue;
        const std::size_t begin = at + 12;
        const std::size_t end = sentence.find('\'', begin);
        const Layout layout =
            layout_of(sentence.substr(begin, end - begin), shape);
        ASSERT_TRUE(layout.valid()) << sentence;
        EXPECT_LE(layout.used_bits(), 8 * bytes) << sentence;
        const bool more = sentence.ends_with("with --skip 0");
        EXPECT_EQ(more, layout.size_bytes() < bytes) << sentence << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace stridewise
