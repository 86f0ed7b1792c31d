// Stands before the compiler's header of this name, where what is for AVX-512
// must run on machines without it: SIMDe's portable intrinsics, and as plain
// loops those that its version 0.7.4 lacks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define SIMDE_ENABLE_NATIVE_ALIASES
#define SIMDE_NO_INLINE  // kernels inline all, which takes minutes to compile
#include <simde/x86/avx512.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// Only now: SIMDe would take it for the machine's own.
#define __AVX512BW__ 1

using __mmask16 = simde__mmask16;
using __mmask64 = simde__mmask64;
#if !defined(_MM_FROUND_NO_EXC)
#define _MM_FROUND_NO_EXC SIMDE_MM_FROUND_NO_EXC
#endif

// Elements of a vector as an array, and back.
template <class T, class Vector>
auto simde_extra_array(Vector v) {
  return std::bit_cast<std::array<T, sizeof(Vector) / sizeof(T)>>(v);
}

// Of what the mask leaves out nothing is touched: a forbidden page there must
// not fault, and one elsewhere must.
template <class T, class Vector>
Vector simde_extra_load(std::uint64_t mask, const void* src) {
  std::array<T, sizeof(Vector) / sizeof(T)> v{};
  for (std::size_t k = 0; k < v.size(); ++k) {
    const void* const from = static_cast<const T*>(src) + k;
    if ((mask >> k & 1) != 0) std::memcpy(&v[k], from, sizeof(T));
  }
  return std::bit_cast<Vector>(v);
}
template <class T, class Vector>
void simde_extra_store(void* dst, std::uint64_t mask, Vector vector) {
  const auto v = simde_extra_array<T>(vector);
  for (std::size_t k = 0; k < v.size(); ++k) {
    void* const to = static_cast<T*>(dst) + k;
    if ((mask >> k & 1) != 0) std::memcpy(to, &v[k], sizeof(T));
  }
}

inline __m512i _mm512_maskz_loadu_epi8(__mmask64 mask, const void* src) {
  return simde_extra_load<std::uint8_t, __m512i>(mask, src);
}
inline __m512i _mm512_maskz_loadu_epi32(__mmask16 mask, const void* src) {
  return simde_extra_load<std::uint32_t, __m512i>(mask, src);
}
inline __m256i _mm256_maskz_loadu_epi16(__mmask16 mask, const void* src) {
  return simde_extra_load<std::uint16_t, __m256i>(mask, src);
}
inline __m128i _mm_maskz_loadu_epi8(__mmask16 mask, const void* src) {
  return simde_extra_load<std::uint8_t, __m128i>(mask, src);
}
inline void _mm512_mask_storeu_epi8(void* dst, __mmask64 mask, __m512i v) {
  simde_extra_store<std::uint8_t>(dst, mask, v);
}
inline void _mm512_mask_storeu_epi32(void* dst, __mmask16 mask, __m512i v) {
  simde_extra_store<std::uint32_t>(dst, mask, v);
}
inline void _mm256_mask_storeu_epi16(void* dst, __mmask16 mask, __m256i v) {
  simde_extra_store<std::uint16_t>(dst, mask, v);
}
inline void _mm_mask_storeu_epi8(void* dst, __mmask16 mask, __m128i v) {
  simde_extra_store<std::uint8_t>(dst, mask, v);
}

// As the instructions, which fault where they are not aligned. SIMDe's 256-bit
// ones do not.
inline void _mm512_stream_si512(__m512i* dst, __m512i v) {
  if (reinterpret_cast<std::uintptr_t>(dst) % 64 != 0) std::abort();
  std::memcpy(dst, &v, sizeof v);
}
#undef _mm256_stream_si256
inline void _mm256_stream_si256(__m256i* dst, __m256i v) {
  if (reinterpret_cast<std::uintptr_t>(dst) % 32 != 0) std::abort();
  std::memcpy(dst, &v, sizeof v);
}
#undef _mm512_load_si512
inline __m512i _mm512_load_si512(const void* src) {
  if (reinterpret_cast<std::uintptr_t>(src) % 64 != 0) std::abort();
  return _mm512_loadu_si512(src);
}

