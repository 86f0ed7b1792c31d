// Layouts as other programs write them: what each text means, by numbers and formulas of
// those programs; and that what is printed is read again.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/dialect.hpp"
#include "stridewise/notation.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using X = const std::vector<std::int64_t>&;

std::string expression(std::string_view text,
                       const std::vector<std::string>& known = {}) {
  const Result<LayoutSource> source = resolve_layout(text, known);
  return source ? print(source->expression)
                : "error: " + source.error().message;
}

Layout bound(std::string_view text, std::string_view shape,
             std::int64_t element_bytes = 4) {
  const Shape named = *parse_shape(shape);
  std::vector<std::string> dims;
  for (const Dim& dim : named) dims.push_back(dim.name);
  const Result<LayoutSource> source = resolve_layout(text, dims);
  EXPECT_TRUE(source) << source.error().to_string();
  const Result<Layout> layout = source->bind(named, element_bytes);
  EXPECT_TRUE(layout) << text << ": " << layout.error().message;
  return *layout;
}

// The first index that lies elsewhere than the formula says, in elements.
std::string difference(const Layout& layout,
                       const std::function<std::int64_t(X)>& formula) {
  std::string found;
  for_each_index(layout.shape(), [&](const std::vector<std::int64_t>& x) {
    const std::int64_t place = layout.bit_of(x) / layout.element_bits();
    if (!found.empty() || place == formula(x)) return;
    found = "at " + ::testing::PrintToString(x) + ": " + std::to_string(place) +
            ", not " + std::to_string(formula(x));
  });
  return found;
}

std::string as(std::string_view layout, std::string_view shape, Dialect dialect,
               std::int64_t element_bytes = 4) {
  const Result<std::string> text =
      print_as(bound(layout, shape, element_bytes), dialect);
  return text ? *text : "no: " + text.error().message;
}

// ---------------------------------------------------------------- letters ---

TEST(Dialects, LettersOfTvm) {
  EXPECT_EQ(expression("NCHW"), "n c h w");
  EXPECT_EQ(expression("NHWC"), "n h w c");
  EXPECT_EQ(expression("NCHW4c"), "n c/4 h w c%4");
  EXPECT_EQ(expression("NCHW16c"), expression("nChw16c"));
  EXPECT_EQ(expression("OIHW16i64o2i"), "o/64 i/32 h w i%32/2 o%64 i%2");
  EXPECT_EQ(expression("HWIO"), "h w i o");
  EXPECT_EQ(resolve_layout("HWIO")->dims,
            (std::vector<std::string>{"o", "i", "h", "w"}));
  EXPECT_EQ(resolve_layout("NHWC")->spelled_dims,
            (std::vector<std::string>{"n", "h", "w", "c"}));
  EXPECT_THAT(expression("NCHW1c"), HasSubstr("of 2 or more"));
  EXPECT_THAT(expression("NCHW4"), HasSubstr("did you mean"));
  EXPECT_THAT(expression("NCHW4cx"), HasSubstr("expected a block"));
  EXPECT_THAT(expression("NCHW4i"), HasSubstr("a block of dim i"));
  EXPECT_THAT(expression("NCHW99999999999999999999c"), HasSubstr("64 bits"));
}

TEST(Dialects, LettersOfOthers) {
  EXPECT_EQ(expression("OHWIo8i4"), "o/8 h w i/4 o%8 i%4");
  EXPECT_EQ(expression("b_fs_yx_fsv16"), "n c/16 h w c%16");
  EXPECT_EQ(expression("bfyx"), "n c h w");
  EXPECT_EQ(expression("byxf"), "n h w c");
  EXPECT_EQ(expression("bs_fs_zyx_bsv16_fsv32"), "n/16 c/32 d h w n%16 c%32");
  EXPECT_EQ(expression("os_is_yx_osa4_isa8_osv8_isv4"),
            "o/32 i/32 h w o%32/8 i%32/4 o%8 i%4");
  EXPECT_EQ(expression("g_os_is_yx_isv16_osv16"), "g o/16 i/16 h w i%16 o%16");
}

