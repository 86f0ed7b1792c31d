// AVX-512 (F, BW, DQ, VL): 16 values at a time, the last ones under a mask.
// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <array>

#include "reorder/values/converter.hpp"

namespace stridewise::x86 {
namespace {

constexpr std::int64_t lanes = 16;
constexpr __mmask16 all = 0xffff;

// 16 values of 1, 2 or 4 bytes; of those outside the mask nothing is read.
template <std::int64_t bytes>
auto load(const std::byte* src, __mmask16 mask) {
  if constexpr (bytes == 4) {
    return mask == all ? _mm512_loadu_si512(src)
                       : _mm512_maskz_loadu_epi32(mask, src);
  } else if constexpr (bytes == 2) {
    return mask == all
               ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src))
               : _mm256_maskz_loadu_epi16(mask, src);
  } else {
    return mask == all ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(src))
                       : _mm_maskz_loadu_epi8(mask, src);
  }
}

void store(std::byte* dst, __mmask16 mask, __m512i v) {
  if (mask == all) return _mm512_storeu_si512(dst, v);
  _mm512_mask_storeu_epi32(dst, mask, v);
}
void store(std::byte* dst, __mmask16 mask, __m256i v) {
  if (mask == all) {
    return _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), v);
  }
  _mm256_mask_storeu_epi16(dst, mask, v);
}
void store(std::byte* dst, __mmask16 mask, __m128i v) {
  if (mask == all) return _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), v);
  _mm_mask_storeu_epi8(dst, mask, v);
}

struct F32ToF16 {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 2;
  explicit F32ToF16(const Quantisation&) {}
  __m256i operator()(__m512i v) const {
    return _mm512_cvtps_ph(_mm512_castsi512_ps(v),
                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

struct F16ToF32 {
  static constexpr std::int64_t src_bytes = 2, dst_bytes = 4;
  explicit F16ToF32(const Quantisation&) {}
  __m512i operator()(__m256i v) const {
    return _mm512_castps_si512(_mm512_cvtph_ps(v));
  }
};

// Not VCVTNEPS2BF16: it takes denormals for zeros.
struct F32ToBf16 {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 2;
  explicit F32ToBf16(const Quantisation&) {}
  __m256i operator()(__m512i v) const {
    const __m512i upper = _mm512_srli_epi32(v, 16);
    const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(v, half), 16);
    const __m512 x = _mm512_castsi512_ps(v);
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi16(
        _mm512_mask_or_epi32(rounded, nan, upper, _mm512_set1_epi32(0x40)));
  }
};

struct Bf16ToF32 {
  static constexpr std::int64_t src_bytes = 2, dst_bytes = 4;
  explicit Bf16ToF32(const Quantisation&) {}
  __m512i operator()(__m256i v) const {
    return _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16);
  }
};

// Clamped before it is rounded, which changes nothing as the bounds are
// integers. The conversion rounds to nearest even, as the environment says.
template <std::int32_t lowest>
struct Quantise {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 1;
  __m512 scale, least, most;
  __m512i zero_point;

  explicit Quantise(const Quantisation& q)
      : scale(_mm512_set1_ps(q.scale)),
        least(_mm512_set1_ps(static_cast<float>(lowest - q.zero_point))),
        most(_mm512_set1_ps(static_cast<float>(lowest + 255 - q.zero_point))),
        zero_point(_mm512_set1_epi32(q.zero_point)) {}
  __m128i operator()(__m512i v) const {
    const __m512 quotient = _mm512_div_ps(_mm512_castsi512_ps(v), scale);
    const __mmask16 number = _mm512_cmp_ps_mask(quotient, quotient, _CMP_ORD_Q);
    const __m512 clamped = _mm512_min_ps(_mm512_max_ps(quotient, least), most);
    return _mm512_cvtepi32_epi8(_mm512_add_epi32(
        _mm512_maskz_cvtps_epi32(number, clamped), zero_point));
  }
};

template <std::int32_t lowest>
struct Dequantise {
  static constexpr std::int64_t src_bytes = 1, dst_bytes = 4;
  __m512 scale;
  __m512i zero_point;

  explicit Dequantise(const Quantisation& q)
      : scale(_mm512_set1_ps(q.scale)),
        zero_point(_mm512_set1_epi32(q.zero_point)) {}
  __m512i operator()(__m128i v) const {
    const __m512i q =
        lowest < 0 ? _mm512_cvtepi8_epi32(v) : _mm512_cvtepu8_epi32(v);
    const __m512i offset = _mm512_sub_epi32(q, zero_point);
    return _mm512_castps_si512(
        _mm512_mul_ps(_mm512_cvtepi32_ps(offset), scale));
  }
};

template <class Convert>
void run(const std::byte* src, std::byte* dst, std::int64_t count,
         const Quantisation& quantisation) {
  constexpr std::int64_t src_bytes = Convert::src_bytes;
  constexpr std::int64_t dst_bytes = Convert::dst_bytes;
  const Convert convert(quantisation);
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    store(dst + k * dst_bytes, all,
          convert(load<src_bytes>(src + k * src_bytes, all)));
  }
  if (k == count) return;
  const auto rest = static_cast<__mmask16>((1U << (count - k)) - 1);
  store(dst + k * dst_bytes, rest,
        convert(load<src_bytes>(src + k * src_bytes, rest)));
}

constexpr Isa isa = Isa::avx512;

constexpr auto table = std::to_array<Converter>({
    {"f32_to_f16.avx512", "f32", "f16", isa, &run<F32ToF16>},
    {"f16_to_f32.avx512", "f16", "f32", isa, &run<F16ToF32>},
    {"f32_to_bf16.avx512", "f32", "bf16", isa, &run<F32ToBf16>},
    {"bf16_to_f32.avx512", "bf16", "f32", isa, &run<Bf16ToF32>},
    {"f32_to_s8.avx512", "f32", "s8", isa, &run<Quantise<-128>>},
    {"s8_to_f32.avx512", "s8", "f32", isa, &run<Dequantise<-128>>},
    {"f32_to_u8.avx512", "f32", "u8", isa, &run<Quantise<0>>},
    {"u8_to_f32.avx512", "u8", "f32", isa, &run<Dequantise<0>>},
});

}  // namespace

std::span<const Converter> avx512_converters() { return table; }

}  // namespace stridewise::x86
