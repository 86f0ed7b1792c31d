// AVX-512 (F, BW, DQ, VL): a line of dst at a time, the last values under a mask.
// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <algorithm>
#include <array>

#include "reorder/values/streaming.hpp"
#include "reorder/values/x86_converters.hpp"

namespace stridewise::x86 {
namespace {

constexpr std::int64_t lanes = 16;
constexpr __mmask16 all = 0xffff;
// Of 8 bits and any zero point, and few enough for words.
constexpr float beyond_integers = 1024;

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
  // In the upper halves.
  static __m512i rounded(__m512i v) {
    const __m512i odd =
        _mm512_and_epi32(_mm512_srli_epi32(v, 16), _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    const __m512 x = _mm512_castsi512_ps(v);
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_mask_or_epi32(_mm512_add_epi32(v, half), nan, v,
                                _mm512_set1_epi32(0x400000));
  }
  __m256i operator()(__m512i v) const {
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(v), 16));
  }
  __m512i line(const std::byte* src) const {
    static constexpr auto odd = [] {
      std::array<std::uint16_t, 32> words{};
      for (std::size_t k = 0; k < words.size(); ++k) {
        words[k] = static_cast<std::uint16_t>(2 * k + 1);
      }
      return words;
    }();
    const __m512i upper = _mm512_loadu_si512(odd.data());
    return _mm512_permutex2var_epi16(rounded(load<4>(src, all)), upper,
                                     rounded(load<4>(src + 64, all)));
  }
};

struct Bf16ToF32 {
  static constexpr std::int64_t src_bytes = 2, dst_bytes = 4;
  explicit Bf16ToF32(const Quantisation&) {}
  __m512i operator()(__m256i v) const {
    return _mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16);
  }
};

// Clamped before it is rounded, which changes nothing: saturating comes after. The
// conversion rounds to nearest even, as the environment says.
template <std::int32_t lowest>
struct Quantise {
  static constexpr std::int64_t src_bytes = 4, dst_bytes = 1;
  __m512 scale;
  __m512i zero_point;

  explicit Quantise(const Quantisation& q)
      : scale(_mm512_set1_ps(q.scale)),
        zero_point(_mm512_set1_epi16(static_cast<short>(q.zero_point))) {}
  // Without the zero point, and not yet saturated.
  [[nodiscard]] __m512i steps(__m512i v) const {
    const __m512 quotient = _mm512_div_ps(_mm512_castsi512_ps(v), scale);
    const __mmask16 number = _mm512_cmp_ps_mask(quotient, quotient, _CMP_ORD_Q);
    // The lesser magnitude, with the sign of the quotient.
    constexpr int least = 0b0010;
    const __m512 clamped =
        _mm512_range_ps(quotient, _mm512_set1_ps(beyond_integers), least);
    return _mm512_maskz_cvtps_epi32(number, clamped);
  }
  __m128i operator()(__m512i v) const {
    const __m512i words = _mm512_packs_epi32(steps(v), steps(v));
    return _mm512_castsi512_si128(in_order(bytes(words, words)));
  }
  __m512i line(const std::byte* src) const {
    const auto words = [&](int k) {
      return _mm512_packs_epi32(
          steps(load<src_bytes>(src + 128 * k, all)),
          steps(load<src_bytes>(src + 128 * k + 64, all)));
    };
    return in_order(bytes(words(0), words(1)));
  }

 private:
  [[nodiscard]] __m512i bytes(__m512i low, __m512i high) const {
    low = _mm512_add_epi16(low, zero_point);
    high = _mm512_add_epi16(high, zero_point);
    return lowest < 0 ? _mm512_packs_epi16(low, high)
                      : _mm512_packus_epi16(low, high);
  }
  // Packing goes by lanes of 16 bytes.
  static __m512i in_order(__m512i bytes) {
    const __m512i order =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
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

// 64 bytes of dst.
template <class Convert>
__m512i line_of(const Convert& convert, const std::byte* src) {
  constexpr std::int64_t bytes = Convert::src_bytes;
  if constexpr (requires { convert.line(src); }) {
    return convert.line(src);
  } else if constexpr (Convert::dst_bytes == 2) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(convert(load<bytes>(src, all))),
        convert(load<bytes>(src + lanes * bytes, all)), 1);
  } else {
    return convert(load<bytes>(src, all));
  }
}

// `count` <= lanes.
template <class Convert>
void run_some(const Convert& convert, const std::byte* src, std::byte* dst,
              std::int64_t count) {
  const auto mask = static_cast<__mmask16>((1U << count) - 1);
  store(dst, mask, convert(load<Convert::src_bytes>(src, mask)));
}

template <bool streams, class Convert>
void run_one(const Convert& convert, const std::byte* src, std::byte* dst,
             std::int64_t count, std::ptrdiff_t ahead) {
  constexpr std::int64_t src_bytes = Convert::src_bytes;
  constexpr std::int64_t dst_bytes = Convert::dst_bytes;
  constexpr std::int64_t at_once = line / dst_bytes;
  const auto some = [&](std::int64_t n) {
    if (ahead != 0) __builtin_prefetch(src + ahead, 0, 2);
    run_some(convert, src, dst, n);
    src += n * src_bytes;
    dst += n * dst_bytes;
    count -= n;
  };
  const auto lines = [&](auto put) {
    for (; count >= at_once; count -= at_once) {
      if (ahead != 0) ask_for<at_once * src_bytes>(src + ahead);
      put(dst, line_of(convert, src));
      src += at_once * src_bytes;
      dst += line;
    }
  };
  const std::int64_t head = to_next_line(dst);
  if (streams && head % dst_bytes == 0) {
    for (std::int64_t left = std::min(head / dst_bytes, count); left > 0;) {
      const std::int64_t n = std::min(left, lanes);
      some(n);
      left -= n;
    }
    lines([](std::byte* at, __m512i v) {
      ask_page_after(at, line);
      _mm512_stream_si512(reinterpret_cast<__m512i*>(at), v);
    });
  } else {
    lines([](std::byte* at, __m512i v) { _mm512_storeu_si512(at, v); });
  }
  while (count > 0) some(std::min(count, lanes));
}

constexpr auto table = converters_of<Isa::avx512, F32ToF16, F16ToF32, F32ToBf16,
                                     Bf16ToF32, Quantise, Dequantise>();

}  // namespace

std::span<const Converter> avx512_converters() { return table; }

}  // namespace stridewise::x86
