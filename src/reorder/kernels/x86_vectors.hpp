// 256- and 512-bit vectors for transpose.hpp, as far as the flags of the
// including file allow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace stridewise {
namespace {

struct Vector256 {
  static constexpr std::int64_t lanes = 2;
  static constexpr bool loads_partially = false;
  using type = __m256i;

  static __m128i load(const std::byte* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static type gather(const std::byte* const* from) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(from[0])),
                                   load(from[1]), 1);
  }
  template <int width>
  static type zip_low(type a, type b) {
    if constexpr (width == 1) return _mm256_unpacklo_epi8(a, b);
    if constexpr (width == 2) return _mm256_unpacklo_epi16(a, b);
    if constexpr (width == 4) return _mm256_unpacklo_epi32(a, b);
    if constexpr (width == 8) return _mm256_unpacklo_epi64(a, b);
  }
  template <int width>
  static type zip_high(type a, type b) {
    if constexpr (width == 1) return _mm256_unpackhi_epi8(a, b);
    if constexpr (width == 2) return _mm256_unpackhi_epi16(a, b);
    if constexpr (width == 4) return _mm256_unpackhi_epi32(a, b);
    if constexpr (width == 8) return _mm256_unpackhi_epi64(a, b);
  }
  static void store(std::byte* dst, type v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), v);
  }
  static void stream(std::byte* dst, type v) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), v);
  }
};

#if defined(__AVX512BW__)
// The lowest `bytes` of a 64-byte mask.
__mmask64 first_bytes(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  return bytes >= 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
}

struct Vector512 {
  static constexpr std::int64_t lanes = 4;
  static constexpr bool loads_partially = true;
  using type = __m512i;

  static type gather(const std::byte* const* from) {
    const auto load = &Vector256::load;
    __m512i v = _mm512_castsi128_si512(load(from[0]));
    v = _mm512_inserti32x4(v, load(from[1]), 1);
    v = _mm512_inserti32x4(v, load(from[2]), 2);
    return _mm512_inserti32x4(v, load(from[3]), 3);
  }
  // Masked loads read nothing beyond `bytes`, which is under 16.
  static type gather_first(const std::byte* const* from, std::int64_t bytes) {
    const auto mask = static_cast<__mmask16>((1U << bytes) - 1);
    const auto first = [mask](const std::byte* p) {
      return _mm_maskz_loadu_epi8(mask, p);
    };
    __m512i v = _mm512_castsi128_si512(first(from[0]));
    v = _mm512_inserti32x4(v, first(from[1]), 1);
    v = _mm512_inserti32x4(v, first(from[2]), 2);
    return _mm512_inserti32x4(v, first(from[3]), 3);
  }
  template <int width>
  static type zip_low(type a, type b) {
    if constexpr (width == 1) return _mm512_unpacklo_epi8(a, b);
    if constexpr (width == 2) return _mm512_unpacklo_epi16(a, b);
    if constexpr (width == 4) return _mm512_unpacklo_epi32(a, b);
    if constexpr (width == 8) return _mm512_unpacklo_epi64(a, b);
  }
  template <int width>
  static type zip_high(type a, type b) {
    if constexpr (width == 1) return _mm512_unpackhi_epi8(a, b);
    if constexpr (width == 2) return _mm512_unpackhi_epi16(a, b);
    if constexpr (width == 4) return _mm512_unpackhi_epi32(a, b);
    if constexpr (width == 8) return _mm512_unpackhi_epi64(a, b);
  }
  static void store(std::byte* dst, type v) { _mm512_storeu_si512(dst, v); }
  static void stream(std::byte* dst, type v) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), v);
  }
};
#endif

}  // namespace
}  // namespace stridewise
