// SPDX-License-Identifier: Apache-2.0
#include "bench/cold.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <vector>
#endif

namespace stridewise::cli {

#if defined(__x86_64__)
void evict(std::span<const std::byte> bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes.size(); at += line) {
    _mm_clflush(bytes.data() + at);
  }
  _mm_mfence();
}
#else
void evict(std::span<const std::byte> /*bytes*/) {
  constexpr std::size_t more_than_caches = std::size_t{256} << 20;
  static std::vector<unsigned char> memory(more_than_caches);
  for (std::size_t at = 0; at < memory.size(); at += 64) {
    volatile unsigned char& byte = memory[at];
    byte = static_cast<unsigned char>(byte + 1);
  }
}
#endif

}  // namespace stridewise::cli
