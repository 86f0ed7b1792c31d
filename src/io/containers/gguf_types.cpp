// The types of GGUF files, by their numbers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "io/containers/gguf.hpp"

namespace stridewise {
namespace {

constexpr auto gguf_types = std::to_array<GgufType>({
    {0, "F32", 1, 4, "f32"},
    {1, "F16", 1, 2, "f16"},
    {2, "Q4_0", 32, 18, "gguf.q4_0"},
    {3, "Q4_1", 32, 20, "gguf.q4_1"},
    {6, "Q5_0", 32, 22, "gguf.q5_0"},
    {7, "Q5_1", 32, 24, "gguf.q5_1"},
    {8, "Q8_0", 32, 34, "gguf.q8_0"},
    {9, "Q8_1", 32, 36, "gguf.q8_1"},
    {10, "Q2_K", 256, 84, "gguf.q2_K"},
    {11, "Q3_K", 256, 110, "gguf.q3_K"},
    {12, "Q4_K", 256, 144, "gguf.q4_K"},
    {13, "Q5_K", 256, 176, "gguf.q5_K"},
    {14, "Q6_K", 256, 210, "gguf.q6_K"},
    {15, "Q8_K", 256, 292, "gguf.q8_K"},
    {16, "IQ2_XXS", 256, 66, ""},
    {17, "IQ2_XS", 256, 74, ""},
    {18, "IQ3_XXS", 256, 98, ""},
    {19, "IQ1_S", 256, 50, ""},
    {20, "IQ4_NL", 32, 18, "gguf.iq4_nl"},
    {21, "IQ3_S", 256, 110, ""},
    {22, "IQ2_S", 256, 82, ""},
    {23, "IQ4_XS", 256, 136, "gguf.iq4_xs"},
    {24, "I8", 1, 1, "s8"},
    {25, "I16", 1, 2, "s16"},
    {26, "I32", 1, 4, "s32"},
    {27, "I64", 1, 8, "s64"},
    {28, "F64", 1, 8, "f64"},
    {29, "IQ1_M", 256, 56, ""},
    {30, "BF16", 1, 2, "bf16"},
    {34, "TQ1_0", 256, 54, ""},
    {35, "TQ2_0", 256, 66, "gguf.tq2_0"},
    {39, "MXFP4", 32, 17, "gguf.mxfp4"},
    {40, "NVFP4", 64, 36, "gguf.nvfp4"},
    {41, "Q1_0", 128, 18, ""},
});

}  // namespace

const GgufType* gguf_type(std::uint32_t number) {
  const auto known = std::ranges::find(gguf_types, number, &GgufType::number);
  return known == gguf_types.end() ? nullptr : &*known;
}

}  // namespace stridewise