TEST(Dialects, NamesWithoutTheirVendor) {
  EXPECT_EQ(expression("NC4HW4"), "c/4 n h w c%4");
  EXPECT_EQ(expression("NC4HW4(pack=8)"), "c/8 n h w c%8");
  EXPECT_EQ(resolve_layout("FRACTAL_NZ")->name, "ascend.FRACTAL_NZ");
  EXPECT_EQ(resolve_layout("NZ")->name, "ascend.FRACTAL_NZ");
  EXPECT_EQ(resolve_layout("kCHW32")->name, "tensorrt.kCHW32");
  EXPECT_EQ(resolve_layout("CHW32")->name, "tensorrt.kCHW32");
  EXPECT_EQ(resolve_layout("COL32")->name, "cublaslt.COL32");
  EXPECT_EQ(resolve_layout("NC1HWC2")->name, "rknn.NC1HWC2");
  EXPECT_EQ(resolve_layout("NHD")->name, "kv.flashinfer-NHD");
  EXPECT_EQ(resolve_layout("channels_last")->name, "torch.channels_last");
  EXPECT_THAT(expression("channel_last"), HasSubstr("'channels_last'?"));
  EXPECT_THAT(expression("FRACTAL_N"), HasSubstr("'FRACTAL_Z'?"));
  EXPECT_THAT(expression("int4"), HasSubstr("did you mean 'gptq.int4'?"));
  // Of no tag's grammar that nobody spoke of.
  for (const char* text : {"NC4HW5", "FRACTAL_X", "b_fs_yx_fsv", "kHWC9"}) {
    const std::string error = expression(text);
    EXPECT_THAT(error, HasSubstr("unknown layout")) << text;
    EXPECT_EQ(error.find("a tag"), std::string::npos) << error;
  }
  EXPECT_THAT(expression("aBcd1b"), HasSubstr("a block is of 2 or more"));
}

// -------------------------------------------------------------------- XLA ---

TEST(Dialects, XlaTiles) {
  EXPECT_EQ(expression("{1,0}"), "a b");
  EXPECT_EQ(expression("{0,1}"), "b a");
  EXPECT_EQ(expression("{1,0}", {"r", "c"}), "r c");
  EXPECT_EQ(expression("{2,1,0:T(8,128)}"), "a b/8 c/128 b%8 c%128");
  EXPECT_EQ(expression("{1,0:T(8,128)(2,1)}"), "a/8 b/128 a%8/2 b%128 a%2");
  EXPECT_EQ(expression("{1,0:T(8,128)(4,1)}"), "a/8 b/128 a%8/4 b%128 a%4");
  // The document's own example of combined dims.
  const Layout combined =
      bound("{4,3,2,1,0:T(*,*,2,*,3)}", "a=2,b=3,c=5,d=3,e=5");
  EXPECT_EQ(difference(combined,
                       [](X x) {
                         const auto r = (x[0] * 3 + x[1]) * 5 + x[2];
                         const auto s = x[3] * 5 + x[4];
                         return ((r / 2 * 5 + s / 3) * 2 + r % 2) * 3 + s % 3;
                       }),
            "");
  // A memory space changes no place; what it and the bits of an element are told of.
  EXPECT_EQ(expression("{1,0:T(8,128)(2,1)S(1)}"), "a/8 b/128 a%8/2 b%128 a%2");
  const LayoutSource packed = *resolve_layout("s4[16,256]{1,0:T(8,128)E(4)}");
  EXPECT_EQ(packed.element_bits, 4);
  EXPECT_EQ(packed.element_type, "s4");
  EXPECT_EQ(packed.bind(*parse_shape("a=16,b=256"), Binding{.element_bits = 4})
                ->size_bytes(),
            16 * 256 / 2);
  const LayoutSource wide = *resolve_layout("pred[8,8]{1,0:T(8,128)E(32)}");
  EXPECT_EQ(wide.element_bits, 32);
  EXPECT_EQ(wide.element_type, "");
  EXPECT_EQ(resolve_layout("f8e4m3[2,2]{1,0}")->element_type, "f8_e4m3");
  EXPECT_EQ(resolve_layout("f8e4m3fn[2,2]{1,0}")->element_type, "f8_e4m3fn");
  EXPECT_EQ(resolve_layout("f8e8m0fnu[2,2]{1,0}")->element_type, "e8");
  EXPECT_EQ(resolve_layout("f4e2m1fn[2,2]{1,0}")->element_type, "f4");
  for (const char* wrong : {"f32[4,8]{1,0:E(4)}", "s8[4,8]{1,0:E(4)}",
                            "{1,0:E(99999)}", "f32[4]{1,0}"}) {
    EXPECT_THAT(expression(wrong), StartsWith("error: ")) << wrong;
  }
  EXPECT_THAT(expression("{1,0:T(8,128)Q(1)}"), HasSubstr("memory space"));
  EXPECT_THAT(expression("{1,0:S(}"), HasSubstr("a number"));
  // Numbers that XLA reports.
  EXPECT_EQ(bound("s32[8388608,8,4]{2,1,0:T(8,128)}", "a=8388608,b=8,c=4")
                .size_bytes(),
            std::int64_t{32} << 30);
  EXPECT_EQ(bound("s32[8388608,8,4]{0,2,1:T(4,128)}", "a=8388608,b=8,c=4")
                .size_bytes(),
            std::int64_t{1} << 30);
  EXPECT_THAT(resolve_layout("f32[2,3]{1,0}")
                  ->bind(*parse_shape("a=2,b=4"), 4)
                  .error()
                  .message,
              HasSubstr("b=3, but the shape is a=2,b=4"));
  EXPECT_THAT(resolve_layout("bf16[2,3]{1,0}")
                  ->bind(*parse_shape("a=2,b=3"), 4)
                  .error()
                  .message,
              HasSubstr("of 16 bits, not of 32"));
  EXPECT_THAT(expression("f33[2,3]{1,0}"), HasSubstr("'f33'"));
  EXPECT_THAT(
      expression("{1,0:T(*,2)(*,2)(*,2)(*,2)(*,2)(*,2)(*,2)(*,2)(*,2)}"),
      HasSubstr("8 tiles"));
  EXPECT_THAT(expression("{1,1}"), HasSubstr("each once"));
  EXPECT_THAT(expression("{1,0:T(8,128}"), HasSubstr("',' or ')'"));
  EXPECT_THAT(expression("{1,0:T(0,1)}"), HasSubstr("1 or more"));
  EXPECT_THAT(expression("{0:T(2,2)}"), HasSubstr("but there are 1"));
  EXPECT_THAT(expression("{1,0:T(2,*)}"), HasSubstr("there is none"));
  EXPECT_THAT(expression("{1,0:T(6,8)(4,1)}"), HasSubstr("4"));
  EXPECT_THAT(expression("{0,1:T(1)(2)}"), HasSubstr("pad"));
  EXPECT_THAT(expression("{1,0:T(8,1)(2,2)}"), HasSubstr("pad"));
  EXPECT_THAT(expression("{1,0:U(1)}"), HasSubstr("expected a tile"));
}

