// SPDX-License-Identifier: Apache-2.0
#include "bench/streaming_copy.hpp"

namespace stridewise::cli {

Copy streaming_copy() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return streaming_copy_avx512;
  if (__builtin_cpu_supports("avx2")) return streaming_copy_avx2;
#endif
  return nullptr;
}

}  // namespace stridewise::cli
