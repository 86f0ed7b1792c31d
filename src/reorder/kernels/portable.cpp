// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/portable.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stridewise::portable {
namespace {

// Constant sizes let the compiler emit one or two moves instead of a call.
template <int bytes>
void copy_runs(const Tile& tile) {
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::memcpy(tile.dst + k * tile.dst_stride[0],
                tile.src + k * tile.src_stride[0], bytes);
  }
}

template <int bytes>
void fill_runs(const Tile& tile) {
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::memset(tile.dst + k * tile.dst_stride[0], 0, bytes);
  }
}

template <int width>
void copy_element(std::byte* dst, const std::byte* src) {
  std::memcpy(dst, src, width);
}

template <int width>
void transpose_scalar(const std::byte* src, std::byte* dst, std::int64_t rows,
                      std::int64_t columns, std::int64_t src_stride,
                      std::int64_t dst_stride) {
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      copy_element<width>(dst + j * dst_stride + i * width,
                          src + i * src_stride + j * width);
    }
  }
}

template <int width>
struct Lane;
template <>
struct Lane<1> {
  using type = std::uint8_t;
};
template <>
struct Lane<2> {
  using type = std::uint16_t;
};
template <>
struct Lane<4> {
  using type = std::uint32_t;
};
template <>
struct Lane<8> {
  using type = std::uint64_t;
};

template <int width>
using Vector [[gnu::vector_size(16)]] = typename Lane<width>::type;

// Lanes of two vectors, alternating: a0 b0 a1 b1 ... from `first` on.
template <int width, int first, int... k>
Vector<width> interleave(Vector<width> a, Vector<width> b,
                         std::integer_sequence<int, k...> /*lanes*/) {
  constexpr int lanes = 16 / width;
  return __builtin_shufflevector(
      a, b, (k % 2 == 0 ? first + k / 2 : lanes + first + k / 2)...);
}

// One square of 16-byte rows. Each stage zips row i with row i + n/2:
//
//   a0 a1 a2 a3        a0 c0 a1 c1        a0 b0 c0 d0
//   b0 b1 b2 b3   ->   a2 c2 a3 c3   ->   a1 b1 c1 d1
//   c0 c1 c2 c3        b0 d0 b1 d1        a2 b2 c2 d2
//   d0 d1 d2 d3        b2 d2 b3 d3        a3 b3 c3 d3
//
// log2(n) stages rotate the row bits of the index into its lane bits.
template <int width>
void transpose_square(const std::byte* src, std::byte* dst,
                      std::int64_t src_stride, std::int64_t dst_stride) {
  constexpr std::size_t n = 16 / width;
  using Lanes = std::make_integer_sequence<int, static_cast<int>(n)>;
  constexpr int middle = static_cast<int>(n / 2);
  Vector<width> rows[n];
  Vector<width> zipped[n];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(&rows[i], src + static_cast<std::int64_t>(i) * src_stride, 16);
  }
#pragma GCC unroll 4
  for (std::size_t stage = 1; stage < n; stage *= 2) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n / 2; ++i) {
      zipped[2 * i] = interleave<width, 0>(rows[i], rows[i + n / 2], Lanes{});
      zipped[2 * i + 1] =
          interleave<width, middle>(rows[i], rows[i + n / 2], Lanes{});
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) rows[i] = zipped[i];
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(dst + static_cast<std::int64_t>(i) * dst_stride, &rows[i], 16);
  }
}

}  // namespace

void copy(const Tile& tile) {
  switch (tile.count[1]) {
    case 3:
      return copy_runs<3>(tile);
    case 6:
      return copy_runs<6>(tile);
    case 12:
      return copy_runs<12>(tile);
    case 16:
      return copy_runs<16>(tile);
    case 32:
      return copy_runs<32>(tile);
    case 64:
      return copy_runs<64>(tile);
    default:
      break;
  }
  const auto bytes = static_cast<std::size_t>(tile.count[1]);
  for (std::int64_t k = 0; k < tile.count[0]; ++k) {
    std::memcpy(tile.dst + k * tile.dst_stride[0],
                tile.src + k * tile.src_stride[0], bytes);
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
  // Blocks of 256 B each way keep both sides of a block in L1 and give the
  // prefetchers whole lines.
  constexpr std::int64_t block = 256 / width;
  constexpr std::int64_t n = 16 / width;
  const std::int64_t src_stride = tile.src_stride[0];
  const std::int64_t dst_stride = tile.dst_stride[1];
  for (std::int64_t i0 = 0; i0 < tile.count[0]; i0 += block) {
    const std::int64_t i1 = std::min(i0 + block, tile.count[0]);
    for (std::int64_t j0 = 0; j0 < tile.count[1]; j0 += block) {
      const std::int64_t j1 = std::min(j0 + block, tile.count[1]);
      const std::int64_t whole_i = i0 + (i1 - i0) / n * n;
      const std::int64_t whole_j = j0 + (j1 - j0) / n * n;
      const auto scalar = [&](std::int64_t i, std::int64_t i_end,
                              std::int64_t j, std::int64_t j_end) {
        transpose_scalar<width>(tile.src + i * src_stride + j * width,
                                tile.dst + j * dst_stride + i * width,
                                i_end - i, j_end - j, src_stride, dst_stride);
      };
      if constexpr (n > 1) {
        for (std::int64_t j = j0; j < whole_j; j += n) {
          for (std::int64_t i = i0; i < whole_i; i += n) {
            transpose_square<width>(tile.src + i * src_stride + j * width,
                                    tile.dst + j * dst_stride + i * width,
                                    src_stride, dst_stride);
          }
        }
        scalar(whole_i, i1, j0, whole_j);
        scalar(i0, i1, whole_j, j1);
      } else {
        scalar(i0, i1, j0, j1);
      }
    }
  }
}

template <int width>
void strided(const Tile& tile) {
  for (std::int64_t i = 0; i < tile.count[0]; ++i) {
    for (std::int64_t j = 0; j < tile.count[1]; ++j) {
      copy_element<width>(
          tile.dst + i * tile.dst_stride[0] + j * tile.dst_stride[1],
          tile.src + i * tile.src_stride[0] + j * tile.src_stride[1]);
    }
  }
}

template void transpose<1>(const Tile&);
template void transpose<2>(const Tile&);
template void transpose<4>(const Tile&);
template void transpose<8>(const Tile&);
template void transpose<16>(const Tile&);
template void strided<1>(const Tile&);
template void strided<2>(const Tile&);
template void strided<4>(const Tile&);
template void strided<8>(const Tile&);
template void strided<16>(const Tile&);

}  // namespace stridewise::portable
