// The one table of kernels: planner, executor and tests read it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/kernels/portable.hpp"
#include "engine/kernels/tile.hpp"
#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/x86.hpp"
#endif

namespace stridewise::engine {
namespace {

constexpr auto names = std::to_array<std::string_view>(
    {"copy", "fill", "transpose", "zip", "unzip", "program"});
static_assert(names.size() == kinds);

bool moves_bytes(Kind kind) { return of_runs(kind) || kind == Kind::program; }

}  // namespace

std::string_view kind_name(Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

std::string kernel_name(const Kernel& kernel) {
  std::string name(kind_name(kernel.kind));
  if (kernel.element_bytes > 1 || !moves_bytes(kernel.kind)) {
    name += ".b" + std::to_string(8 * kernel.element_bytes);
  }
  if (kernel.isa == Isa::portable) return name;
  return name.append(".").append(isa_name(kernel.isa));
}

std::span<const Kernel> kernels_of(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
#if defined(STRIDEWISE_AVX2)
    case Isa::avx2:
      return x86::avx2_kernels();
#endif
#if defined(STRIDEWISE_AVX512)
    case Isa::avx512:
      return x86::avx512_kernels();
#endif
#if defined(STRIDEWISE_VBMI)
    case Isa::avx512_vbmi:
      return x86::vbmi_kernels();
#endif
#endif
#if defined(__x86_64__) && defined(STRIDEWISE_SSE4)
    case Isa::sse4:
      return x86::sse4_kernels();
#endif
    case Isa::portable:
      return portable::kernels();
    default:
      return {};
  }
}

const Kernel* find_kernel(Kind kind, std::int64_t element_bytes, Isa isa) {
  for (int level = static_cast<int>(isa); level >= 0; --level) {
    const std::span<const Kernel> all = kernels_of(static_cast<Isa>(level));
    const auto kernel = std::ranges::find_if(all, [&](const Kernel& k) {
      return k.kind == kind && k.element_bytes == element_bytes;
    });
    if (kernel != all.end()) return &*kernel;
  }
  return nullptr;
}

void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace stridewise::engine
