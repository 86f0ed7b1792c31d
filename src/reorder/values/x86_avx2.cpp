// AVX2 and F16C: 8 values at a time. A run's last values are done with those
// before them once more, so that nothing outside the run is touched.
// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <array>
#include <cstring>

#include "reorder/values/converter.hpp"

namespace stridewise::x86 {
namespace {

constexpr std::int64_t lanes = 8;

// 8 values of 1, 2 or 4 bytes.
template <std::int64_t bytes>
auto load(const std::byte* src) {
  if constexpr (bytes == 4) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src));
  } else if constexpr (bytes == 2) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src));
  } else {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(src));
  }
}

template <std::int64_t bytes>
void store(std::byte* dst, __m128i v) {
  if constexpr (bytes == 2) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), v);
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(dst), v);
  }
}
template <std::int64_t bytes>
void store(std::byte* dst, __m256i v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), v);
}

// The first `count` < 8 of them; of what follows nothing is read or written.
__m256i first(std::int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

template <std::int64_t bytes>
auto load_first(const std::byte* src, std::int64_t count) {
  if constexpr (bytes == 4) {
    return _mm256_maskload_epi32(reinterpret_cast<const int*>(src),
                                 first(count));
  } else {
    std::byte all[lanes * bytes] = {};
    std::memcpy(all, src, static_cast<std::size_t>(count * bytes));
    return load<bytes>(all);
  }
}

template <std::int64_t bytes, class Vector>
void store_first(std::byte* dst, std::int64_t count, Vector v) {
  if constexpr (bytes == 4) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(dst), first(count), v);
  } else {
    std::byte all[lanes * bytes];
    store<bytes>(all, v);
    std::memcpy(dst, all, static_cast<std::size_t>(count * bytes));
  }
}

// The low halves of 8 numbers, each below 2^16.
__m128i low_halves(__m256i v) {
  return _mm_packus_epi32(_mm256_castsi256_si128(v),
                          _mm256_extracti128_si256(v, 1));
}

struct F32ToF16 {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 2;
  explicit F32ToF16(const Quantisation&) {}
  __m128i operator()(__m256i v) const {
    return _mm256_cvtps_ph(_mm256_castsi256_ps(v),
                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

struct F16ToF32 {
  static constexpr std::int64_t src_bytes = 2, dst_bytes = 4;
  explicit F16ToF32(const Quantisation&) {}
  __m256i operator()(__m128i v) const {
    return _mm256_castps_si256(_mm256_cvtph_ps(v));
  }
};

// Not VCVTNEPS2BF16: it takes denormals for zeros.
struct F32ToBf16 {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 2;
  explicit F32ToBf16(const Quantisation&) {}
  __m128i operator()(__m256i v) const {
    const __m256i upper = _mm256_srli_epi32(v, 16);
    const __m256i odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(v, half), 16);
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256 x = _mm256_castsi256_ps(v);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    return low_halves(_mm256_blendv_epi8(rounded, quiet, nan));
  }
};

struct Bf16ToF32 {
  static constexpr std::int64_t src_bytes = 2, dst_bytes = 4;
  explicit Bf16ToF32(const Quantisation&) {}
  __m256i operator()(__m128i v) const {
    return _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16);
  }
};

// Clamped before it is rounded, which changes nothing as the bounds are
// integers. The conversion rounds to nearest even, as the environment says.
template <std::int32_t lowest>
struct Quantise {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 1;
  __m256 scale, least, most;
  __m256i zero_point;

  explicit Quantise(const Quantisation& q)
      : scale(_mm256_set1_ps(q.scale)),
        least(_mm256_set1_ps(static_cast<float>(lowest - q.zero_point))),
        most(_mm256_set1_ps(static_cast<float>(lowest + 255 - q.zero_point))),
        zero_point(_mm256_set1_epi32(q.zero_point)) {}
  __m128i operator()(__m256i v) const {
    const __m256 quotient = _mm256_div_ps(_mm256_castsi256_ps(v), scale);
    const __m256 number = _mm256_cmp_ps(quotient, quotient, _CMP_ORD_Q);
    const __m256 clamped = _mm256_min_ps(_mm256_max_ps(quotient, least), most);
    const __m256i q = _mm256_add_epi32(
        _mm256_cvtps_epi32(_mm256_and_ps(clamped, number)), zero_point);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(q),
                                          _mm256_extracti128_si256(q, 1));
    return lowest < 0 ? _mm_packs_epi16(words, words)
                      : _mm_packus_epi16(words, words);
  }
};

template <std::int32_t lowest>
struct Dequantise {
  static constexpr std::int64_t src_bytes = 1, dst_bytes = 4;
  __m256 scale;
  __m256i zero_point;

  explicit Dequantise(const Quantisation& q)
      : scale(_mm256_set1_ps(q.scale)),
        zero_point(_mm256_set1_epi32(q.zero_point)) {}
  __m256i operator()(__m128i v) const {
    const __m256i q =
        lowest < 0 ? _mm256_cvtepi8_epi32(v) : _mm256_cvtepu8_epi32(v);
    const __m256i offset = _mm256_sub_epi32(q, zero_point);
    return _mm256_castps_si256(
        _mm256_mul_ps(_mm256_cvtepi32_ps(offset), scale));
  }
};

template <class Convert>
void run(const std::byte* src, std::byte* dst, std::int64_t count,
         const Quantisation& quantisation) {
  constexpr std::int64_t src_bytes = Convert::src_bytes;
  constexpr std::int64_t dst_bytes = Convert::dst_bytes;
  const Convert convert(quantisation);
  const auto step = [&](const std::byte* from, std::byte* to) {
    store<dst_bytes>(to, convert(load<src_bytes>(from)));
  };
  if (count < lanes) {
    return store_first<dst_bytes>(dst, count,
                                  convert(load_first<src_bytes>(src, count)));
  }
  for (std::int64_t k = 0; k + lanes <= count; k += lanes) {
    step(src + k * src_bytes, dst + k * dst_bytes);
  }
  const std::int64_t last = count - lanes;
  step(src + last * src_bytes, dst + last * dst_bytes);
}

constexpr Isa isa = Isa::avx2;

constexpr auto table = std::to_array<Converter>({
    {"f32_to_f16.avx2", "f32", "f16", isa, &run<F32ToF16>},
    {"f16_to_f32.avx2", "f16", "f32", isa, &run<F16ToF32>},
    {"f32_to_bf16.avx2", "f32", "bf16", isa, &run<F32ToBf16>},
    {"bf16_to_f32.avx2", "bf16", "f32", isa, &run<Bf16ToF32>},
    {"f32_to_s8.avx2", "f32", "s8", isa, &run<Quantise<-128>>},
    {"s8_to_f32.avx2", "s8", "f32", isa, &run<Dequantise<-128>>},
    {"f32_to_u8.avx2", "f32", "u8", isa, &run<Quantise<0>>},
    {"u8_to_f32.avx2", "u8", "f32", isa, &run<Dequantise<0>>},
});

}  // namespace

std::span<const Converter> avx2_converters() { return table; }

}  // namespace stridewise::x86
