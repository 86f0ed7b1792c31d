// AVX-512 (F, BW, DQ, VL): transposes by strips of whole cache lines, and runs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "reorder/kernels/transpose.hpp"
#include "reorder/kernels/vector128.hpp"
#include "reorder/kernels/x86.hpp"
#include "reorder/kernels/x86_vectors.hpp"

namespace stridewise::x86 {
namespace {

template <int width>
void narrowest(const Tile& tile) {
  Transpose<Vector128, width>::template run<&transpose_scalar<width>>(tile);
}
template <int width>
void narrow(const Tile& tile) {
  Transpose<Vector256, width>::template run<&narrowest<width>>(tile);
}
template <int width>
void transpose(const Tile& tile) {
  Transpose<Vector512, width>::template run<&narrow<width>>(tile);
}
template <int width>
void transpose_stream(const Tile& tile) {
  Transpose<Vector512, width>::template stream<&narrow<width>>(tile);
}

// A run and its zeros within one vector: one masked load, one masked store.
void copy_short(const Tile& tile) {
  const __mmask64 load = first_bytes(tile.count[1]);
  const __mmask64 store = first_bytes(tile.count[1] + tile.zeros);
  const std::byte* src = tile.src;
  std::byte* dst = tile.dst;
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    _mm512_mask_storeu_epi8(dst, store, _mm512_maskz_loadu_epi8(load, src));
    src += tile.src_stride[0];
    dst += tile.dst_stride[0];
  }
}

// One run of any length: whole lines of dst in the middle, masks at both ends.
template <bool streams>
void copy_run(const std::byte* src, std::byte* dst, std::int64_t bytes) {
  const std::int64_t head =
      std::min(bytes, -reinterpret_cast<std::intptr_t>(dst) & 63);
  _mm512_mask_storeu_epi8(dst, first_bytes(head),
                          _mm512_maskz_loadu_epi8(first_bytes(head), src));
  std::int64_t at = head;
  for (; at + 256 <= bytes; at += 256) {
    __m512i line[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      line[k] = _mm512_loadu_si512(src + at + 64 * k);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      if constexpr (streams) {
        Vector512::stream(dst + at + 64 * k, line[k]);
      } else {
        Vector512::store(dst + at + 64 * k, line[k]);
      }
    }
  }
  for (; at < bytes; at += 64) {
    const __mmask64 rest = first_bytes(bytes - at);
    _mm512_mask_storeu_epi8(dst + at, rest,
                            _mm512_maskz_loadu_epi8(rest, src + at));
  }
}

template <bool streams>
void copy_long(const Tile& tile) {
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::byte* const dst = tile.dst + k * tile.dst_stride[0];
    copy_run<streams>(tile.src + k * tile.src_stride[0], dst, tile.count[1]);
    std::memset(dst + tile.count[1], 0, static_cast<std::size_t>(tile.zeros));
  }
}

template <bool streams>
void copy(const Tile& tile) {
  if (tile.count[1] + tile.zeros <= 64) return copy_short(tile);
  copy_long<streams>(tile);
}

constexpr Isa isa = Isa::avx512;

constexpr auto table = std::to_array<Kernel>({
    {"copy.avx512", KernelKind::copy, 1, isa, &copy<false>, &copy<true>},
    {"transpose.b8.avx512", KernelKind::transpose, 1, isa, &transpose<1>,
     &transpose_stream<1>},
    {"transpose.b16.avx512", KernelKind::transpose, 2, isa, &transpose<2>,
     &transpose_stream<2>},
    {"transpose.b32.avx512", KernelKind::transpose, 4, isa, &transpose<4>,
     &transpose_stream<4>},
    {"transpose.b64.avx512", KernelKind::transpose, 8, isa, &transpose<8>,
     &transpose_stream<8>},
});

}  // namespace

std::span<const Kernel> avx512_kernels() { return table; }

}  // namespace stridewise::x86
