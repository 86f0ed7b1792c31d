// The transpose of every instruction set and width, over what a set provides
// (Vector128 and its like). Included by one file a set only, which instantiates
// it with types of its own: nothing here may be compiled twice under one name.
//
// Rows are contiguous in dst, so dst is written by strips of rows that fill a
// cache line (strip.hpp), some strips side by side where src and dst are far:
// memory likes neighbours. A strip is walked by squares (squares.hpp). The last
// columns, and where nothing streams the last strip, begin early enough to be
// whole, and write once more what is already there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "reorder/kernels/chunk_blocks.hpp"
#include "reorder/kernels/dense_columns.hpp"
#include "reorder/kernels/few_columns.hpp"
#include "reorder/kernels/few_rows.hpp"
#include "reorder/kernels/lane_columns.hpp"
#include "reorder/kernels/line_squares.hpp"
#include "reorder/kernels/line_strips.hpp"
#include "reorder/kernels/misaligned.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/small_chunks.hpp"
#include "reorder/kernels/small_planes.hpp"
#include "reorder/kernels/strip.hpp"
#include "reorder/kernels/tiny_planes.hpp"

namespace stridewise {
namespace {

// The transpose with strips of a line by vectors of type Wide, and shorter ones
// for the last rows.
template <class Wide, class Half, int width>
class Transpose {
  static constexpr bool chunks = width >= 16;

 public:
  static void run(const Tile& tile) { planes<false>(tile); }
  static void stream(const Tile& tile) { planes<true>(tile); }

 private:
  template <bool streams>
  static void planes(const Tile& tile) {
    if constexpr (!chunks) {
      using Few = FewColumns<Wide, width>;
      const auto rest = [](const Tile& plane, std::int64_t row) {
        rows<false>(rows_of(plane, row, plane.count[0] - row));
      };
      if (Few::suits(tile)) {
        if (!streams) return Few::template run<Put::cached>(tile, rest);
        if (whole_lines(tile)) {
          return Few::template run<Put::stream>(tile, rest);
        }
      }
      using Small = SmallPlanes<Wide, width>;
      if constexpr (streams) {
        if (Small::suits_streams(tile) && whole_lines(tile)) {
          return Small::template run<Put::stream>(tile);
        }
      } else {
        if (Small::suits(tile)) return Small::template run<Put::cached>(tile);
        using Smaller = SmallPlanes<Half, width, line / 2>;
        if (Smaller::suits(tile)) {
          return Smaller::template run<Put::cached>(tile);
        }
        using Smallest = SmallPlanes<Vector128, width, line / 4>;
        if (Smallest::suits(tile)) {
          return Smallest::template run<Put::cached>(tile);
        }
      }
    } else if constexpr (width < line) {
      if constexpr (!streams) {
        using Small = SmallPlanes<Wide, width>;
        if (Small::suits(tile)) return Small::template run<Put::cached>(tile);
      }
      using Chunks = SmallChunks<Wide, width>;
      if (Chunks::suits(tile) && Chunks::of_lines(tile) == streams &&
          (!streams || whole_lines(tile))) {
        return Chunks::template run<streams>(tile);
      }
    }
    if constexpr (!chunks) {
      using Tiny = TinyPlanes<width>;
      if (Tiny::suits(tile)) return Tiny::run(tile);
    }
    if constexpr (!streams && LineStrips<Wide, width, 2>::exists) {
      using Halves = LineStrips<Wide, width, 2>;
      if (!tile.prefetch && tile.count[0] == Halves::rows &&
          Halves::suits(tile)) {
        return each_plane(tile, [](const Tile& plane) {
          Halves::run(plane, 0, 0, plane.count[1]);
        });
      }
    }
    if constexpr (width < 8) {
      using Few = FewRows<Wide, Half, width>;
      if (Few::suits(tile)) return Few::run(tile);
    }
    each_plane(tile, rows<streams>);
  }

  // Whether every column of every plane begins with a line.
  static bool whole_lines(const Tile& tile) {
    return planes_aligned(tile, line) && steps_by(tile, line);
  }

