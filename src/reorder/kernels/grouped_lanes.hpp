// What grouped.hpp does where bytes are permuted within lanes alone. Included as
// transpose.hpp is.
//
// Of four columns of a group of rows some lanes of src, which begin wherever bytes do,
// hold all bytes, and a permutation of each those of the columns side by side; what is
// left is a transpose of 4 x 4 groups in each lane:
//
//   rows 0 1 2 3, columns a b c d of one       of four            dst
//   a0 b0 c0 d0 .. a1 b1 ..              ->    a0.. b0.. ..  ->   a0.. A0.. ...
//                                              A0.. B0.. ..       b0.. B0.. ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "reorder/kernels/grouped_blocks.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/squares.hpp"
#include "reorder/kernels/table_bytes.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class GroupedByLanes {
  using V = typename Vector::type;
  using S = Squares<Vector, group_bytes, grouped_line>;
  static constexpr std::int64_t lane = grouped_lane;
  static constexpr std::int64_t members = group_bytes / width;
  static constexpr std::int64_t groups = grouped_line / group_bytes;
  static constexpr std::int64_t side = lane / group_bytes;
  // Groups that are moved at once, and what they make of a column.
  static constexpr std::int64_t some_groups = side * Vector::lanes;
  static constexpr std::int64_t some_bytes = lane * Vector::lanes;

 public:
  static constexpr std::int64_t block_columns = side;

 private:
  // The table: this, then the blocks of columns. Columns go by lines where all begin
  // multiples of one from dst.
  struct Head {
    std::int64_t blocks;
    std::int64_t ins;  // lanes that a block is taken from, at most
    bool by_lines;
  };
  // Its columns in dst, of which the block before it has written some; where its lanes
  // begin, after that of a group; and what bytes of them it takes.
  template <int ins>
  struct Block {
    std::int64_t written;
    std::array<std::int64_t, block_columns> to;
    std::array<std::int64_t, ins> from;
    std::array<std::array<std::uint8_t, lane>, ins> bytes;
  };

 public:
  static std::vector<std::byte> table_of(const Tile& tile) {
    const std::span<const std::int64_t> columns(
        tile.column_src, static_cast<std::size_t>(tile.count[1]));
    std::array<std::int64_t, members> member;
    for (std::size_t m = 0; m < member.size(); ++m) {
      member[m] = tile.row_offset[m] - tile.row_offset[0];
    }
    Head head{0, 1, true};
    std::size_t known = 0;
    each_grouped_run(
        columns, block_columns, width,
        [&](std::size_t first, std::size_t number) {
          ++head.blocks;
          for (std::size_t k = 0; k < block_columns; ++k) {
            head.by_lines = head.by_lines &&
                            tile.column_offset[first + k] % grouped_line == 0;
          }
          if (number < known) return;
          ++known;
          const GroupedLanes lanes(columns.subspan(first, block_columns),
                                   member, width);
          head.ins = std::max(head.ins, lanes.count());
        });
    std::vector<std::byte> table;
    with_ins(head.ins, [&]<int ins>() {
      table.reserve(sizeof(Head) +
                    static_cast<std::size_t>(head.blocks) * sizeof(Block<ins>));
      append(table, std::span(&head, 1));
      append_blocks<ins>(tile, columns, member, table);
    });
    return table;
  }

  static void run(const Tile& tile) { planes<false>(tile); }

  // By lines where all columns begin with one.
  static void stream(const Tile& tile) {
    if (head_of(tile.table).by_lines && planes_aligned(tile, grouped_line)) {
      planes<true>(tile);
    } else {
      planes<false>(tile);
    }
  }

 private:
  static Head head_of(const std::byte* table) {
    Head head;
    std::memcpy(&head, table, sizeof(head));
    return head;
  }

  template <int ins = 1, class F>
  static void with_ins(std::int64_t count, F f) {
    if constexpr (ins < GroupedLanes::most) {
      if (count > ins) return with_ins<ins + 1>(count, f);
    }
    f.template operator()<ins>();
  }

  // One run of columns is like another.
  template <int ins>
  static void append_blocks(const Tile& tile,
                            std::span<const std::int64_t> columns,
                            std::span<const std::int64_t> member,
                            std::vector<std::byte>& table) {
    std::vector<Block<ins>> of_run;
    std::size_t next = 0;
    each_grouped_run(columns, block_columns, width,
                     [&](std::size_t first, std::size_t number) {
                       if (number == of_run.size()) {
                         of_run.push_back(block_of<ins>(
                             columns.subspan(first, block_columns), member));
                       }
                       Block<ins> block = of_run[number];
                       block.written = static_cast<std::int64_t>(
                           std::max(next, first) - first);
                       next = first + block_columns;
                       for (std::int64_t& from : block.from)
                         from += columns[first];
                       for (std::size_t k = 0; k < block_columns; ++k) {
                         block.to[k] = tile.column_offset[first + k];
                       }
                       append(table, std::span(&block, 1));
                     });
  }

  // What some columns are taken from, counted from the first one. Nothing after their
  // last byte is read: they have a lane at least.
  template <int ins>
  static Block<ins> block_of(std::span<const std::int64_t> columns,
                             std::span<const std::int64_t> member) {
    const GroupedLanes lanes(columns, member, width);
    const std::int64_t last =
        std::ranges::max(columns) + std::ranges::max(member) + width - lane;
    Block<ins> block{};
    for (std::size_t l = 0; l < ins; ++l) {
      block.from[l] =
          std::min(lanes.at(l < lanes.size() ? l : 0), last) - columns[0];
      block.bytes[l].fill(zero_byte);
    }
    for (std::size_t b = 0; b < lane; ++b) {
      const std::size_t in_group = b % group_bytes;
      const std::int64_t at =
          columns[b / group_bytes] + member[in_group / width];
      const std::size_t l = lanes.number_of(at, width);
      block.bytes[l][b] = static_cast<std::uint8_t>(
          at - columns[0] - block.from[l] +
          static_cast<std::int64_t>(in_group % width));
    }
    return block;
  }

  template <bool streams>
  static void planes(const Tile& tile) {
    const Head head = head_of(tile.table);
    const std::int64_t pitch = tile.row_offset[members] - tile.row_offset[0];
    // As in grouped.hpp: past the caches line by line.
    const std::int64_t lines = tile.count[0] / members / groups;
    const std::int64_t some = streams ? 1 : lines;
    with_ins(head.ins, [&]<int ins>() {
      each_plane(tile, [&](const Tile& plane) {
        for (std::int64_t k = 0; k < lines; k += some) {
          blocks<streams, ins>(plane.src + k * groups * pitch, pitch,
                               plane.dst + k * grouped_line, some,
                               plane.table + sizeof(Head), head.blocks);
        }
      });
    });
  }

  // Some lines of each column.
  template <bool streams, int ins>
  [[gnu::noinline]] static void blocks(const std::byte* src, std::int64_t pitch,
                                       std::byte* dst, std::int64_t lines,
                                       const std::byte* table,
                                       std::int64_t count) {
    using Of = Block<ins>;
    for (; count > 0; --count, table += sizeof(Of)) {
      const std::byte* from[ins];
      V bytes[ins];
#pragma GCC unroll 4
      for (std::size_t l = 0; l < ins; ++l) {
        from[l] = src + number_at(table + offsetof(Of, from) +
                                  l * sizeof(std::int64_t));
        bytes[l] = Vector::repeat_lane(table + offsetof(Of, bytes) + l * lane);
      }
      std::byte* to[block_columns];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < block_columns; ++k) {
        to[k] = dst +
                number_at(table + offsetof(Of, to) + k * sizeof(std::int64_t));
      }
      const std::int64_t written =
          streams ? number_at(table + offsetof(Of, written)) : 0;
      for (std::int64_t at = 0; at < lines * grouped_line; at += some_bytes) {
        V v[side];
#pragma GCC unroll 4
        for (std::int64_t g = 0; g < side; ++g) {
          v[g] = columns_of<ins>(from, g * pitch, side * pitch, bytes);
        }
#pragma GCC unroll 4
        for (const std::byte*& lane_of : from) lane_of += some_groups * pitch;
        S::transpose_lanes(v);
#pragma GCC unroll 4
        for (std::int64_t k = 0; k < block_columns; ++k) {
          if (!streams) Vector::store(to[k] + at, v[k]);
          if (streams && k >= written) Vector::stream(to[k] + at, v[k]);
        }
      }
    }
  }

  // Four columns of a group, and in the lanes after it of the fourth after it, ...
  template <int ins>
  [[gnu::always_inline]] static V columns_of(const std::byte* const* from,
                                             std::int64_t at,
                                             std::int64_t lane_pitch,
                                             const V* bytes) {
    const auto part = [=](int l) __attribute__((always_inline)) {
      return Vector::shuffle_bytes(bytes[l],
                                   Vector::gather([=](std::int64_t k) {
                                     return from[l] + at + k * lane_pitch;
                                   }));
    };
    V all = part(0);
#pragma GCC unroll 4
    for (int l = 1; l < ins; ++l) all = Vector::either(all, part(l));
    return all;
  }
};

}  // namespace
}  // namespace stridewise
