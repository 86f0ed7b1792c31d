// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/portable.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "reorder/kernels/transpose.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise::portable {
namespace {

// Constant sizes let the compiler emit one or two moves instead of a call.
template <std::size_t bytes, std::size_t zeros>
void copy_runs(const Tile& tile) {
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::byte* const dst = tile.dst + k * tile.dst_stride[0];
    std::memcpy(dst, tile.src + k * tile.src_stride[0], bytes);
    if constexpr (zeros > 0) std::memset(dst + bytes, 0, zeros);
  }
}

template <std::size_t bytes>
void fill_runs(const Tile& tile) {
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::memset(tile.dst + k * tile.dst_stride[0], 0, bytes);
  }
}

void copy(const Tile& tile) {
  const auto bytes = static_cast<std::size_t>(tile.count[1]);
  const auto zeros = static_cast<std::size_t>(tile.zeros);
  if (zeros == 0) {
    switch (bytes) {
      case 3:
        return copy_runs<3, 0>(tile);
      case 6:
        return copy_runs<6, 0>(tile);
      case 12:
        return copy_runs<12, 0>(tile);
      case 32:
        return copy_runs<32, 0>(tile);
      case 64:
        return copy_runs<64, 0>(tile);
      default:
        break;
    }
  }
  if (bytes == 12 && zeros == 4) return copy_runs<12, 4>(tile);
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::byte* const dst = tile.dst + k * tile.dst_stride[0];
    std::memcpy(dst, tile.src + k * tile.src_stride[0], bytes);
    std::memset(dst + bytes, 0, zeros);
  }
}

void fill(const Tile& tile) {
  switch (tile.count[1]) {
    case 4:
      return fill_runs<4>(tile);
    case 8:
      return fill_runs<8>(tile);
    case 12:
      return fill_runs<12>(tile);
    default:
      break;
  }
  const auto bytes = static_cast<std::size_t>(tile.count[1]);
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::memset(tile.dst + k * tile.dst_stride[0], 0, bytes);
  }
}

template <int width>
void transpose(const Tile& tile) {
  Transpose<Vector128, width>::template run<&transpose_scalar<width>>(tile);
}

template <int width>
void strided(const Tile& tile) {
  for (std::int64_t i = 0; i < tile.count[0]; ++i) {
    for (std::int64_t j = 0; j < tile.count[1]; ++j) {
      std::memcpy(tile.dst + i * tile.dst_stride[0] + j * tile.dst_stride[1],
                  tile.src + i * tile.src_stride[0] + j * tile.src_stride[1],
                  width);
    }
  }
}

constexpr Isa isa = Isa::portable;

constexpr auto table = std::to_array<Kernel>({
    {"copy", KernelKind::copy, 1, isa, &copy, nullptr},
    {"fill", KernelKind::fill, 1, isa, &fill, nullptr},
    {"transpose.b8", KernelKind::transpose, 1, isa, &transpose<1>, nullptr},
    {"transpose.b16", KernelKind::transpose, 2, isa, &transpose<2>, nullptr},
    {"transpose.b32", KernelKind::transpose, 4, isa, &transpose<4>, nullptr},
    {"transpose.b64", KernelKind::transpose, 8, isa, &transpose<8>, nullptr},
    {"transpose.b128", KernelKind::transpose, 16, isa, &transpose_scalar<16>,
     nullptr},
    {"strided.b8", KernelKind::strided, 1, isa, &strided<1>, nullptr},
    {"strided.b16", KernelKind::strided, 2, isa, &strided<2>, nullptr},
    {"strided.b32", KernelKind::strided, 4, isa, &strided<4>, nullptr},
    {"strided.b64", KernelKind::strided, 8, isa, &strided<8>, nullptr},
    {"strided.b128", KernelKind::strided, 16, isa, &strided<16>, nullptr},
});

}  // namespace

std::span<const Kernel> kernels() { return table; }

}  // namespace stridewise::portable