// ------------------------------------------------------------------- CuTe ---

TEST(Dialects, CuteTuples) {
  EXPECT_EQ(expression("(4,8):(1,4)"), "a:1 b:4");
  EXPECT_EQ(expression("_8:_1"), "a:1");
  EXPECT_EQ(expression("((4,8),(2,2)):((32,1),(16,8))"),
            "a%4:32 a/4:1 b%2:16 b/2:8");
  // mma.m16n8k16, operand A: thread and value to m + 16 k.
  const Layout fragment =
      bound("((4,8),(2,2,2)):((32,1),(16,8,128))", "t=32,v=8");
  EXPECT_EQ(difference(fragment,
                       [](X x) {
                         const auto m = x[0] / 4 + x[1] / 2 % 2 * 8;
                         const auto k = x[0] % 4 * 2 + x[1] % 2 + x[1] / 4 * 8;
                         return m + 16 * k;
                       }),
            "");
  EXPECT_THAT(expression("(4,8):(1)"), HasSubstr("the form of the sizes"));
  EXPECT_THAT(expression("((4,8):(1,4)"), HasSubstr("expected"));
  EXPECT_THAT(expression("(4,8):"), HasSubstr("a number"));
  EXPECT_THAT(expression("(0,8):(1,4)"), HasSubstr("a size is 1 or more"));
  EXPECT_THAT(expression("(4,8):(1,-4)"), HasSubstr("negative"));
  EXPECT_THAT(expression(std::string(10000, '(') + ":"),
              HasSubstr("too deeply"));
  EXPECT_THAT(resolve_layout("(4,8):(1,4)")
                  ->bind(*parse_shape("a=4,b=9"), 4)
                  .error()
                  .message,
              HasSubstr("b=8"));
}

