// Transposes of more rows than interleaves take, whose columns are short and follow
// each other in dst. Included as transpose.hpp is.
//
// Some columns are made at once, by vectors that reach beyond the last of them:
// what they write there is the next columns', which are written later. What
// streams is put together in the nearest cache, from where whole lines are taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streamed_run.hpp"

namespace stridewise {
namespace {

// What makes columns of a few rows, some at once.
struct ColumnMaker {
  // Writes `count` columns of so many bytes and up to `beyond` more, of rows that
  // begin so many bytes after src; at least a step of them.
  using Make = void(const void* columns, const std::byte* src,
                    const std::int64_t* row, std::byte* dst, std::int64_t bytes,
                    std::int64_t count);
  Make* make;
  const void* columns;
  std::int64_t width;
  std::int64_t rows;        // at most
  std::int64_t step;        // columns at once
  std::int64_t most_bytes;  // of a column
  std::int64_t beyond;
};

// Bytes of each row that are prefetched at once, or packed where the L1 cache
// would not keep the lines of all.
constexpr std::int64_t chunk_bytes = 2 * line;
constexpr std::int64_t most_short_rows = 32;

// Columns puts `step` columns: put(src, row, dst, bytes).
template <class Columns, int width>
[[gnu::noinline]] void make_columns(const void* columns, const std::byte* src,
                                    const std::int64_t* row_of, std::byte* dst,
                                    std::int64_t bytes, std::int64_t count) {
  constexpr std::int64_t step = Columns::step;
  const auto& of = *static_cast<const Columns*>(columns);
  if (count == step) return of.put(src, row_of, dst, bytes);
  // Copies, so that nothing is read again because of what is stored.
  const Columns all = of;
  std::int64_t row[Columns::rows];
  std::copy_n(row_of, Columns::rows, row);
  for (;;) {
    all.put(src, row, dst, bytes);
    count -= step;
    if (count == 0) return;
    const std::int64_t next = std::min(count, step);
    count = std::max(count, step);
    src += next * width;
    dst += next * bytes;
  }
}

// Of columns that outlive it.
template <int width, class Columns>
ColumnMaker maker_of(const Columns& columns) {
  constexpr std::int64_t step_bytes = Columns::step * width;
  static_assert(std::has_single_bit(static_cast<unsigned>(Columns::step)));
  static_assert(Columns::rows <= most_short_rows);
  // The last ones at once are up to two steps; what is written beyond others is less
  // than a step of columns of five rows.
  static_assert(2 * step_bytes <= chunk_bytes);
  static_assert(Columns::beyond <=
                std::min<std::int64_t>(5 * step_bytes, line));
  static_assert(chunk_bytes / width * Columns::most_bytes <= most_staged);
  return {make_columns<Columns, width>,
          &columns,
          width,
          Columns::rows,
          Columns::step,
          Columns::most_bytes,
          Columns::beyond};
}

// Where columns go that do not stream: to dst, but the last ones of a run by way of
// a stage, so that nothing after them is written.
class CachedRun {
 public:
  explicit CachedRun(std::int64_t beyond) : beyond_(beyond) {}

  void begin(std::byte* dst, std::int64_t bytes) {
    dst_ = dst;
    end_ = dst + bytes;
  }
  // Whether it has room for so many bytes of columns, and what is written beyond.
  [[nodiscard]] bool takes(std::int64_t bytes) const {
    return end_ - dst_ >= bytes + beyond_;
  }
  // Where to put them; `most_staged` at most if it has not.
  std::byte* at(std::int64_t bytes) {
    staged_ = !takes(bytes);
    return staged_ ? stage_ : dst_;
  }
  void advance(std::int64_t bytes) {
    if (staged_) std::memcpy(dst_, stage_, static_cast<std::size_t>(bytes));
    dst_ += bytes;
  }
  void end() {}

 private:
  std::int64_t beyond_;
  std::byte* dst_ = nullptr;
  std::byte* end_ = nullptr;
  bool staged_ = false;
  alignas(line) std::byte stage_[most_staged + line];
};

template <class Vector, bool streams>
class ShortColumns {
  // Bytes of each row that prefetches run ahead.
  static constexpr std::int64_t ahead = 1024;