  template <bool streams>
  static void rows(const Tile& tile) {
    using Full = Strip<Wide, width, 64>;
    const std::int64_t count = tile.count[0] + tile.zeros;
    std::int64_t row = 0;
    if constexpr (streams && !chunks) {
      using Misaligned = MisalignedColumns<Wide, width>;
      if (tile.misaligned && Misaligned::suits(tile)) {
        return Misaligned::run(tile);
      }
      using Dense = DenseColumns<Wide, Half, width>;
      if (Dense::suits(tile)) return Dense::run(tile);
    }
    if constexpr (streams) {
      const std::int64_t misaligned =
          reinterpret_cast<std::intptr_t>(tile.dst) % line;
      const bool by_lines = misaligned % width == 0 && steps_by(tile, line);
      if constexpr (!chunks) {
        if (misaligned != 0 && by_lines && wraps(tile)) {
          return wrapped_rows(tile, (line - misaligned) / width);
        }
      }
      if (misaligned == 0 && by_lines) {
        row = strips<Put::stream>(tile, 0);
      } else if (misaligned % 16 == 0 &&
                 (chunks ? steps_by(tile, 16) : dense(tile))) {
        row = strips<Put::stream_lanes>(tile, 0);
        if constexpr (width < 32) {
          using Short = Strip<Half, width, 32>;
          if (row == 0 && count == Short::rows) {
            return misaligned % 32 == 0 && steps_by(tile, 32)
                       ? Short(tile, 0).template run<Put::stream>()
                       : Short(tile, 0).template run<Put::stream_lanes>();
          }
        }
      } else if (by_lines && count >= 2 * Full::rows) {
        const std::int64_t lead = (line - misaligned) / width;
        last_rows(rows_of(tile, 0, lead), 0);
        row = strips<Put::stream>(tile, lead);
      }
      // Lines that stream are not touched by other stores: those would wait for
      // the cache.
      if (row > 0) {
        const Tile last = rows_of(tile, row, count - row);
        constexpr Put put = chunks ? Put::stream_lanes : Put::cached;
        return last_rows<put>(last, 0);
      }
    }
    if (count >= Full::rows) row = strips<Put::cached>(tile, 0);
    last_rows(tile, row);
  }

  // Whether columns of some whole lines follow each other in dst, so that the last
  // rows of one share a line with the first ones of the next.
  static constexpr std::int64_t most_wrapped = 8 * line / width;  // rows
  static bool wraps(const Tile& tile) {
    return tile.zeros == 0 && tile.column_offset == nullptr &&
           tile.dst_stride[1] == tile.count[0] * width &&
           tile.count[0] > line / width && tile.count[0] <= most_wrapped &&
           tile.count[1] > 64;
  }
  // Rows from `lead` on, which begin with a line, then the first ones of the next
  // column: all lines but the first and the last ones stream whole.
  static void wrapped_rows(const Tile& tile, std::int64_t lead) {
    const std::int64_t last = tile.count[1] - 1;
    std::int64_t offset[most_wrapped];
    for (std::int64_t i = 0; i < tile.count[0]; ++i) {
      const std::int64_t row = (i + lead) % tile.count[0];
      offset[i] = tile.row_at(row) + (row < lead ? width : 0);
    }
    Tile part = rows_of(tile, 0, lead);
    part.count[1] = 1;
    last_rows(part, 0);
    part = tile;
    part.count[1] = last;
    part.dst += lead * width;
    part.row_offset = offset;
    part.row_reach = *std::max_element(offset, offset + tile.count[0]);
    strips<Put::stream>(part, 0);
    part = rows_of(tile, lead, tile.count[0] - lead);
    part.count[1] = 1;
    part.src += last * width;
    part.dst += last * tile.dst_stride[1];
    rows<false>(part);
  }

  // Some rows of a tile, zeros included.
  static Tile rows_of(const Tile& tile, std::int64_t first,
                      std::int64_t count) {
    Tile part = tile;
    part.count[0] = std::clamp<std::int64_t>(tile.count[0] - first, 0, count);
    part.zeros = count - part.count[0];
    part.dst += first * width;
    if (tile.row_offset != nullptr) {
      part.row_offset += first;
    } else {
      part.src += first * tile.src_stride[0];
    }
    return part;
  }

