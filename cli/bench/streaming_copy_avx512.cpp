// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "bench/streaming_copy.hpp"

namespace stridewise::cli {

void streaming_copy_avx512(const std::byte* src, std::byte* dst,
                           std::size_t bytes) {
  constexpr std::size_t width = sizeof(__m512i);
  // Streaming stores must be aligned; what stands before and after is copied.
  const std::size_t past = reinterpret_cast<std::uintptr_t>(dst) % width;
  std::size_t k = past == 0 ? 0 : width - past;
  if (k > bytes) k = bytes;
  std::memcpy(dst, src, k);
  for (; k + width <= bytes; k += width) {
    _mm512_stream_si512(
        reinterpret_cast<__m512i*>(dst + k),
        _mm512_loadu_si512(reinterpret_cast<const __m512i*>(src + k)));
  }
  _mm_sfence();
  std::memcpy(dst + k, src + k, bytes - k);
}

}  // namespace stridewise::cli
