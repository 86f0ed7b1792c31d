// Permutations of J vectors that interleave J rows or take them apart again, within
// lanes of vectors. Included as transpose.hpp is.
//
// A lane of each of J rows becomes J lanes of dst, or the other way round. The
// index of an element among them has log2(lane / width) bits of column and
// log2(J) bits of row; where J is a power of two, a round of zips over all
// vectors rotates those bits by one, and one of unzips rotates them back.
// Otherwise each vector of the result takes its bytes from every vector of the
// source by masks that are constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Bytes of vector `out` of an interleave of J rows by lanes of so many bytes
// that are of row `in`; `back`: bytes of row `out` of the inverse that lie in
// vector `in`.
template <int lane, int width, int J, bool back, int out, int in>
constexpr LaneMask<lane> lanes_mask = [] {
  LaneMask<lane> mask{};
  for (int q = 0; q < lane; ++q) {
    const int element = (lane * out + q) / width;
    const int from = back ? (q / width * J + out) * width
                          : element % J * lane + element / J * width;
    mask[q] = from / lane == in
                  ? static_cast<std::uint8_t>(from % lane + q % width)
                  : zero_byte;
  }
  return mask;
}();

// J vectors in, J vectors out; `back`: the inverse.
template <class Vector, int width, int J, bool back>
struct Lanes {
  using V = typename Vector::type;
  static constexpr int lane = Vector::lane_bytes;
  static constexpr bool unzips = requires(V v) {
    Vector::template unzip_even<width>(v, v);
  };
  static constexpr int rounds = std::countr_zero(
      static_cast<unsigned>(back && !unzips ? lane / width : J));

  [[gnu::always_inline]] static void permute(const V* in, V* out) {
    if constexpr (std::has_single_bit(static_cast<unsigned>(J))) {
      V z[J];
#pragma GCC unroll 16
      for (int i = 0; i < J; ++i) out[i] = in[i];
#pragma GCC unroll 4
      for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
        for (int i = 0; i < J; ++i) z[i] = out[i];
#pragma GCC unroll 8
        for (int i = 0; i < J / 2; ++i) {
          if constexpr (back && unzips) {
            out[i] = Vector::template unzip_even<width>(z[2 * i], z[2 * i + 1]);
            out[i + J / 2] =
                Vector::template unzip_odd<width>(z[2 * i], z[2 * i + 1]);
          } else {
            out[2 * i] = Vector::template zip_low<width>(z[i], z[i + J / 2]);
            out[2 * i + 1] =
                Vector::template zip_high<width>(z[i], z[i + J / 2]);
          }
        }
      }
    } else {
      each(in, out, std::make_integer_sequence<int, J - 1>{});
    }
  }

 private:
  template <int... k>
  [[gnu::always_inline]] static void each(
      const V* in, V* out, std::integer_sequence<int, k...> others) {
    out[0] = one<0>(in, others);
    ((out[k + 1] = one<k + 1>(in, others)), ...);
  }
  template <int out, int... k>
  [[gnu::always_inline]] static V one(
      const V* in, std::integer_sequence<int, k...> /*others*/) {
    V v = Vector::template permute<mask<out, 0>>(in[0]);
    ((v = Vector::template insert<mask<out, k + 1>>(v, in[k + 1])), ...);
    return v;
  }
  template <int out, int in>
  static constexpr const LaneMask<lane>& mask =
      lanes_mask<lane, width, J, back, out, in>;
};

// Calls f with the integral_constant of `count`, one of 2..8 and, for bytes,
// 16, where `fits` of it holds.
template <auto fits, class F>
void with_constant(std::int64_t count, F f) {
  const auto call = [&]<int k>() {
    if constexpr (fits(k)) f(std::integral_constant<int, k>{});
  };
  switch (count) {
    case 2:
      return call.template operator()<2>();
    case 3:
      return call.template operator()<3>();
    case 4:
      return call.template operator()<4>();
    case 5:
      return call.template operator()<5>();
    case 6:
      return call.template operator()<6>();
    case 7:
      return call.template operator()<7>();
    case 8:
      return call.template operator()<8>();
    default:
      return call.template operator()<16>();
  }
}

}  // namespace
}  // namespace stridewise
