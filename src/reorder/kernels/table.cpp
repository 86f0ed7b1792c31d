// The one table of kernels: planner, executor, tests and benchmarks read it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/portable.hpp"

namespace stridewise {
namespace {

using enum KernelKind;

constexpr auto table = std::to_array<Kernel>({
    {"copy", copy, 1, &portable::copy},
    {"fill", fill, 1, &portable::fill},
    {"transpose.b8.vec128", transpose, 1, &portable::transpose<1>},
    {"transpose.b16.vec128", transpose, 2, &portable::transpose<2>},
    {"transpose.b32.vec128", transpose, 4, &portable::transpose<4>},
    {"transpose.b64.vec128", transpose, 8, &portable::transpose<8>},
    {"transpose.b128", transpose, 16, &portable::transpose<16>},
    {"strided.b8", strided, 1, &portable::strided<1>},
    {"strided.b16", strided, 2, &portable::strided<2>},
    {"strided.b32", strided, 4, &portable::strided<4>},
    {"strided.b64", strided, 8, &portable::strided<8>},
    {"strided.b128", strided, 16, &portable::strided<16>},
});

}  // namespace

std::span<const Kernel> kernels() { return table; }

const Kernel* find_kernel(KernelKind kind, std::int64_t element_bytes) {
  const auto* kernel = std::ranges::find_if(table, [&](const Kernel& k) {
    return k.kind == kind && k.element_bytes == element_bytes;
  });
  return kernel == table.end() ? nullptr : kernel;
}

}  // namespace stridewise
