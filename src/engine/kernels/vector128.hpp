// 128-bit vectors in the compilers' own vector extension, which every target
// that they know lowers to something good.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace stridewise {
namespace {

// Compilers reorder streaming stores as if it did not matter: lines of a run
// written out of their order cost up to half of the speed.
inline void keep_order() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

alignas(64) constexpr std::byte zero_bytes[64] = {};

// Copies fewer than 16 bytes (at least one), by two moves that may overlap.
inline void copy_short(std::byte* dst, const std::byte* src,
                       std::int64_t bytes) {
  const auto move = [&]<class T>(T first) {
    T last;
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    std::memcpy(&first, src, sizeof first);
    std::memcpy(&last, src + bytes - size, sizeof last);
    std::memcpy(dst, &first, sizeof first);
    std::memcpy(dst + bytes - size, &last, sizeof last);
  };
  if (bytes >= 8) return move(std::uint64_t{});
  if (bytes >= 4) return move(std::uint32_t{});
  if (bytes >= 2) return move(std::uint16_t{});
  *dst = *src;
}

template <int width>
struct Lane;
template <>
struct Lane<1> {
  using type = std::uint8_t;
};
template <>
struct Lane<2> {
  using type = std::uint16_t;
};
template <>
struct Lane<4> {
  using type = std::uint32_t;
};
template <>
struct Lane<8> {
  using type = std::uint64_t;
};

// What the kernels ask of a vector: `lanes` that zips and permutes never cross, of
// 128 bits where nothing else is said.
struct Vector128 {
  using Half = Vector128;  // the vector of half a line at most
  static constexpr std::int64_t lanes = 1;
  static constexpr int lane_bytes = 16;
  using type [[gnu::vector_size(16)]] = std::uint8_t;

  static type zero() { return type{}; }
  // A lane, and zeros after it.
  static type with_zeros(type lane) { return lane; }
  static type load(const std::byte* from) {
    type v;
    std::memcpy(&v, from, 16);
    return v;
  }
  // Lane k from at(k), so many of them; the others are zeros.
  template <int some = lanes, class At>
  [[gnu::always_inline]] static type gather(At at) {
    return load(at(0));
  }
  template <int width>
  static type zip_low(type a, type b) {
    return zip<width, 0>(a, b);
  }
  template <int width>
  static type zip_high(type a, type b) {
    return zip<width, 16 / width / 2>(a, b);
  }
#if defined(__SSSE3__) || defined(__aarch64__)
  // Of so many bytes each: byte k is byte from[k] of them, or zero for 128.
  static type shuffle_bytes(type from, type v) {
#if defined(__SSSE3__)
    return reinterpret_cast<type>(_mm_shuffle_epi8(
        reinterpret_cast<__m128i>(v), reinterpret_cast<__m128i>(from)));
#else
    return reinterpret_cast<type>(vqtbl1q_u8(
        reinterpret_cast<uint8x16_t>(v), reinterpret_cast<uint8x16_t>(from)));
#endif
  }
#endif
  static type both(type a, type b) { return a & b; }
  static type either(type a, type b) { return a | b; }
  static void store(std::byte* dst, type v) { std::memcpy(dst, &v, 16); }
  static void stream(std::byte* dst, type v) {
    scatter_stream([=](int) { return dst; }, v);
  }
  // Stores group `which` of `some` lanes.
  template <int some>
  [[gnu::always_inline]] static void store_some(std::byte* dst, type v,
                                                int /*which*/) {
    store(dst, v);
  }
  // Lane k to at(k).
  template <class At>
  [[gnu::always_inline]] static void scatter(At at, type v) {
    store(at(0), v);
  }
  template <class At>
  [[gnu::always_inline]] static void scatter_stream(At at, type v) {
#if defined(__SSE2__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(at(0)),
                     reinterpret_cast<__m128i>(v));
    keep_order();
#else
    store(at(0), v);
#endif
  }

 private:
  template <int width>
  using As [[gnu::vector_size(16)]] = typename Lane<width>::type;

  // Elements of a and b, alternating, from element `first` of each.
  template <int width, int first>
  static type zip(type a, type b) {
    return zip_at<width, first>(a, b,
                                std::make_integer_sequence<int, 16 / width>{});
  }
  template <int width, int first, int... k>
  static type zip_at(type a, type b,
                     std::integer_sequence<int, k...> /*elements*/) {
    const auto x = reinterpret_cast<As<width>>(a);
    const auto y = reinterpret_cast<As<width>>(b);
    return reinterpret_cast<type>(__builtin_shufflevector(
        x, y, (k % 2 == 0 ? first + k / 2 : 16 / width + first + k / 2)...));
  }
};

}  // namespace
}  // namespace stridewise
