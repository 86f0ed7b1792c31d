// The one table of kernels: planner, executor, tests and benchmarks read it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <string>
#include <vector>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/portable.hpp"
#if defined(__x86_64__)
#include <immintrin.h>

#include "reorder/kernels/x86.hpp"
#endif

namespace stridewise {
namespace {

constexpr auto kind_names = std::to_array<std::string_view>(
    {"copy", "fill", "transpose", "interleave", "short_columns",
     "padded_columns", "short_rows", "deinterleave", "permuted", "strided",
     "gathered", "grouped", "ungrouped", "padded_rows"});

// kind[.b BITS][.ISA]
std::string name_of(const Kernel& kernel) {
  std::string name(kind_names[static_cast<std::size_t>(kernel.kind)]);
  if (kernel.kind != KernelKind::copy && kernel.kind != KernelKind::fill) {
    name += ".b";
    name += std::to_string(8 * kernel.element_bytes);
  }
  if (kernel.isa != Isa::portable) {
    name += '.';
    name += isa_name(kernel.isa);
  }
  return name;
}

std::vector<Kernel> allowed_kernels() {
  std::vector<Kernel> all;
  const auto add = [&all](std::span<const Kernel> some) {
    all.insert(all.begin(), some.begin(), some.end());
  };
  add(portable::strided_kernels());
  add(portable::kernels());
#if defined(STRIDEWISE_SSE4)
  if (best_isa() >= Isa::sse4) add(x86::sse4_kernels());
#endif
#if defined(STRIDEWISE_AVX2)
  if (best_isa() >= Isa::avx2) add(x86::avx2_kernels());
#endif
#if defined(STRIDEWISE_AVX512)
  if (best_isa() >= Isa::avx512) add(x86::avx512_kernels());
#endif
#if defined(STRIDEWISE_VBMI)
  if (best_isa() >= Isa::avx512_vbmi) add(x86::avx512_vbmi_kernels());
#endif
  static std::deque<std::string> names;  // called once
  for (Kernel& kernel : all) kernel.name = names.emplace_back(name_of(kernel));
  return all;
}

constexpr std::int64_t most_element_bytes = 64;
constexpr std::size_t widths =
    std::countr_zero(std::uint64_t{most_element_bytes}) + 1;

// The best kernel of each kind and width, by the power of two that the width is.
using Firsts =
    std::array<std::array<const Kernel*, widths>, std::size(kind_names)>;

Firsts first_kernels() {
  Firsts first{};
  for (const Kernel& kernel : kernels()) {
    const auto width = static_cast<std::uint64_t>(kernel.element_bytes);
    const Kernel*& best =
        first[static_cast<std::size_t>(kernel.kind)]
             [static_cast<std::size_t>(std::countr_zero(width))];
    if (best == nullptr) best = &kernel;
  }
  return first;
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = allowed_kernels();
  return all;
}

const Kernel* find_kernel(KernelKind kind, std::int64_t element_bytes,
                          Isa most) {
  if (element_bytes < 1 || element_bytes > most_element_bytes) return nullptr;
  const auto width = static_cast<std::uint64_t>(element_bytes);
  const auto power = static_cast<std::size_t>(std::countr_zero(width));
  if (width != std::uint64_t{1} << power) return nullptr;
  static const Firsts first = first_kernels();
  const Kernel* const best = first[static_cast<std::size_t>(kind)][power];
  if (best == nullptr || best->isa <= most) return best;
  const auto all = kernels();
  const auto kernel = std::ranges::find_if(all, [&](const Kernel& k) {
    return k.kind == kind && k.element_bytes == element_bytes && k.isa <= most;
  });
  return kernel == all.end() ? nullptr : &*kernel;
}

void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace stridewise