  // Whole strips, which only streaming ones begin later than with row 0; returns
  // the row after them.
  template <Put put>
  static std::int64_t strips(const Tile& tile, std::int64_t row) {
    using Full = Strip<Wide, width, 64>;
    const std::int64_t count = tile.count[0] + tile.zeros;
    if constexpr (chunks && put == Put::cached) {
      const std::int64_t all = count / Full::rows;
      // Few streams the processor reads ahead by itself.
      const bool few_streams = std::min(all, tile.count[1]) <= 8;
      if ((!tile.prefetch || few_streams) && simple(tile) &&
          tile.column_offset == nullptr && all > 1) {
        ChunkBlocks<Wide, width>::run(tile.src, tile.src_stride[0], tile.dst,
                                      tile.dst_stride[1], tile.count[1], all,
                                      tile.prefetch);
        return all * Full::rows;
      }
    }
    if constexpr (width == line && put == Put::stream) {
      if (tile.from_memory && simple(tile) && tile.column_offset == nullptr &&
          Strip<Wide, width, 64>::rows_follow(tile)) {
        lines_in_order(tile);
        return tile.count[0];
      }
    }
    if constexpr (!chunks && put == Put::cached) {
      using Lines = LineSquares<Wide, width>;
      if (Lines::suits(tile)) row = Lines::run(tile);
    }
    if constexpr (put == Put::cached && LineStrips<Wide, width, 4>::exists) {
      if (tile.square_order == SquareOrder::strips) {
        return strips_by_lines(tile, row);
      }
    }
    const std::int64_t at_once = strips_at_once<put>(tile);
    while (count - row >= Full::rows) {
      const std::int64_t left = (count - row) / Full::rows;
      // The last ones ask for what the next call reads first: no fewer strips.
      const bool pair_and_one =
          put == Put::stream && tile.from_memory && at_once == 2 && left == 3;
      const std::int64_t some = pair_and_one ? left : std::min(at_once, left);
      Full(tile, row, some).template run<put>();
      row += some * Full::rows;
    }
    return row;
  }

  // Elements of a line, as they lie in src: from memory up to 1.5 times as fast as some
  // rows of each column.
  [[gnu::noinline]] static void lines_in_order(const Tile& tile) {
    const std::byte* src = tile.src;
    for (std::int64_t i = 0; i < tile.count[0]; ++i) {
      std::byte* dst = tile.dst + i * line;
      for (std::int64_t j = 0; j < tile.count[1]; ++j) {
        Squares<Wide, width, 64>::template put_column<Put::stream>(dst, src);
        src += line;
        dst += tile.dst_stride[1];
      }
    }
  }

  // The same of those that lines of rows suit, near a core. Where these are no lines of
  // memory, lanes of them read fewer.
  static std::int64_t strips_by_lines(const Tile& tile, std::int64_t row) {
    using Lines = LineStrips<Wide, width, 4>;
    using Halves = LineStrips<Wide, width, 2>;
    constexpr std::int64_t some_columns = 4 * Lines::block;
    const std::int64_t columns = tile.count[1];
    const std::int64_t last = tile.count[0] + tile.zeros - Lines::rows;
    const bool lines = Lines::suits(tile) && Lines::aligned(tile);
    for (; row <= last; row += Lines::rows) {
      if (!lines) {
        Strip<Half, width, 64>(tile, row).template run<Put::cached>();
      } else if (width == 8 || tile.crowded_src == 0 ||
                 columns % some_columns != 0) {
        Lines::run(tile, row, 0, columns);
      } else {
        // Of half as many rows the L1 cache keeps what is read ahead.
        for (std::int64_t j = 0; j < columns; j += some_columns) {
          Halves::run(tile, row, j, j + some_columns);
          Halves::run(tile, row + Halves::rows, j, j + some_columns);
        }
      }
    }
    return row;
  }