TEST(Dialects, CuteSwizzles) {
  const auto swizzled = [](std::int64_t place, int bits, int base, int shift) {
    const std::int64_t mask = ((std::int64_t{1} << bits) - 1) << base;
    return shift > 0 ? place ^ ((place >> shift) & mask)
                     : place ^ ((place & mask) << -shift);
  };
  struct Case {
    const char* text;
    const char* shape;
    int bits, base, shift;
    std::function<std::int64_t(X)> plain;
  };
  const Case cases[] = {
      {"Sw<3,4,3> o (8,128):(128,1)", "a=8,b=128", 3, 4, 3,
       [](X x) { return x[0] * 128 + x[1]; }},
      {"Sw<2,4,3> o (16,64):(64,1)", "a=16,b=64", 2, 4, 3,
       [](X x) { return x[0] * 64 + x[1]; }},
      {"Sw<1,4,3> o _0 o (16,32):(32,1)", "a=16,b=32", 1, 4, 3,
       [](X x) { return x[0] * 32 + x[1]; }},
      {"Sw<3,3,3> o (24,64):(64,1)", "a=24,b=64", 3, 3, 3,
       [](X x) { return x[0] * 64 + x[1]; }},
      {"Sw<3,3,3> o ((4,8),(8,8)):((64,256),(1,8))", "a=32,b=64", 3, 3, 3,
       [](X x) { return x[0] * 64 + x[1]; }},
      {"Sw<2,0,3> o (8,8):(8,1)", "a=8,b=8", 2, 0, 3,
       [](X x) { return x[0] * 8 + x[1]; }},
      {"Sw<2,3,-3> o (8,64):(64,1)", "a=8,b=64", 2, 3, -3,
       [](X x) { return x[0] * 64 + x[1]; }},
      // Bits that no digit of a fills are xored all the same.
      {"Sw<3,4,3> o (2,64):(128,1)", "a=2,b=64", 3, 4, 3,
       [](X x) { return x[0] * 128 + x[1]; }},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(difference(bound(c.text, c.shape),
                         [&](X x) {
                           return swizzled(c.plain(x), c.bits, c.base, c.shift);
                         }),
              "")
        << c.text;
  }
  EXPECT_EQ(expression("Sw<3,4,3> o (8,128):(128,1)"),
            "a:128 b%16:1 b%128/16^a%8:16");
  EXPECT_THAT(expression("Sw<3,4,3> o (6,100):(100,1)"),
              HasSubstr("powers of two"));
  EXPECT_THAT(expression("Sw<3,4,2> o (8,128):(128,1)"), HasSubstr("overlap"));
  EXPECT_THAT(expression("Sw<3,4> o (8,128):(128,1)"),
              HasSubstr("three numbers"));
  EXPECT_THAT(expression("Sw<3,4,3>"), HasSubstr("expected 'o'"));
}

