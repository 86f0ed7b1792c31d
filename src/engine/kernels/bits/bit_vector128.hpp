// What programs of bits ask of vectors of 16 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "engine/kernels/vector128.hpp"

namespace stridewise::engine {
namespace {

struct BitVector128 : Vector128 {
  static type of_byte(std::uint8_t byte) { return type{} + byte; }
  static type differing(type a, type b) { return a ^ b; }
  static type minus(type a, type b) { return a - b; }
#if defined(__aarch64__)
  static type most(type a, type b) {
    return reinterpret_cast<type>(vmaxq_u8(reinterpret_cast<uint8x16_t>(a),
                                           reinterpret_cast<uint8x16_t>(b)));
  }
  static type least(type a, type b) {
    return reinterpret_cast<type>(vminq_u8(reinterpret_cast<uint8x16_t>(a),
                                           reinterpret_cast<uint8x16_t>(b)));
  }
  // Words of eight bytes to the left; by less than 0: to the right.
  static int64x2_t shift_by(const std::byte* table) {
    return reinterpret_cast<int64x2_t>(load(table));
  }
  static type shifted(type v, int64x2_t by) {
    return reinterpret_cast<type>(
        vshlq_u64(reinterpret_cast<uint64x2_t>(v), by));
  }
#else
  static type most(type a, type b) {
    return reinterpret_cast<type>(_mm_max_epu8(reinterpret_cast<__m128i>(a),
                                               reinterpret_cast<__m128i>(b)));
  }
  static type least(type a, type b) {
    return reinterpret_cast<type>(_mm_min_epu8(reinterpret_cast<__m128i>(a),
                                               reinterpret_cast<__m128i>(b)));
  }
  // Words of eight bytes to the left, all as far as the first; by less than 0: to the
  // right.
  struct Shift {
    __m128i left, right;
  };
  static Shift shift_by(const std::byte* table) {
    std::int64_t left = 0;
    std::memcpy(&left, table, sizeof(left));
    return {_mm_cvtsi64_si128(left > 0 ? left : 0),
            _mm_cvtsi64_si128(left < 0 ? -left : 0)};
  }
  static type shifted(type v, const Shift& by) {
    return reinterpret_cast<type>(_mm_srl_epi64(
        _mm_sll_epi64(reinterpret_cast<__m128i>(v), by.left), by.right));
  }
#endif
};

}  // namespace
}  // namespace stridewise::engine
