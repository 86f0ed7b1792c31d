// Runs of dst whose bytes come from many short pieces of src, the same ones of each run
// but for where they begin: lanes that hold the pieces are gathered to vectors, and each
// vector of dst is a permutation of their bytes. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "reorder/kernels/gathered_lanes.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/permuted_tiles.hpp"
#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/table_bytes.hpp"

namespace stridewise {
namespace {

// What is the same for all widths.
template <class Vector>
class GatheredRuns {
  using V = typename Vector::type;
  static constexpr std::int64_t unit = sizeof(V);
  static constexpr std::int64_t lanes = unit / gathered_lane;

  // The table: this, then for each vector of a run a Part and the bytes by which it is
  // taken. The last one begins early enough to be whole.
  struct Head {
    std::int64_t parts;
    std::int64_t ins;  // vectors that a part is taken from, at most
  };
  template <int ins>
  struct Part {
    std::int64_t at;                             // in the run
    std::array<std::int64_t, ins * lanes> from;  // lanes of src
  };

 public:
  static constexpr std::int64_t most_short = unit;

  static std::vector<std::byte> table_of(const Tile& tile, std::int64_t width) {
    const std::span run(tile.row_offset,
                        static_cast<std::size_t>(tile.count[0]));
    std::int64_t most = 1;
    Head head{};
    each_gathered(run, width, unit, [&](std::int64_t, auto elements) {
      GatheredLanes taken;
      for (const std::int64_t at : elements) taken.number_of(at);
      most = std::max(most, taken.count());
      ++head.parts;
    });
    head.ins = (most + lanes - 1) / lanes;
    // Nothing after the last element is read.
    const std::int64_t last = std::ranges::max(run) + width - gathered_lane;
    std::vector<std::byte> table;
    table.reserve(
        sizeof(head) +
        static_cast<std::size_t>(head.parts * head.ins * (unit + lanes * 8) +
                                 head.parts * 8));
    append(table, std::span(&head, 1));
    each_gathered(run, width, unit, [&](std::int64_t at, auto elements) {
      GatheredLanes taken;
      std::array<std::uint16_t, unit> from;  // NOLINT: set for each element
      std::size_t byte = 0;
      for (const std::int64_t element : elements) {
        const std::int64_t lane = taken.number_of(element);
        const std::int64_t in_lane = element - std::min(taken.at(lane), last);
        for (std::int64_t q = 0; q < width; ++q) {
          from[byte++] =
              static_cast<std::uint16_t>(lane * gathered_lane + in_lane + q);
        }
      }
      append(table, std::span(&at, 1));
      std::array<std::int64_t, most_gathered * lanes> begins{};
      for (std::int64_t k = 0; k < head.ins * lanes; ++k) {
        begins[static_cast<std::size_t>(k)] =
            std::min(taken.at(k < taken.count() ? k : 0), last);
      }
      append(table, std::span(begins).first(
                        static_cast<std::size_t>(head.ins * lanes)));
      Vector::tabulate(from.data(), static_cast<int>(head.ins), table);
    });
    return table;
  }

  static void run(const Tile& tile) { with_ins<false>(tile); }

  // By lines where all runs begin with one.
  static void stream(const Tile& tile) {
    const bool by_lines = planes_aligned(tile, line) &&
                          tile.count[0] * run_width(tile) % line == 0;
    by_lines ? with_ins<true>(tile) : with_ins<false>(tile);
  }

 private:
  // dst_stride[0] is the width of an element.
  static std::int64_t run_width(const Tile& tile) { return tile.dst_stride[0]; }

  template <bool streams, int ins = 1>
  static void with_ins(const Tile& tile) {
    Head head;
    std::memcpy(&head, tile.table, sizeof(head));
    if constexpr (ins < most_gathered) {
      if (head.ins > ins) return with_ins<streams, ins + 1>(tile);
    }
    each_plane(tile, [&head](const Tile& plane) {
      run_of<streams, ins>(plane.src, plane.dst, plane.table + sizeof(Head),
                           head.parts);
    });
  }

  template <bool streams, int ins>
  [[gnu::always_inline]] static void run_of(const std::byte* src,
                                            std::byte* dst,
                                            const std::byte* table,
                                            std::int64_t parts) {
    using Table = typename Vector::template Table<ins>;
    for (; parts > 0; --parts) {
      Part<ins> part;
      std::memcpy(&part, table, sizeof(part));
      V v[ins];
#pragma GCC unroll 4
      for (int k = 0; k < ins; ++k) {
        v[k] = Vector::gather([&](std::int64_t lane) {
          return src + part.from[static_cast<std::size_t>(k * lanes + lane)];
        });
      }
      const V all = Table(table + sizeof(part)).take(v);
      if constexpr (streams) {
        Vector::stream(dst + part.at, all);
      } else {
        Vector::store(dst + part.at, all);
      }
      table += sizeof(part) + Table::size;
    }
  }
};

template <class Vector, int width>
struct Gathered : GatheredRuns<Vector> {
  static std::vector<std::byte> table_of(const Tile& tile) {
    return GatheredRuns<Vector>::table_of(tile, width);
  }
};

}  // namespace
}  // namespace stridewise
