// AVX2 and F16C: 32 bytes of dst at a time, then 8 values. A run's last values
// are done with those before them once more, so that nothing outside the run is
// touched.
// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "reorder/values/streaming.hpp"
#include "reorder/values/x86_converters.hpp"

namespace stridewise::x86 {
namespace {

constexpr std::int64_t lanes = 8;
// Of 8 bits and any zero point, and few enough for words.
constexpr float beyond_integers = 1024;

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

// Clamped before it is rounded, which changes nothing: saturating comes after. The
// conversion rounds to nearest even, as the environment says.
template <std::int32_t lowest>
struct Quantise {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 1;
  __m256 scale;
  __m256i zero_point;

  explicit Quantise(const Quantisation& q)
      : scale(_mm256_set1_ps(q.scale)),
        zero_point(_mm256_set1_epi16(static_cast<short>(q.zero_point))) {}
  // Without the zero point, and not yet saturated.
  [[nodiscard]] __m256i steps(__m256i v) const {
    const __m256 quotient = _mm256_div_ps(_mm256_castsi256_ps(v), scale);
    const __m256 number = _mm256_cmp_ps(quotient, quotient, _CMP_ORD_Q);
    const __m256 most = _mm256_set1_ps(beyond_integers);
    const __m256 least = _mm256_set1_ps(-beyond_integers);
    const __m256 clamped = _mm256_min_ps(_mm256_max_ps(quotient, least), most);
    return _mm256_cvtps_epi32(_mm256_and_ps(clamped, number));
  }
  __m128i operator()(__m256i v) const {
    const __m256i words = _mm256_packs_epi32(steps(v), steps(v));
    return _mm256_castsi256_si128(in_order(bytes(words, words)));
  }
  __m256i group(const std::byte* src) const {
    const auto words = [&](int k) {
      return _mm256_packs_epi32(steps(load<src_bytes>(src + 64 * k)),
                                steps(load<src_bytes>(src + 64 * k + 32)));
    };
    return in_order(bytes(words(0), words(1)));
  }

 private:
  [[nodiscard]] __m256i bytes(__m256i low, __m256i high) const {
    low = _mm256_add_epi16(low, zero_point);
    high = _mm256_add_epi16(high, zero_point);
    return lowest < 0 ? _mm256_packs_epi16(low, high)
                      : _mm256_packus_epi16(low, high);
  }
  // Packing goes by lanes of 16 bytes.
  static __m256i in_order(__m256i bytes) {
    return _mm256_permutevar8x32_epi32(
        bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
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

// 32 bytes of dst.
template <class Convert>
__m256i group_of(const Convert& convert, const std::byte* src) {
  constexpr std::int64_t bytes = Convert::src_bytes;
  if constexpr (Convert::dst_bytes == 1) {
    return convert.group(src);
  } else if constexpr (Convert::dst_bytes == 2) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(convert(load<bytes>(src))),
        convert(load<bytes>(src + lanes * bytes)), 1);
  } else {
    return convert(load<bytes>(src));
  }
}

template <bool streams, class Convert>
void run_one(const Convert& convert, const std::byte* src, std::byte* dst,
             std::int64_t count, std::ptrdiff_t ahead) {
  constexpr std::int64_t src_bytes = Convert::src_bytes;
  constexpr std::int64_t dst_bytes = Convert::dst_bytes;
  constexpr std::int64_t at_once = sizeof(__m256i) / dst_bytes;
  if (count < lanes) {
    if (ahead != 0) __builtin_prefetch(src + ahead, 0, 2);
    return store_first<dst_bytes>(dst, count,
                                  convert(load_first<src_bytes>(src, count)));
  }
  const auto step = [&](std::int64_t at) {
    store<dst_bytes>(dst + at * dst_bytes,
                     convert(load<src_bytes>(src + at * src_bytes)));
  };
  std::int64_t k = 0;
  const auto groups = [&](auto put) {
    for (; k + at_once <= count; k += at_once) {
      if (ahead != 0) ask_for<at_once * src_bytes>(src + k * src_bytes + ahead);
      put(reinterpret_cast<__m256i*>(dst + k * dst_bytes),
          group_of(convert, src + k * src_bytes));
    }
  };
  const std::int64_t head = to_next_line(dst);
  if (streams && head % dst_bytes == 0) {
    // The last of these vectors reaches beyond the line's beginning.
    for (std::int64_t at = 0; at < std::min(head / dst_bytes, count);
         at += lanes) {
      step(std::min(at, count - lanes));
    }
    k = head / dst_bytes;
    groups([](__m256i* at, __m256i v) {
      ask_page_after(reinterpret_cast<const std::byte*>(at), sizeof v);
      _mm256_stream_si256(at, v);
    });
  } else {
    groups([](__m256i* at, __m256i v) { _mm256_storeu_si256(at, v); });
  }
  for (; k < count; k += lanes) step(std::min(k, count - lanes));
}

constexpr auto table = converters_of<Isa::avx2, F32ToF16, F16ToF32, F32ToBf16,
                                     Bf16ToF32, Quantise, Dequantise>();

}  // namespace

std::span<const Converter> avx2_converters() { return table; }

}  // namespace stridewise::x86
