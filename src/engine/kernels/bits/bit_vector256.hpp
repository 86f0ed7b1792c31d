// What programs of bits ask of vectors of 32 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "engine/kernels/x86_vectors.hpp"

namespace stridewise::engine {
namespace {

struct BitVector256 : Vector256 {
  // Words of eight bytes to the left; by less than 0: to the right.
  struct Shift {
    type left, right;
  };
  static Shift shift_by(const std::byte* table) {
    const type left = load(table);
    const type none = zero();
    return {_mm256_max_epi32(left, none),
            _mm256_max_epi32(_mm256_sub_epi64(none, left), none)};
  }
  static type shifted(type v, const Shift& by) {
    return _mm256_srlv_epi64(_mm256_sllv_epi64(v, by.left), by.right);
  }
  static type of_byte(std::uint8_t byte) {
    return _mm256_set1_epi8(static_cast<char>(byte));
  }
  static type differing(type a, type b) { return _mm256_xor_si256(a, b); }
  static type most(type a, type b) { return _mm256_max_epu8(a, b); }
  static type least(type a, type b) { return _mm256_min_epu8(a, b); }
  static type minus(type a, type b) { return _mm256_sub_epi8(a, b); }
};

}  // namespace
}  // namespace stridewise::engine
