// Kernels for any machine.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/portable.hpp"

#include <array>
#include <cstring>

#include "reorder/kernels/table.hpp"

namespace stridewise::portable {
namespace {

template <int width>
struct Strided {
  static void run(const Tile& tile) { each_plane(tile, elements); }

 private:
  static void elements(const Tile& tile) {
    for (std::int64_t i = 0; i < tile.count[0]; ++i) {
      for (std::int64_t j = 0; j < tile.count[1]; ++j) {
        std::memcpy(tile.dst + i * tile.dst_stride[0] + j * tile.dst_stride[1],
                    tile.src + i * tile.src_stride[0] + j * tile.src_stride[1],
                    width);
      }
    }
  }
};

#if defined(STRIDEWISE_LEAST_AVX2)
constexpr std::span<const Kernel> table;
#else
constexpr auto table = kernels_of<Isa::portable, Vector128, Vector128, false>();
#endif

template <int width>
constexpr Kernel any_strides =
    kernel_of<Strided<width>, false>(Isa::portable, KernelKind::strided, width);
constexpr auto strided_table =
    std::to_array<Kernel>({any_strides<1>, any_strides<2>, any_strides<4>,
                           any_strides<8>, any_strides<16>});

}  // namespace

std::span<const Kernel> kernels() { return table; }
std::span<const Kernel> strided_kernels() { return strided_table; }

}  // namespace stridewise::portable
