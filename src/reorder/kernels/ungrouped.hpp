// What grouped.hpp does, backwards: columns of src are contiguous groups of 4 bytes, of
// which a few runs of dst take a part each. Included as transpose.hpp is.
//
// Groups of 16 columns are transposed on the stack, so that those of a column follow each
// other; each line of a column of dst is then one permutation of two lines of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "reorder/kernels/grouped_blocks.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/line_squares.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/table_bytes.hpp"

namespace stridewise {
namespace {

template <class Vector, int width>
class Ungrouped {
  using V = typename Vector::type;
  using Lines = LineSquares<Vector, group_bytes>;
  using S = Squares<Vector, group_bytes, grouped_line>;
  static_assert(sizeof(V) == grouped_line);
  static constexpr std::int64_t members = group_bytes / width;
  static constexpr std::int64_t side = grouped_line / group_bytes;

  // The table: this, then where each group of a column begins in src, then the lines of
  // a column of dst, then the permutations that they have.
  struct Head {
    std::int64_t groups;
    std::int64_t lines;
  };
  // Where it begins in the column; where its lines of groups begin; and its permutation,
  // after the lines.
  struct Line {
    std::int64_t to;
    std::int64_t from;
    std::int64_t permutation;
  };
  using Pick = typename Vector::template Table<2>;

 public:
  static std::vector<std::byte> table_of(const Tile& tile) {
    const std::span rows(tile.row_offset,
                         static_cast<std::size_t>(tile.count[0]));
    // The second member of the first group comes after so many groups' first ones.
    const std::int64_t run =
        std::ranges::find(rows, rows[0] + width) - rows.begin();
    std::vector<std::int64_t> groups;
    for (std::int64_t at = 0; at < std::ssize(rows); at += members * run) {
      for (std::int64_t k = 0; k < run; ++k) {
        groups.push_back(rows[static_cast<std::size_t>(at + k)]);
      }
    }
    std::vector<Line> lines;
    std::vector<Permutation> permutations;
    const std::int64_t bytes = tile.count[0] * width;
    each_ungrouped(bytes, run, [&](std::int64_t to, std::int64_t first) {
      const std::int64_t from = first * group_bytes;
      Permutation permutation;  // NOLINT: set for each byte
      for (std::int64_t b = 0; b < grouped_line; ++b) {
        const std::int64_t row = (to + b) / width;
        const std::int64_t group = row / (members * run) * run + row % run;
        const std::int64_t member = row / run % members;
        permutation[static_cast<std::size_t>(b)] = static_cast<std::uint8_t>(
            group * group_bytes - from + member * width + (to + b) % width);
      }
      lines.push_back({to, from, place_of(permutation, permutations)});
    });
    const Head head{std::ssize(groups), std::ssize(lines)};
    std::vector<std::byte> table;
    table.reserve(sizeof(head) + groups.size() * sizeof(groups[0]) +
                  lines.size() * sizeof(Line) +
                  permutations.size() * grouped_line);
    append(table, std::span(&head, 1));
    append(table, std::span(groups));
    append(table, std::span(lines));
    append(table, std::span(permutations));
    return table;
  }

  static void run(const Tile& tile) {
    each_plane(tile, [](const Tile& plane) {
      for (std::int64_t j = 0; j < plane.count[1]; j += side) {
        columns(plane.src + j * group_bytes,
                plane.dst + j * plane.dst_stride[1], plane.dst_stride[1],
                plane.table);
      }
    });
  }

 private:
  [[gnu::noinline]] static void columns(const std::byte* src, std::byte* dst,
                                        std::int64_t stride,
                                        const std::byte* table) {
    Head head;
    std::memcpy(&head, table, sizeof(head));
    std::int64_t groups[most_groups];  // NOLINT: set below
    std::memcpy(groups, table + sizeof(head),
                static_cast<std::size_t>(head.groups) * sizeof(groups[0]));
    // A line more, so that columns do not all share few sets of the L1 cache.
    const std::int64_t pitch =
        (head.groups + 2 * side - 1) / side * grouped_line;
    alignas(64) std::byte stage[side * (most_groups + 2 * side) * group_bytes];
    for (std::int64_t g = 0; g < head.groups; g += side) {
      const std::int64_t first = std::min(g, head.groups - side);
      Lines::whole_lines(typename S::ByOffset{src, groups + first},
                         stage + first * group_bytes,
                         typename S::ByStride{0, pitch});
    }
    const std::byte* const lines =
        table + sizeof(head) + head.groups * sizeof(groups[0]);
    const std::byte* const permutations = lines + head.lines * sizeof(Line);
    for (std::int64_t k = 0; k < side; ++k) {
      const std::byte* const column = stage + k * pitch;
      for (const std::byte* l = lines; l < permutations; l += sizeof(Line)) {
        const std::byte* const from =
            column + number_at(l + offsetof(Line, from));
        const Pick pick(permutations +
                        number_at(l + offsetof(Line, permutation)));
        const V two[] = {Vector::load(from), Vector::load(from + grouped_line)};
        Vector::store(dst + number_at(l + offsetof(Line, to)), pick.take(two));
      }
      dst += stride;
    }
  }
};

}  // namespace
}  // namespace stridewise
