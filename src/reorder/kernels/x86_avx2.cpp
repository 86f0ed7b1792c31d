// AVX2: transposes by strips of 32 bytes.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reorder/kernels/transpose.hpp"
#include "reorder/kernels/vector128.hpp"
#include "reorder/kernels/x86.hpp"
#include "reorder/kernels/x86_vectors.hpp"

namespace stridewise::x86 {
namespace {

template <int width>
void narrow(const Tile& tile) {
  Transpose<Vector128, width>::template run<&transpose_scalar<width>>(tile);
}
template <int width>
void transpose(const Tile& tile) {
  Transpose<Vector256, width>::template run<&narrow<width>>(tile);
}
template <int width>
void transpose_stream(const Tile& tile) {
  Transpose<Vector256, width>::template stream<&narrow<width>>(tile);
}

constexpr Isa isa = Isa::avx2;

constexpr auto table = std::to_array<Kernel>({
    {"transpose.b8.avx2", KernelKind::transpose, 1, isa, &transpose<1>,
     &transpose_stream<1>},
    {"transpose.b16.avx2", KernelKind::transpose, 2, isa, &transpose<2>,
     &transpose_stream<2>},
    {"transpose.b32.avx2", KernelKind::transpose, 4, isa, &transpose<4>,
     &transpose_stream<4>},
    {"transpose.b64.avx2", KernelKind::transpose, 8, isa, &transpose<8>,
     &transpose_stream<8>},
});

}  // namespace

std::span<const Kernel> avx2_kernels() { return table; }

}  // namespace stridewise::x86