inline __m512i _mm512_zextsi256_si512(__m256i v) {
  return std::bit_cast<__m512i>(std::array<__m256i, 2>{v, __m256i{}});
}

// Element by element, f(From) -> To.
template <class From, class To, class Result, class Vector, class F>
Result simde_extra_map(Vector vector, F f) {
  const auto from = simde_extra_array<From>(vector);
  std::array<To, sizeof(Result) / sizeof(To)> to;
  static_assert(from.size() == to.size());
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = f(from[k]);
  return std::bit_cast<Result>(to);
}
template <class From, class To, class Result, class Vector>
Result simde_extra_cast(Vector vector) {
  return simde_extra_map<From, To, Result>(
      vector, [](From x) { return static_cast<To>(x); });
}

inline __m256i _mm512_cvtepi32_epi16(__m512i v) {
  return simde_extra_cast<std::int32_t, std::int16_t, __m256i>(v);
}
inline __m128i _mm512_cvtepi32_epi8(__m512i v) {
  return simde_extra_cast<std::int32_t, std::int8_t, __m128i>(v);
}
inline __m512i _mm512_cvtepi8_epi32(__m128i v) {
  return simde_extra_cast<std::int8_t, std::int32_t, __m512i>(v);
}
inline __m512i _mm512_cvtepu8_epi32(__m128i v) {
  return simde_extra_cast<std::uint8_t, std::int32_t, __m512i>(v);
}
inline __m512i _mm512_cvtepu16_epi32(__m256i v) {
  return simde_extra_cast<std::uint16_t, std::int32_t, __m512i>(v);
}
inline __m512 _mm512_cvtepi32_ps(__m512i v) {
  return simde_extra_cast<std::int32_t, float, __m512>(v);
}
inline __m512i _mm512_maskz_cvtps_epi32(__mmask16 mask, __m512 v) {
  std::size_t lane = 0;
  return simde_extra_map<float, std::int32_t, __m512i>(v, [&](float x) {
    if ((mask >> lane++ & 1) == 0) return std::int32_t{0};
    const bool fits = x >= -0x1p31F && x < 0x1p31F;
    return fits ? static_cast<std::int32_t>(std::nearbyint(x)) : INT32_MIN;
  });
}

// By the machine's own instructions for 4 values: what has AVX2 has them, and no
// loop here could be trusted more. By pointers, because functions with and without
// this set pass vectors in different ways.
using simde_extra_floats [[gnu::vector_size(16)]] = float;
using simde_extra_shorts [[gnu::vector_size(16)]] = short;
[[gnu::target("f16c")]] inline void simde_extra_to_f16(const float* src,
                                                       short* dst) {
  simde_extra_floats from;
  std::memcpy(&from, src, 16);
  const auto to = __builtin_ia32_vcvtps2ph(from, 0);  // to nearest even
  std::memcpy(dst, &to, 8);
}
[[gnu::target("f16c")]] inline void simde_extra_from_f16(const short* src,
                                                         float* dst) {
  simde_extra_shorts from{};
  std::memcpy(&from, src, 8);
  const simde_extra_floats to = __builtin_ia32_vcvtph2ps(from);
  std::memcpy(dst, &to, 16);
}
inline __m256i _mm512_cvtps_ph(__m512 v, int /*rounding*/) {
  const auto from = simde_extra_array<float>(v);
  std::array<short, 16> to;
  for (std::size_t k = 0; k < 16; k += 4) simde_extra_to_f16(&from[k], &to[k]);
  return std::bit_cast<__m256i>(to);
}
inline __m512 _mm512_cvtph_ps(__m256i v) {
  const auto from = simde_extra_array<short>(v);
  std::array<float, 16> to;
  for (std::size_t k = 0; k < 16; k += 4) {
    simde_extra_from_f16(&from[k], &to[k]);
  }
  return std::bit_cast<__m512>(to);
}