// Beside a pointer, a swizzle is of the bytes of an address.
TEST(Dialects, CutePointers) {
  struct Case {
    const char* text;
    std::int64_t element_bits;
  };
  for (const Case& c :
       {Case{"Sw<3,4,3> o smem_ptr[8b](unset) o (_8,_128):(_128,_1)", 8},
        {"Sw<3,4,3> o smem_ptr[16b](0x7c00) o (_8,_64):(_64,_1)", 16},
        {"Swizzle<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)", 32},
        {"Swizzle<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)", 4}}) {
    const LayoutSource source = *resolve_layout(c.text);
    EXPECT_EQ(source.element_bits, c.element_bits);
    const Layout layout =
        *source.bind({{"a", source.extents.at(0)}, {"b", source.extents.at(1)}},
                     Binding{.element_bits = c.element_bits});
    EXPECT_EQ(difference(layout,
                         [&](X x) {
                           const std::int64_t bit =
                               x[0] * 1024 + x[1] * c.element_bits;
                           const std::int64_t byte = bit / 8;
                           const std::int64_t moved = byte ^ (byte >> 7 & 7)
                                                                 << 4;
                           return (moved * 8 + bit % 8) / c.element_bits;
                         }),
              "")
        << c.text;
  }
  // As a tensor of shared memory is printed, and by CuTe's DSL.
  const char* const by_bytes =
      "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)";
  for (const char* same :
       {"Sw<3,4,3>_smem_ptr[16b](0x7f8800000400) o (8,64):(64,1)",
        "S<3,3,3> o 0 o (8,64):(64,1)",
        "ptr[16b](0x400) o Sw<3,3,3> o _0 o (8,64):(64,1)"}) {
    EXPECT_EQ(expression(same), expression(by_bytes)) << same;
  }
  EXPECT_THAT(expression("Sw<3,4,3>_smem_ptr[16b](0x440) o (8,64):(64,1)"),
              HasSubstr("no multiple of 1024 bytes"));
  EXPECT_THAT(expression("Sw<3,3,3> o _64 o (8,64):(64,1)"),
              HasSubstr("an offset below a swizzle"));
  EXPECT_EQ(expression("gmem_ptr[32b](0x7f0000) o (8,64):(64,1)"), "a:64 b:1");
  EXPECT_THAT(expression("Sw<3,0,3> o smem_ptr[16b](unset) o (8,64):(64,1)"),
              HasSubstr("within an element of 16 bits"));
  for (const char* wrong :
       {"smem_ptr[", "smem_ptr[16b", "smem_ptr[16b](", "smem_ptr[16b](0x7",
        "smem_ptr[16b](unset)", "smem_ptr[999b](unset) o 8:1",
        "ptr[0b](x) o 8:1",
        "Sw<3,4,3> o smem_ptr[24b](unset) o (8,64):(64,1)"}) {
    EXPECT_THAT(expression(wrong), StartsWith("error: ")) << wrong;
  }
}

// ------------------------------------------------------------------- TIRx ---

TEST(Dialects, TirxAxesAndCopies) {
  EXPECT_EQ(expression("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]", {"x"}),
            "laneid=x/16:4 x%8/2:1 | warpid=x%16/8:1 | m=x%2:1");
  EXPECT_EQ(expression("S[8, 8]", {"x"}), "x/8:8 x%8:1");
  const Layout tile =
      bound("S[(8, 2, 4, 2) : (4@laneid, 1@warpid, 1@laneid, 1)]", "r=16,c=8");
  std::vector<std::int64_t> at(3);
  tile.coordinates_of(std::vector<std::int64_t>{5, 6}, at);
  // 5*8 + 6 = 46 = ((2*2 + 1)*4 + 3)*2 + 0
  EXPECT_EQ(at, (std::vector<std::int64_t>{2 * 4 + 3, 1, 0}));
  const Layout scales =
      bound("S[(32, 4) : (1@TLane, 1@TCol)] + R[4 : 32@TLane]", "r=32,c=4");
  EXPECT_EQ(scales.axes()[0].extent, 128);
  EXPECT_EQ(bound("S[(2,3):(3,1)] + 5", "r=2,c=3").offset(0, 0), 5);
  // TVM's own example: place 10 becomes 11.
  EXPECT_EQ(bound("ComposeLayout(0, 2, 3, S[8, 8])", "r=8,c=8").offset(1, 2),
            11);
  EXPECT_THAT(expression("ComposeLayout(0,1,1,S[4:1] + 1)"),
              HasSubstr("xored"));
  EXPECT_THAT(expression("S[8:1] + 9223372036854775807 + 9223372036854775807"),
              HasSubstr("overflow"));
  EXPECT_THAT(
      expression("ComposeLayout(0,1,1,S[(8,8):(9223372036854775807,1)])"),
      HasSubstr("overflow"));
  const std::vector<std::string> two = {"flat", "b"};
  EXPECT_THAT(resolve_layout("S[(2,8):(8,1)]", two)
                  ->bind(*parse_shape("flat=3,b=8"), 4)
                  .error()
                  .message,
              HasSubstr("of 16 elements"));
  EXPECT_TRUE(resolve_layout("S[(2,8):(8,1)]", two)
                  ->bind(*parse_shape("flat=2,b=8"), 4));
  EXPECT_THAT(expression("S[(8,2):(1)]"), HasSubstr("as many strides"));
  EXPECT_THAT(expression("S[(8,2):(1@,1)]"), HasSubstr("expected an axis"));
  EXPECT_THAT(expression("S[(8,0):(1,1)]"), HasSubstr("1 or more"));
  EXPECT_THAT(expression("S[8"), HasSubstr("expected ']'"));
}

// ---------------------------------------------------------------- strides ---

