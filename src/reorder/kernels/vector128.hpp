// 128-bit vectors in the compilers' own vector extension, which every target
// that they know lowers to something good.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace stridewise {
namespace {

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

struct Vector128 {
  static constexpr std::int64_t lanes = 1;
  static constexpr bool loads_partially = false;
  using type [[gnu::vector_size(16)]] = std::uint8_t;

  static type gather(const std::byte* const* from) {
    type v;
    std::memcpy(&v, from[0], 16);
    return v;
  }
  template <int width>
  static type zip_low(type a, type b) {
    return zip<width, 0>(a, b);
  }
  template <int width>
  static type zip_high(type a, type b) {
    return zip<width, 16 / width / 2>(a, b);
  }
  static void store(std::byte* dst, type v) { std::memcpy(dst, &v, 16); }
  static void stream(std::byte* dst, type v) { store(dst, v); }

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

// Transposes too small for vectors, and the zero rows after them.
template <int width>
void transpose_scalar(const Tile& tile) {
  for (std::int64_t j = 0; j < tile.count[1]; ++j) {
    std::byte* const dst = tile.dst + j * tile.dst_stride[1];
    for (std::int64_t i = 0; i < tile.count[0]; ++i) {
      std::memcpy(dst + i * width, tile.src + tile.row_at(i) + j * width,
                  width);
    }
    std::memset(dst + tile.count[0] * width, 0,
                static_cast<std::size_t>(tile.zeros * width));
  }
}

}  // namespace
}  // namespace stridewise
