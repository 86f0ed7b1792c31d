// Small planes of elements of 16 bytes and more, one after the other: what strips do
// once for all columns takes longer than to move each element by itself. Included as
// transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class SmallChunks {
  static constexpr std::int64_t most_bytes = 512;
  using Part =
      std::conditional_t<width % 32 == 0, typename Vector::Half, Vector128>;
  static constexpr std::int64_t unit = 16 * Part::lanes;

 public:
  static bool suits(const Tile& tile) {
    return tile.zeros == 0 && tile.row_offset == nullptr &&
           tile.column_offset == nullptr && tile.count[2] > 1 &&
           tile.count[0] * tile.count[1] * width <= most_bytes;
  }
  // Whether columns are whole lines: of those, squares or strips are faster where none
  // streams.
  static bool of_lines(const Tile& tile) {
    return tile.count[0] * width % line == 0;
  }

  template <bool streams>
  [[gnu::noinline]] static void run(const Tile& tile) {
    // Copies, so that nothing is read again because of what is stored.
    const auto count = tile.count;
    const auto src_stride = tile.src_stride;
    const auto dst_stride = tile.dst_stride;
    for (LoopsAround around(tile); around.more(); around.next()) {
      for (std::int64_t k = 0; k < count[2]; ++k) {
        const std::byte* const src = around.src() + k * src_stride[2];
        std::byte* const dst = around.dst() + k * dst_stride[2];
        for (std::int64_t j = 0; j < count[1]; ++j) {
          column<streams>(src + j * width, src_stride[0],
                          dst + j * dst_stride[1], count[0]);
        }
      }
    }
  }

 private:
  template <bool streams>
  [[gnu::always_inline]] static void column(const std::byte* src,
                                            std::int64_t pitch, std::byte* dst,
                                            std::int64_t rows) {
    if (streams) ask_page_after(dst, rows * width);
    for (std::int64_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (std::int64_t at = 0; at < width; at += unit) {
        store_or_stream<Part, streams>(dst + at, Part::load(src + at));
      }
      src += pitch;
      dst += width;
    }
  }
};

}  // namespace
}  // namespace stridewise