TEST(Dialects, StridesOfArrays) {
  EXPECT_EQ(expression("torch(60, 20, 5, 1)"), "a:60 b:20 c:5 d:1");
  EXPECT_EQ(expression("numpy(240,80,20,4)", {"n", "c", "h", "w"}),
            "n:240B c:80B h:20B w:4B");
  EXPECT_EQ(expression("dlpack(3,1,)"), "a:3 b:1");
  const Layout turned = bound("numpy(-24, 8, 4)", "h=3,w=3,c=2");
  EXPECT_EQ(
      difference(turned, [](X x) { return (2 - x[0]) * 6 + x[1] * 2 + x[2]; }),
      "");
  EXPECT_THAT(expression("(240, 80, 20, 4)"),
              HasSubstr("numpy(240, 80, 20, 4) or torch(240, 80, 20, 4)"));
  EXPECT_THAT(expression("torch(60"), HasSubstr("expected ',' or ')'"));
  EXPECT_THAT(expression("torch(x)"), HasSubstr("a stride, a number"));
}

// ----------------------------------------------------------------- writing ---

TEST(Dialects, WritesEach) {
  const char* const shape = "n=2,c=32,h=5,w=4";
  EXPECT_EQ(as("nchw", shape, Dialect::tvm), "NCHW");
  EXPECT_EQ(as("nChw16c", shape, Dialect::tvm), "NCHW16c");
  EXPECT_EQ(as("n c/16 h w c%16", shape, Dialect::onednn), "nChw16c");
  EXPECT_EQ(as("nChw16c", shape, Dialect::openvino), "b_fs_yx_fsv16");
  EXPECT_EQ(as("nhwc", shape, Dialect::openvino), "byxf");
  EXPECT_EQ(as("oihw", "o=8,i=16,h=3,w=3", Dialect::openvino), "oiyx");
  EXPECT_EQ(as("OIhw16i16o", "o=20,i=18,h=3,w=3", Dialect::openvino),
            "os_is_yx_isv16_osv16");
  EXPECT_EQ(as("p q/8 q%8", "p=3,q=20", Dialect::onednn), "aB8b");
  EXPECT_EQ(as("nhwc", shape, Dialect::torch), "torch(640, 1, 128, 32)");
  EXPECT_EQ(as("nhwc", shape, Dialect::numpy), "numpy(2560, 4, 512, 128)");
  EXPECT_EQ(as("h ~w c", "h=3,w=5,c=2", Dialect::numpy), "numpy(40, -8, 4)");
  EXPECT_EQ(as("nhwc", shape, Dialect::xla), "{1,3,2,0}");
  EXPECT_EQ(as("r/8 c/128 r%8 c%128", "r=11,c=200", Dialect::xla),
            "{1,0:T(8,128)}");
  EXPECT_EQ(as("r/8 c/128 r%8/2 c%128 r%2", "r=11,c=200", Dialect::xla, 2),
            "{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(as("nChw16c", shape, Dialect::cute),
            "(2,(16,2),5,4):(640,(1,320),64,16)");
  EXPECT_EQ(as("c/64 r c%64/8^r%8 c%8", "r=16,c=64", Dialect::cute, 2),
            "Sw<3,3,3> o (16,(8,8)):(64,(1,8))");
  EXPECT_EQ(as("laneid=r%8 | warpid=r/8 | c", "r=16,c=2", Dialect::tirx),
            "S[(2, 8, 2) : (1@warpid, 1@laneid, 1)]");
  EXPECT_EQ(as("rank=i *3 | j", "i=4,j=6", Dialect::tirx),
            "S[(4, 6) : (3@rank, 1)] + R[3 : 1@rank]");
}

// What is read as digits of the index in logical order is printed again.
TEST(Dialects, TirxOfSeveralDims) {
  for (const char* text :
       {"S[(8, 2, 4, 2) : (4@laneid, 1@warpid, 1@laneid, 1)]",
        "S[(16, 8) : (8, 1)]", "S[(2, 8, 8) : (64, 1, 8)]"}) {
    EXPECT_EQ(as(text, "r=16,c=8", Dialect::tirx), text);
  }
  EXPECT_EQ(as("S[(8, 64) : (64, 1)]", "r=8,c=64", Dialect::torch),
            "torch(64, 1)");
  // Across the boundary of c: there are no such digits.
  EXPECT_THAT(as("S[(16, 12) : (1, 16)]", "r=24,c=8", Dialect::tirx),
              StartsWith("no: "));
}

