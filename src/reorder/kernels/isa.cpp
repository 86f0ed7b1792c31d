// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/isa.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stridewise {
namespace {

constexpr std::array<std::string_view, 5> names = {"portable", "sse4", "avx2",
                                                   "avx512", "avx512_vbmi"};

#if defined(STRIDEWISE_AVX2)
// clang 14 does not know "f16c" by name.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

#if defined(STRIDEWISE_SSE4)
constexpr Isa before_avx2 = Isa::sse4;
#elif defined(__x86_64__)
constexpr Isa before_avx2 = Isa::portable;
#endif

// Whose the processor is, as far as what it likes hangs on that.
struct Maker {
  bool zen4;  // family 19h, which is also Zen 3, of which the same is assumed
  bool intel;
};
const Maker& maker() {
#if defined(__x86_64__)
  static const Maker maker = [] {
    __builtin_cpu_init();
    return Maker{__builtin_cpu_is("amdfam19h") != 0,
                 __builtin_cpu_is("intel") != 0};
  }();
#else
  static constexpr Maker maker{};
#endif
  return maker;
}

// An unknown name caps nothing: a misspelt variable must not slow a program.
Isa allowed_isa() {
  const char* const text = std::getenv("STRIDEWISE_ISA");
  if (text == nullptr) return Isa::avx512_vbmi;
  const auto name = std::ranges::find(names, std::string_view(text));
  return name == names.end() ? Isa::avx512_vbmi
                             : static_cast<Isa>(name - names.begin());
}

}  // namespace

std::string_view isa_name(Isa isa) {
  return names[static_cast<std::size_t>(isa)];
}

Isa machine_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("ssse3") || !__builtin_cpu_supports("sse4.1")) {
    return Isa::portable;
  }
#if defined(STRIDEWISE_AVX2)
  if (!__builtin_cpu_supports("avx2") || !has_f16c()) return before_avx2;
#if defined(STRIDEWISE_AVX512)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return __builtin_cpu_supports("avx512vbmi") ? Isa::avx512_vbmi
                                                : Isa::avx512;
  }
#endif
  return Isa::avx2;
#else
  return before_avx2;
#endif
#else
  return Isa::portable;
#endif
}

Isa least_isa() {
#if defined(STRIDEWISE_LEAST_AVX2)
  return Isa::avx2;
#else
  return Isa::portable;
#endif
}

bool halves_vectors() { return maker().zen4; }

bool reads_ahead_by_pages() noexcept { return maker().intel; }

// Zen 3, which is slow at lines that stream one by one, has no AVX-512.
bool tells_memory_apart() noexcept {
  static const bool apart = maker().zen4 && machine_isa() >= Isa::avx512;
  return apart;
}

const bool asks_for_pages = !reads_ahead_by_pages();
const std::int64_t in_order_ahead = reads_ahead_by_pages() ? 4096 : 0;

std::int64_t rows_read_ahead() { return maker().zen4 ? 0 : 16; }

Isa best_isa() {
  static const Isa best =
      std::min(machine_isa(), std::max(allowed_isa(), least_isa()));
  return best;
}

}  // namespace stridewise
