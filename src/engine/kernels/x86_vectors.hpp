// 256- and 512-bit vectors with the interface of Vector128, as far as the flags
// of the including file allow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/vector128.hpp"

namespace stridewise {
namespace {

struct Vector256 {
  using Half = Vector256;
  static constexpr std::int64_t lanes = 2;
  static constexpr int lane_bytes = 16;
  using type = __m256i;

  static type zero() { return _mm256_setzero_si256(); }
  static type with_zeros(Vector128::type lane) {
    return _mm256_inserti128_si256(zero(), reinterpret_cast<__m128i>(lane), 0);
  }
  static type load(const std::byte* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static __m128i load_lane(const std::byte* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void stream_lane(std::byte* dst, __m128i lane) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(dst), lane);
    keep_order();
  }
  // A vector of two halves.
  static type join(const std::byte* low, const std::byte* high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(low)),
                                   load_lane(high), 1);
  }
  template <int some = lanes, class At>
  [[gnu::always_inline]] static type gather(At at) {
    if constexpr (some == 1) return _mm256_zextsi128_si256(load_lane(at(0)));
    return join(at(0), at(1));
  }
  // Lane l of vector k becomes lane k of vector l.
  [[gnu::always_inline]] static void transpose_lanes(type* v) {
    const type low = _mm256_permute2x128_si256(v[0], v[1], 0x20);
    v[1] = _mm256_permute2x128_si256(v[0], v[1], 0x31);
    v[0] = low;
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
  static type shuffle_bytes(type from, type v) {
    return _mm256_shuffle_epi8(v, from);
  }
  static type both(type a, type b) { return _mm256_and_si256(a, b); }
  static type either(type a, type b) { return _mm256_or_si256(a, b); }
  static void store(std::byte* dst, type v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), v);
  }
  static void stream(std::byte* dst, type v) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), v);
    keep_order();
  }
  template <int some>
  [[gnu::always_inline]] static void store_some(std::byte* dst, type v,
                                                int which) {
    if constexpr (some == lanes) return store(dst, v);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst),
                     which == 0 ? _mm256_castsi256_si128(v)
                                : _mm256_extracti128_si256(v, 1));
  }
  template <class At>
  [[gnu::always_inline]] static void scatter(At at, type v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at(0)),
                     _mm256_castsi256_si128(v));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at(1)),
                     _mm256_extracti128_si256(v, 1));
  }
  template <class At>
  [[gnu::always_inline]] static void scatter_stream(At at, type v) {
    stream_lane(at(0), _mm256_castsi256_si128(v));
    stream_lane(at(1), _mm256_extracti128_si256(v, 1));
  }
};

#if defined(__AVX512BW__)
struct Vector512 {
  using Half = Vector256;
  static constexpr std::int64_t lanes = 4;
  static constexpr int lane_bytes = 16;
  using type = __m512i;

  static type zero() { return _mm512_setzero_si512(); }
  static type with_zeros(Vector128::type lane) {
    return _mm512_inserti32x4(zero(), reinterpret_cast<__m128i>(lane), 0);
  }
  static type load(const std::byte* from) { return _mm512_loadu_si512(from); }
  template <int some = lanes, class At>
  [[gnu::always_inline]] static type gather(At at) {
    static_assert(some != 3);
    const auto load = &Vector256::load_lane;
    if constexpr (some <= 2) {
      return _mm512_zextsi256_si512(Vector256::gather<some>(at));
    }
    __m512i v = _mm512_castsi128_si512(load(at(0)));
    v = _mm512_inserti32x4(v, load(at(1)), 1);
    v = _mm512_inserti32x4(v, load(at(2)), 2);
    return _mm512_inserti32x4(v, load(at(3)), 3);
  }
  static type join(const std::byte* low, const std::byte* high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Vector256::load(low)),
                              Vector256::load(high), 1);
  }
  // The even lanes of two vectors, and the odd ones.
  static void unzip_lanes(type a, type b, type* v) {
    v[0] = _mm512_shuffle_i32x4(a, b, 0x88);
    v[1] = _mm512_shuffle_i32x4(a, b, 0xdd);
  }
  // Lanes of two vectors by turns: the first two of each, and the last two.
  static void zip_lanes(type a, type b, type* v) {
    v[0] = _mm512_permutex2var_epi64(
        a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
    v[1] = _mm512_permutex2var_epi64(
        a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
  }
  // Half l of vector k becomes half k of vector l.
  [[gnu::always_inline]] static void transpose_halves(type* v) {
    const type low = _mm512_shuffle_i32x4(v[0], v[1], 0x44);
    v[1] = _mm512_shuffle_i32x4(v[0], v[1], 0xee);
    v[0] = low;
  }
  // Lane l of vector k becomes lane k of vector l.
  [[gnu::always_inline]] static void transpose_lanes(type* v) {
    type ab[2];
    type cd[2];
    unzip_lanes(v[0], v[1], ab);
    unzip_lanes(v[2], v[3], cd);
    type even[2];
    type odd[2];
    unzip_lanes(ab[0], cd[0], even);
    unzip_lanes(ab[1], cd[1], odd);
    v[0] = even[0];
    v[1] = odd[0];
    v[2] = even[1];
    v[3] = odd[1];
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
  static type shuffle_bytes(type from, type v) {
    return _mm512_shuffle_epi8(v, from);
  }
  static type both(type a, type b) { return _mm512_and_si512(a, b); }
  static void store(std::byte* dst, type v) { _mm512_storeu_si512(dst, v); }
  static void stream(std::byte* dst, type v) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), v);
    keep_order();
  }
  template <int some>
  [[gnu::always_inline]] static void store_some(std::byte* dst, type v,
                                                int which) {
    if constexpr (some == lanes) return store(dst, v);
    if constexpr (some == 2) {
      Vector256::store(dst, which == 0 ? _mm512_castsi512_si256(v)
                                       : _mm512_extracti64x4_epi64(v, 1));
    } else {
      __m128i* const to = reinterpret_cast<__m128i*>(dst);
      if (which == 0) _mm_storeu_si128(to, _mm512_castsi512_si128(v));
      if (which == 1) _mm_storeu_si128(to, _mm512_extracti32x4_epi32(v, 1));
      if (which == 2) _mm_storeu_si128(to, _mm512_extracti32x4_epi32(v, 2));
      if (which == 3) _mm_storeu_si128(to, _mm512_extracti32x4_epi32(v, 3));
    }
  }
  template <class At>
  [[gnu::always_inline]] static void scatter(At at, type v) {
    each_lane(at, v, [](std::byte* dst, __m128i lane) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(dst), lane);
    });
  }
  template <class At>
  [[gnu::always_inline]] static void scatter_stream(At at, type v) {
    each_lane(at, v, &Vector256::stream_lane);
  }

 private:
  template <class At, class Put>
  [[gnu::always_inline]] static void each_lane(At at, type v, Put put) {
    put(at(0), _mm512_castsi512_si128(v));
    put(at(1), _mm512_extracti32x4_epi32(v, 1));
    put(at(2), _mm512_extracti32x4_epi32(v, 2));
    put(at(3), _mm512_extracti32x4_epi32(v, 3));
  }
};
#endif

}  // namespace
}  // namespace stridewise