TEST(Dialects, PositionsTakeTheOthersNames) {
  for (const char* text :
       {"{1,0:T(*,2)}", "Sw<1,0,1> o (4,4):(4,1)", "torch(4,1)"}) {
    LayoutSource a = *resolve_layout(text);
    LayoutSource b = *resolve_layout("nc");
    align_dims(a, b);
    EXPECT_TRUE(a.bind(*parse_shape("n=4,c=4"), 4)) << text;
  }
}

TEST(Dialects, SaysWhatEachCannotSay) {
  const char* const shape = "n=2,c=17,h=5,w=4";
  EXPECT_THAT(as("nChw16c", shape, Dialect::torch),
              HasSubstr("no: dim c has no one stride"));
  EXPECT_THAT(as("nChw16c", shape, Dialect::cute),
              HasSubstr("dim c of 17 is padded to 32"));
  EXPECT_THAT(as("n c%8 h w c/8", shape, Dialect::tvm), StartsWith("no: "));
  EXPECT_THAT(as("n:400 c h w", shape, Dialect::tvm), HasSubstr("bytes"));
  EXPECT_THAT(as("~h w", "h=3,w=4", Dialect::tvm), HasSubstr("the digit ~h"));
  EXPECT_THAT(as("@4 h w", "h=3,w=4", Dialect::cute), HasSubstr("behind"));
  EXPECT_THAT(as("x *2", "x=4", Dialect::torch), HasSubstr("copies"));
  EXPECT_THAT(as("*2 x", "x=4", Dialect::cute), HasSubstr("copies"));
  EXPECT_THAT(as("@5 h w", "h=2,w=3", Dialect::torch), HasSubstr("begins"));
  EXPECT_THAT(as("batch w", "batch=3,w=4", Dialect::tvm),
              HasSubstr("batch is no letter"));
  EXPECT_THAT(as("{ [h 0..1] = w ; [h 1..] = w h }", "h=3,w=4", Dialect::xla),
              HasSubstr("several pieces"));
  EXPECT_THAT(parse_dialect("tmv").error().message, HasSubstr("mean tvm?"));
}

// Coordinates by the name of their axis; memory is "m".
std::map<std::string, std::int64_t> coordinates(
    const Layout& layout, const std::vector<std::int64_t>& x) {
  std::vector<std::int64_t> at(layout.axes().size());
  layout.coordinates_of(x, at);
  std::map<std::string, std::int64_t> by_name;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const std::string& name = layout.axes()[k].name;
    by_name[name == "offset" ? "m" : name] = at[k];
  }
  return by_name;
}

// What is printed is read again, and is of the same places: of random layouts.
RC_GTEST_PROP(Dialects, WhatIsPrintedIsReadAgain, ()) {
  const Shape shape = random_shape();
  const Layout layout = random_valid_layout(shape, 4);
  std::vector<std::string> dims;
  for (const Dim& dim : shape) dims.push_back(dim.name);
  for (const Dialect dialect :
       {Dialect::onednn, Dialect::tvm, Dialect::openvino, Dialect::xla,
        Dialect::cute, Dialect::tirx, Dialect::numpy, Dialect::torch}) {
    const Result<std::string> text = print_as(layout, dialect);
    if (!text) {
      RC_ASSERT(!text.error().message.empty());
      continue;
    }
    LayoutSource source = *resolve_layout(*text, dims);
    Shape named = shape;
    if (source.positional_dims) {
      for (std::size_t d = 0; d < named.size(); ++d) {
        named[d].name = source.dims[d];
      }
    }
    const Result<Layout> again = source.bind(named, 4);
    RC_ASSERT(again.has_value());
    // TIRx does not tell which axis is the slower one.
    const bool by_axes = dialect == Dialect::tirx && layout.axes().size() > 1;
    for_each_index(shape, [&](const std::vector<std::int64_t>& x) {
      if (by_axes) {
        RC_ASSERT(coordinates(*again, x) == coordinates(layout, x));
        return;
      }
      RC_ASSERT(again->bit_of(x) == layout.bit_of(x));
    });
  }
}

}  // namespace
}  // namespace stridewise::testing
