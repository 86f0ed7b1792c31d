// AVX-512 with VBMI: bytes are permuted across whole vectors.
// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program.hpp"
#include "engine/kernels/sets.hpp"
#include "engine/kernels/x86.hpp"
#include "engine/kernels/x86_whole.hpp"

namespace stridewise::engine::x86 {
namespace {

// A source is a piece of src as long as a vector, and which of its bytes go where.
struct ProgramVector512 : Vector512 {
  static constexpr std::int64_t vector_bytes = 64;
  struct Source {
    std::int64_t at;
    type from;
    std::uint64_t present;
  };

  [[gnu::always_inline]] static Source source(const std::byte* table) {
    Source source;  // NOLINT: read whole
    std::memcpy(&source.at, table, 8);
    std::memcpy(&source.present, table + 8, 8);
    source.from = load(table + 64);
    return source;
  }
  [[gnu::always_inline]] static type first(const Source& from,
                                           const std::byte* src) {
    return _mm512_maskz_permutexvar_epi8(from.present, from.from,
                                         load(src + from.at));
  }
  [[gnu::always_inline]] static type more(type v, const Source& from,
                                          const std::byte* src) {
    return _mm512_mask_permutexvar_epi8(v, from.present, from.from,
                                        load(src + from.at));
  }
  [[gnu::always_inline]] static void store_part(std::byte* dst, type v,
                                                std::uint64_t stored) {
    _mm512_mask_storeu_epi8(dst, stored, v);
  }
  static type either(type a, type b) { return _mm512_or_si512(a, b); }
  // Each byte is eight bits of its word of eight bytes, from so many on.
  static type shift_by(const std::byte* table) { return load(table); }
  static type shifted(type v, type by) {
    return _mm512_multishift_epi64_epi8(by, v);
  }
  static type of_byte(std::uint8_t byte) {
    return _mm512_set1_epi8(static_cast<char>(byte));
  }
  static type differing(type a, type b) { return _mm512_xor_si512(a, b); }
  static type most(type a, type b) { return _mm512_max_epu8(a, b); }
  static type least(type a, type b) { return _mm512_min_epu8(a, b); }
  static type minus(type a, type b) { return _mm512_sub_epi8(a, b); }
};

constexpr auto table = std::to_array<Kernel>({
    kernel<Zip<Vector512Whole, 1>, true>(Isa::avx512_vbmi, Kind::zip, 1),
    kernel<Unzip<Vector512Whole, 1>, true>(Isa::avx512_vbmi, Kind::unzip, 1),
    program_kernel<ProgramVector512>(Isa::avx512_vbmi),
});

}  // namespace

std::span<const Kernel> vbmi_kernels() { return table; }

}  // namespace stridewise::engine::x86
