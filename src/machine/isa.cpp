// SPDX-License-Identifier: Apache-2.0
#include "machine/isa.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "machine/processor.hpp"

namespace stridewise {
namespace {

constexpr std::array<std::string_view, 5> names = {"portable", "sse4", "avx2",
                                                   "avx512", "avx512_vbmi"};

#if defined(STRIDEWISE_SSE4)
constexpr Isa before_avx2 = Isa::sse4;
#elif defined(__x86_64__)
constexpr Isa before_avx2 = Isa::portable;
#endif

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
  if (!processor().sse4) return Isa::portable;
#if defined(STRIDEWISE_AVX2)
  if (!processor().avx2) return before_avx2;
#if defined(STRIDEWISE_AVX512)
  if (processor().avx512) {
    return processor().vbmi ? Isa::avx512_vbmi : Isa::avx512;
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

const bool asks_for_pages = !processor().intel;

Isa best_isa() {
  static const Isa best =
      std::min(machine_isa(), std::max(allowed_isa(), least_isa()));
  return best;
}

}  // namespace stridewise
