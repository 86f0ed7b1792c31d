// Transposes whose elements are groups, as the four input channels that a VNNI
// instruction takes at once: rows of dst are contiguous, and so are a few rows of src
// there that lie apart in src, but near. Included as transpose.hpp is.
//
// A line of each of 16 such groups of rows holds some columns whole, of all rows of the
// group. One permutation of two of those lines makes the groups of eight columns, side
// by side; what is left is a transpose of 8 x 8 such pairs:
//
//   rows 0 1 2 3, columns a b c ...   of one line          of two          dst
//   a0 b0 c0 .. a1 b1 c1 ..      ->   a0 a1 a2 a3     ->   a0.. A0..  ->   a0.. A0.. ...
//   (the next line: A0 B0 ..)         b0 b1 b2 b3          b0.. B0..       b0.. B0.. ...
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
#include "reorder/kernels/table_bytes.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class Grouped {
  using V = typename Vector::type;
  static_assert(sizeof(V) == grouped_line);
  static constexpr std::int64_t members = group_bytes / width;
  static constexpr std::int64_t groups = grouped_line / group_bytes;

  // The table: this, then the blocks of columns, then the permutations that they have.
  // Groups of rows reach from where they begin to the end of the last line of theirs;
  // columns go by lines where all begin multiples of one from dst.
  struct Head {
    std::int64_t blocks;
    std::int64_t reach;
    bool by_lines;
  };
  // Where its lines begin, after that of their groups; its permutation, after the blocks;
  // and its columns, in dst.
  struct Block {
    std::int64_t from;
    std::int64_t permutation;
    std::array<std::int64_t, grouped_columns> to;
  };
  using Pick = typename Vector::template Table<2>;

 public:
  static constexpr std::int64_t block_columns = grouped_columns;

  static std::vector<std::byte> table_of(const Tile& tile) {
    const auto columns = static_cast<std::size_t>(tile.count[1]);
    Head head{};
    head.by_lines = true;
    std::vector<Block> blocks;
    std::vector<Permutation> permutations;
    const std::span<const std::int64_t> all(tile.column_src, columns);
    each_grouped(all, block_columns, [&](std::size_t first) {
      const std::int64_t* const column = tile.column_src + first;
      Block block;  // NOLINT: set below
      block.from = *std::min_element(column, column + grouped_columns);
      Permutation bytes;  // NOLINT: set for each byte of two groups
      for (std::size_t k = 0; k < grouped_columns; ++k) {
        block.to[k] = tile.column_offset[first + k];
        head.by_lines = head.by_lines && block.to[k] % grouped_line == 0;
        for (std::size_t b = 0; b < group_bytes; ++b) {
          const std::int64_t at =
              column[k] - block.from + tile.row_offset[b / width] -
              tile.row_offset[0] + static_cast<std::int64_t>(b % width);
          const std::size_t byte = 2 * group_bytes * k + b;
          bytes[byte] = static_cast<std::uint8_t>(at);
          bytes[byte + group_bytes] =
              static_cast<std::uint8_t>(at + grouped_line);
        }
      }
      block.permutation = place_of(bytes, permutations);
      head.reach = std::max(head.reach, block.from + grouped_line);
      blocks.push_back(block);
    });
    head.blocks = std::ssize(blocks);
    std::vector<std::byte> table;
    table.reserve(sizeof(head) + blocks.size() * sizeof(Block) +
                  permutations.size() * grouped_line);
    append(table, std::span(&head, 1));
    append(table, std::span(blocks));
    append(table, std::span(permutations));
    return table;
  }

  static void run(const Tile& tile) { planes<false>(tile); }

  // By lines where all columns begin with one.
  static void stream(const Tile& tile) {
    Head head;
    std::memcpy(&head, tile.table, sizeof(head));
    if (head.by_lines && planes_aligned(tile, grouped_line)) {
      planes<true>(tile);
    } else {
      planes<false>(tile);
    }
  }

 private:
  template <bool streams>
  static void planes(const Tile& tile) {
    Head head;
    std::memcpy(&head, tile.table, sizeof(head));
    const std::int64_t pitch = tile.row_offset[members] - tile.row_offset[0];
    // Lines that are written by turns: those beside each other meet in the caches, past
    // those less is read at once.
    const std::int64_t lines = tile.count[0] / members / groups;
    const std::int64_t some = streams ? 1 : lines;
    const std::int64_t reach = (some * groups - 1) * pitch + head.reach;
    each_plane(tile, [&](const Tile& plane) {
      const std::byte* src = plane.src;
      std::byte* dst = plane.dst;
      for (std::int64_t k = 0; k < lines; k += some) {
        const bool whole = tile.src_end - src >= reach;
        (whole ? blocks<streams, true>
               : blocks<streams, false>)(src, pitch, tile.src_end, dst, some,
                                         tile.table, head.blocks);
        src += some * groups * pitch;
        dst += some * grouped_line;
      }
    });
  }

  // Some lines of each column. `whole`: lines of src are read to their ends.
  template <bool streams, bool whole>
  [[gnu::noinline]] static void blocks(const std::byte* src, std::int64_t pitch,
                                       const std::byte* end, std::byte* dst,
                                       std::int64_t lines,
                                       const std::byte* table,
                                       std::int64_t count) {
    table += sizeof(Head);
    const std::byte* const permutations = table + count * sizeof(Block);
    for (; count > 0; --count, table += sizeof(Block)) {
      const Pick pick(permutations +
                      number_at(table + offsetof(Block, permutation)));
      const std::byte* from = src + number_at(table + offsetof(Block, from));
      for (std::int64_t l = 0; l < lines; ++l) {
        V pairs[grouped_columns];
#pragma GCC unroll 8
        for (V& pair : pairs) {
          const std::byte* const next = from + pitch;
          const V two[] = {line_of<whole>(from, end),
                           line_of<whole>(next, end)};
          pair = pick.take(two);
          from = next + pitch;
        }
        put_columns<streams>(pairs, dst + l * grouped_line,
                             table + offsetof(Block, to));
      }
    }
  }

  template <bool whole>
  [[gnu::always_inline]] static V line_of(const std::byte* from,
                                          const std::byte* end) {
    return whole ? Vector::load(from) : Vector::load_first(from, end - from);
  }

  // `to`: where each of the columns goes to.
  template <bool streams>
  [[gnu::always_inline]] static void put_columns(const V* pairs, std::byte* dst,
                                                 const std::byte* to) {
    V even[grouped_columns / 2];
    V odd[grouped_columns / 2];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < grouped_columns / 2; ++i) {
      even[i] = Vector::template zip_low<8>(pairs[2 * i], pairs[2 * i + 1]);
      odd[i] = Vector::template zip_high<8>(pairs[2 * i], pairs[2 * i + 1]);
    }
    Vector::transpose_lanes(even);
    Vector::transpose_lanes(odd);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < grouped_columns; ++k) {
      std::byte* const at = dst + number_at(to + k * sizeof(std::int64_t));
      const V v = k % 2 == 0 ? even[k / 2] : odd[k / 2];
      streams ? Vector::stream(at, v) : Vector::store(at, v);
    }
  }
};

}  // namespace
}  // namespace stridewise
