// Vectors of 512 bits as one lane: what zips and unzips across all of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "engine/kernels/x86_vectors.hpp"

namespace stridewise::engine {
namespace {

struct Vector512Whole : Vector512 {
  static constexpr std::int64_t lanes = 1;
  static constexpr int lane_bytes = 64;

  template <class At>
  [[gnu::always_inline]] static type gather(At at) {
    return load(at(0));
  }
  template <class At>
  [[gnu::always_inline]] static void scatter(At at, type v) {
    store(at(0), v);
  }
  template <class At>
  [[gnu::always_inline]] static void scatter_stream(At at, type v) {
    stream(at(0), v);
  }
  template <int width>
  static type zip_low(type a, type b) {
    return take<width>(
        a, b, [](int k) { return k / 2 + (k % 2 == 0 ? 0 : 64 / width); });
  }
  template <int width>
  static type zip_high(type a, type b) {
    return take<width>(a, b, [](int k) {
      return 32 / width + k / 2 + (k % 2 == 0 ? 0 : 64 / width);
    });
  }
  template <int width>
  static type unzip_even(type a, type b) {
    return take<width>(a, b, [](int k) { return 2 * k; });
  }
  template <int width>
  static type unzip_odd(type a, type b) {
    return take<width>(a, b, [](int k) { return 2 * k + 1; });
  }

 private:
  // As numbers of elements in a vector.
  template <int width, class Of>
  struct Numbers {
    using Number = std::conditional_t<
        width == 1, std::uint8_t,
        std::conditional_t<
            width == 2, std::uint16_t,
            std::conditional_t<width == 4, std::uint32_t, std::uint64_t>>>;
    static constexpr auto all = [] {
      std::array<Number, 64 / width> numbers{};
      for (int k = 0; k < 64 / width; ++k) {
        numbers[static_cast<std::size_t>(k)] = static_cast<Number>(Of{}(k));
      }
      return numbers;
    }();
  };
  template <int width, class Of>
  [[gnu::always_inline]] static type take(type a, type b, Of) {
    const auto& all = Numbers<width, Of>::all;
    const type numbers = _mm512_loadu_si512(all.data());
    if constexpr (width == 2) return _mm512_permutex2var_epi16(a, numbers, b);
    if constexpr (width == 4) return _mm512_permutex2var_epi32(a, numbers, b);
    if constexpr (width == 8) return _mm512_permutex2var_epi64(a, numbers, b);
    if constexpr (width == 1) return _mm512_permutex2var_epi8(a, numbers, b);
  }
};

}  // namespace
}  // namespace stridewise::engine