 public:
  [[gnu::noinline]] static void run(const Tile& tile,
                                    const ColumnMaker& maker) {
    ShortColumns columns(tile, maker);
    const std::int64_t bytes = tile.count[1] * tile.dst_stride[1];
    const bool follow = tile.dst_stride[2] == bytes;  // each other, planes do
    each_plane(tile, [&](const Tile& plane, std::int64_t left) {
      if (!follow) {
        columns.run_.begin(plane.dst, bytes);
      } else if (left == tile.count[2]) {
        columns.run_.begin(plane.dst, left * bytes);
      }
      columns.plane(plane);
    });
    columns.run_.end();
  }

 private:
  using Run = std::conditional_t<streams, StreamedRun<Vector>, CachedRun>;

  ShortColumns(const Tile& tile, const ColumnMaker& maker)
      : maker_(maker),
        src_end_(tile.src_end),
        rows_(tile.count[0]),
        count_(tile.count[1]),
        chunk_(chunk_bytes / maker.width),
        bytes_(tile.dst_stride[1]),
        run_(streams ? chunk_ * maker.most_bytes : maker.beyond) {
    const std::int64_t row_bytes = count_ * maker.width;
    packs_ = tile.crowded_src > 0 && row_bytes >= chunk_bytes;
    // Few long rows the processor reads ahead by itself.
    prefetches_ = tile.prefetch && (rows_ > 16 || row_bytes < 1024);
    for (std::int64_t i = 0; i < maker.rows; ++i) {
      // What is taken of rows that are not there is written beside columns.
      const std::int64_t there = std::min(i, rows_ - 1);
      row_[i] = there * tile.src_stride[0];
      packed_row_[i] = there * chunk_bytes;
    }
  }

  void plane(const Tile& tile) {
    if (count_ < maker_.step) return few(tile.src);
    const bool whole = !packs_ && !prefetches_;
    if (whole && run_.takes(count_ * bytes_)) {
      return some_columns(tile, 0, count_);
    }
    const std::int64_t step = maker_.step;
    const std::int64_t most = whole && !streams ? count_ : chunk_;
    std::int64_t j = 0;
    while (count_ - j >= 2 * step) {
      const std::int64_t some = std::min(most, count_ - j - step) & -step;
      some_columns(tile, j, some);
      j += some;
    }
    some_columns(tile, j, count_ - j);
  }

  void some_columns(const Tile& tile, std::int64_t j, std::int64_t count) {
    const std::int64_t width = maker_.width;
    if (prefetches_) prefetch(tile, j * width, count * width);
    const std::byte* const src = tile.src + j * width;
    make(packs_ ? packed(src, count * width) : src, packs_, count, count);
  }

  // Fewer columns than make a step: more are read, unless those lie beyond src.
  void few(const std::byte* src) {
    const std::int64_t reach = std::max<std::int64_t>(row_[rows_ - 1], 0);
    const bool inside = src_end_ - src >= reach + maker_.step * maker_.width;
    make(inside ? src : packed(src, count_ * maker_.width), !inside,
         maker_.step, count_);
  }

  // Makes columns of which so many are taken.
  [[gnu::always_inline]] void make(const std::byte* src, bool is_packed,
                                   std::int64_t count, std::int64_t taken) {
    maker_.make(maker_.columns, src, is_packed ? packed_row_ : row_,
                run_.at(count * bytes_), bytes_, count);
    run_.advance(taken * bytes_);
  }

  const std::byte* packed(const std::byte* src, std::int64_t bytes) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      std::memcpy(pack_ + i * chunk_bytes, src + row_[i],
                  static_cast<std::size_t>(bytes));
    }
    return pack_;
  }

  void prefetch(const Tile& tile, std::int64_t at, std::int64_t bytes) {
    const std::int64_t next = at + ahead - count_ * maker_.width;
    const std::byte* const from =
        next < 0 ? tile.src + at + ahead : tile.src + tile.next_src + next;
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t k = 0; k < bytes; k += line) {
        __builtin_prefetch(from + row_[i] + k, 0, 2);
      }
    }
  }

  const ColumnMaker maker_;
  const std::byte* src_end_;
  std::int64_t rows_;
  std::int64_t count_;
  std::int64_t chunk_;  // columns that are prefetched or packed at once
  std::int64_t bytes_;  // of a column
  bool packs_;
  bool prefetches_;
  std::int64_t row_[most_short_rows];
  std::int64_t packed_row_[most_short_rows];
  alignas(line) std::byte pack_[most_short_rows * chunk_bytes];
  Run run_;
};

}  // namespace
}  // namespace stridewise