  // Strips side by side: some where src and dst are far or columns of dst crowd a
  // set; where rows are short, many, as far as the L1 cache holds src.
  template <Put put>
  static std::int64_t strips_at_once(const Tile& tile) {
    using Full = Strip<Wide, width, 64>;
    constexpr std::int64_t l1_share = 16 * 1024, many = 8;
    // Rows that bursts come from at once; of shorter elements more still gain, since a
    // line of each column takes more.
    constexpr std::int64_t pages = 32;
    // Rows that follow each other, of a strip so long at most, are read in order. What is
    // written of each column is short then, which shows where columns, in a page of dst
    // each, are so few that the nearest TLB holds all.
    constexpr std::int64_t in_order = 128 * 1024, near_pages = 72;
    const std::int64_t strip = Full::rows * tile.count[1] * width;
    if (put == Put::cached && many * strip <= l1_share && !Full::packs(tile)) {
      return l1_share / strip;
    }
    const bool by_columns = tile.stream_columns && tile.row_offset == nullptr;
    if (!by_columns && Full::template reads_crowded<put>(tile)) return 2;
    if (put == Put::stream && tile.from_memory && tile.crowded_src == 0 &&
        !chunks) {
      if (strip > in_order || !Full::rows_follow(tile)) return 2;
      return tile.count[1] > near_pages ? 1 : Full::most_strips;
    }
    const bool near = put == Put::cached && !tile.prefetch;
    if (near && tile.crowded_dst > Full::most_strips && simple(tile) &&
        tile.crowded_dst * Full::rows <= 128) {
      return tile.crowded_dst;
    }
    const bool few_pages = tile.bursts && !near && put != Put::stream_lanes;
    if (few_pages && width == 4) return pages / Full::rows;
    const bool far = !near || tile.crowded_dst > 0;
    return chunks || far ? Full::most_strips : 1;
  }

  // Whether rows have one stride, no zeros and room in the L1 cache.
  static bool simple(const Tile& tile) {
    return tile.crowded_src == 0 && tile.row_offset == nullptr &&
           tile.zeros == 0;
  }

  // Whether columns follow each other in dst, as whole vectors and not as lines
  // of many strips.
  static bool dense(const Tile& tile) {
    const std::int64_t column = (tile.count[0] + tile.zeros) * width;
    return tile.column_offset == nullptr && tile.dst_stride[1] == column &&
           (column == 32 || (column % line == 0 && column <= 4 * line));
  }

  // Whether every column of dst begins a multiple of so many bytes from the first.
  static bool steps_by(const Tile& tile, std::int64_t bytes) {
    if (tile.column_offset == nullptr) return tile.dst_stride[1] % bytes == 0;
    return std::all_of(tile.column_offset, tile.column_offset + tile.count[1],
                       [=](std::int64_t at) { return at % bytes == 0; });
  }

  // The last rows of so many bytes, `left` or more, if lanes of columns suit.
  template <int bytes>
  static bool lane_columns(const Tile& tile, std::int64_t left) {
    if constexpr (bytes >= width) {
      using Lanes = LaneColumns<Wide, width, bytes>;
      const std::int64_t rows = tile.count[0] - Lanes::rows;
      if (left > bytes || rows < 0 || !Lanes::suits(tile)) return false;
      Lanes::run(tile, rows);
      return true;
    } else {
      return false;
    }
  }

  // Fewer rows than a line: the shortest strip that ends with the last row and
  // reaches back to `row`, or two of half a line. What streams is written once.
  template <Put put = Put::cached>
  static void last_rows(const Tile& tile, std::int64_t row) {
    const std::int64_t count = tile.count[0] + tile.zeros;
    const std::int64_t left = (count - row) * width;
    if (left == 0) return;
    if constexpr (width <= 32) {
      using Full = Strip<Wide, width, 64>;
      using Short = Strip<Half, width, 32>;
      if constexpr (!chunks) {
        if (lane_columns<4>(tile, left) || lane_columns<8>(tile, left) ||
            lane_columns<16>(tile, left)) {
          return;
        }
      }
      if (put == Put::cached && left > 32 && count >= Full::rows) {
        strips<Put::cached>(rows_of(tile, count - Full::rows, Full::rows), 0);
        return;
      }
      if (left >= 32) {
        Short(tile, row).template run<put>();
        return last_rows<put>(tile, row + Short::rows);
      }
      if constexpr (width <= 16) {
        using Shortest = Strip<Vector128, width, 16>;
        if (put == Put::cached && left > 16 && count >= Short::rows) {
          return Short(tile, count - Short::rows).template run<Put::cached>();
        }
        if (left > 16) {
          Shortest(tile, row).template run<put>();
          return last_rows<put>(tile, row + Shortest::rows);
        }
        row = std::max<std::int64_t>(std::min(row, count - Shortest::rows), 0);
        Shortest(tile, row).template run<put>();
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
