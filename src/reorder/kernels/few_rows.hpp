// Transposes of a few rows, zeros included, to columns of at most 16 bytes that lie
// apart in dst. Included as transpose.hpp is.
//
// Rows are interleaved in the nearest cache; columns are moved from there, or where
// those of the next planes follow them in dst, transposed as elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/interleave.hpp"
#include "reorder/kernels/planes.hpp"

namespace stridewise {
namespace {

template <class Wide, class Half, int width>
class Transpose;

template <class Wide, class Half, int width>
class FewRows {
 public:
  // Whole lanes without zeros are a strip's, and so is one row of elements of which
  // a lane has few.
  static bool suits(const Tile& tile) {
    const std::int64_t rows = tile.count[0] + tile.zeros;
    const std::int64_t bytes = rows * width;
    return rows >= 2 && rows <= 8 && bytes <= 16 &&
           (bytes < 16 || tile.zeros > 0) && (tile.count[0] > 1 || width < 4) &&
           tile.row_offset == nullptr && !tile.misaligned;
  }

  // All planes.
  static void run(const Tile& tile) {
    const std::int64_t bytes = (tile.count[0] + tile.zeros) * width;
    const bool follow = tile.dst_stride[2] == bytes && tile.count[2] >= 4;
    if constexpr (width < 4) {
      if (follow && bytes == 4) return planes<4>(tile);
    }
    if (follow && bytes == 8) return planes<8>(tile);
    each_plane(tile, [bytes](const Tile& plane) { moved(plane, bytes); });
  }

 private:
  static constexpr std::int64_t some = 64;  // columns

  // What interleaves rows of one plane to columns one after the other.
  static Tile interleaved(const Tile& tile, std::int64_t bytes) {
    Tile part = plane_of(tile);
    part.dst_stride[1] = bytes;
    part.column_offset = nullptr;
    return part;
  }

  static void moved(const Tile& plane, std::int64_t bytes) {
    alignas(16) std::byte stage[some * 16];
    Tile part = interleaved(plane, bytes);
    part.dst = stage;
    for (std::int64_t j = 0; j < plane.count[1]; j += some) {
      const std::int64_t count = std::min(some, plane.count[1] - j);
      part.src = plane.src + j * width;
      part.count[1] = count;
      Interleave<Wide, width>::run(part);
      switch (bytes) {
        case 4:
          move_each<4>(plane, j, count, stage);
          break;
        case 8:
          move_each<8>(plane, j, count, stage);
          break;
        case 16:
          move_each<16>(plane, j, count, stage);
          break;
        default:
          for (std::int64_t k = 0; k < count; ++k) {
            copy_short(plane.dst + plane.column_at(j + k), stage + k * bytes,
                       bytes);
          }
      }
    }
  }

  // Columns of so many bytes are elements of a line, of so many planes.
  template <int bytes>
  static void planes(const Tile& tile) {
    constexpr std::int64_t at_once = 64 / bytes;
    alignas(64) std::byte stage[at_once * some * bytes];
    Tile lines{};
    lines.src = stage;
    lines.count = {0, 0, 1, 1};
    lines.dst_stride = {bytes, tile.dst_stride[1], 0, 0};
    Tile part = interleaved(tile, bytes);
    for (LoopsAround around(tile); around.more(); around.next()) {
      for (std::int64_t p = 0; p < tile.count[2]; p += at_once) {
        lines.count[0] = std::min(at_once, tile.count[2] - p);
        const std::byte* const src = around.src() + p * tile.src_stride[2];
        std::byte* const dst = around.dst() + p * tile.dst_stride[2];
        for (std::int64_t j = 0; j < tile.count[1]; j += some) {
          part.count[1] = std::min(some, tile.count[1] - j);
          const std::int64_t pitch = part.count[1] * bytes;
          part.src = src + j * width;
          part.dst = stage;
          for (std::int64_t row = 0; row < lines.count[0]; ++row) {
            Interleave<Wide, width>::run(part);
            part.src += tile.src_stride[2];
            part.dst += pitch;
          }
          lines.src_end = part.dst;
          lines.src_stride = {pitch, bytes, 0, 0};
          lines.count[1] = part.count[1];
          lines.dst = dst;
          if (tile.column_offset != nullptr) {
            lines.column_offset = tile.column_offset + j;
          } else {
            lines.dst += j * tile.dst_stride[1];
          }
          Transpose<Wide, Half, bytes>::run(lines);
        }
      }
    }
  }

  template <std::size_t bytes>
  static void move_each(const Tile& tile, std::int64_t first,
                        std::int64_t count, const std::byte* from) {
    for (std::int64_t k = 0; k < count; ++k) {
      std::memcpy(tile.dst + tile.column_at(first + k), from, bytes);
      from += bytes;
    }
  }
};

}  // namespace
}  // namespace stridewise
