// Every kernel of the table against plain loops: all tile edges, pitches that
// are no multiple of anything, and forbidden pages on both sides.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "reorder/kernels/kernel.hpp"
#include "support/guarded.hpp"

namespace stridewise {
namespace {

using testing::GuardedBytes;

void reference(const Kernel& kernel, const Tile& tile) {
  for (std::int64_t i = 0; i < tile.count[0]; ++i) {
    for (std::int64_t j = 0; j < tile.count[1]; ++j) {
      for (std::int64_t b = 0; b < kernel.element_bytes; ++b) {
        tile.dst[i * tile.dst_stride[0] + j * tile.dst_stride[1] + b] =
            kernel.kind == KernelKind::fill
                ? std::byte{0}
                : tile.src[i * tile.src_stride[0] + j * tile.src_stride[1] + b];
      }
    }
  }
}

// Strides of a rows x columns tile for each kind, with `gap` bytes between.
Tile tile_of(const Kernel& kernel, std::int64_t rows, std::int64_t columns,
             std::int64_t gap) {
  const std::int64_t width = kernel.element_bytes;
  Tile tile{.src = nullptr,
            .dst = nullptr,
            .count = {rows, columns},
            .src_stride = {columns * width + gap, width},
            .dst_stride = {columns * width + gap, width}};
  if (kernel.kind == KernelKind::transpose) {
    tile.dst_stride = {width, rows * width + gap};
  } else if (kernel.kind == KernelKind::strided) {
    tile.src_stride = {width, rows * width + gap};
    tile.dst_stride = {columns * (width + gap), width + gap};
  }
  return tile;
}

std::size_t extent(const std::array<std::int64_t, 2>& count,
                   const std::array<std::int64_t, 2>& stride,
                   std::int64_t width) {
  return static_cast<std::size_t>((count[0] - 1) * stride[0] +
                                  (count[1] - 1) * stride[1] + width);
}

void check(const Kernel& kernel, Tile tile, GuardedBytes::Against side) {
  const std::size_t src_size =
      extent(tile.count, tile.src_stride, kernel.element_bytes);
  const std::size_t dst_size =
      extent(tile.count, tile.dst_stride, kernel.element_bytes);
  const GuardedBytes src(src_size, side);
  const GuardedBytes dst(dst_size, side);
  for (std::size_t k = 0; k < src_size; ++k) {
    src.bytes()[k] = static_cast<std::byte>(k * 131 + (k >> 8) * 7 + 1);
  }
  std::memset(dst.data(), 0xee, dst_size);
  std::vector<std::byte> expected(dst_size, std::byte{0xee});
  tile.src = src.data();
  tile.dst = expected.data();
  reference(kernel, tile);
  tile.dst = dst.data();
  kernel.run(tile);
  ASSERT_EQ(std::memcmp(expected.data(), dst.data(), dst_size), 0)
      << kernel.name << " " << tile.count[0] << "x" << tile.count[1];
}

TEST(Kernels, EqualPlainLoopsAtEveryTileEdge) {
  std::vector<std::int64_t> counts;
  for (std::int64_t n = 1; n <= 35; ++n) counts.push_back(n);
  counts.insert(counts.end(), {63, 64, 65, 130, 257});
  for (const Kernel& kernel : kernels()) {
    for (const std::int64_t rows : counts) {
      for (const std::int64_t columns : counts) {
        if (rows > 64 && columns > 64 && rows != columns) continue;
        for (const std::int64_t gap : {0, 1, 13}) {
          const auto side = (rows + columns + gap) % 2 == 0
                                ? GuardedBytes::Against::front
                                : GuardedBytes::Against::back;
          ASSERT_NO_FATAL_FAILURE(
              check(kernel, tile_of(kernel, rows, columns, gap), side));
        }
      }
    }
  }
}

TEST(Kernels, TheTableHasEachKindAndWidthOnce) {
  std::set<std::string_view> names;
  for (const Kernel& kernel : kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_NE(find_kernel(kernel.kind, kernel.element_bytes), nullptr);
  }
  for (const std::int64_t width : {1, 2, 4, 8, 16}) {
    EXPECT_NE(find_kernel(KernelKind::transpose, width), nullptr);
    EXPECT_NE(find_kernel(KernelKind::strided, width), nullptr);
  }
  EXPECT_EQ(find_kernel(KernelKind::transpose, 3), nullptr);
}

}  // namespace
}  // namespace stridewise
