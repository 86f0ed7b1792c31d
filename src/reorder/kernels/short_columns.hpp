// Transposes of more rows than interleaves take, whose columns are short and follow
// each other in dst. Included as transpose.hpp is.
//
// Some columns are made at once, by vectors that reach beyond the last of them:
// what they write there is the next columns', which are written later. What
// streams is put together in the nearest cache, from where whole lines are taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/streamed_run.hpp"

namespace stridewise {
namespace {

// Where columns go that do not stream: to dst, but the last ones of a run by way of
// a stage, so that nothing after them is written.
template <std::int64_t most, std::int64_t beyond>
class CachedRun {
 public:
  void begin(std::byte* dst, std::int64_t bytes) {
    dst_ = dst;
    end_ = dst + bytes;
  }
  // Whether it has room for so many bytes of columns, and what is written beyond.
  [[nodiscard]] bool takes(std::int64_t bytes) const {
    return end_ - dst_ >= bytes + beyond;
  }
  // Where to put them; `most` at most if it has not.
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
  std::byte* dst_ = nullptr;
  std::byte* end_ = nullptr;
  bool staged_ = false;
  alignas(line) std::byte stage_[most + beyond];
};

// Columns is what makes `step` columns of at most `rows` rows: put(src, row, dst,
// bytes), of rows that begin so many bytes after src, writes columns of so many bytes
// and up to `beyond` more.
template <class Vector, int width, class Columns, bool streams>
class ShortColumns {
  static constexpr std::int64_t step = Columns::step;
  static constexpr std::int64_t step_bytes = step * width;
  // Bytes of each row that are prefetched at once, or packed where the L1 cache
  // would not keep the lines of all.
  static constexpr std::int64_t chunk_bytes = 2 * line;
  static constexpr std::int64_t chunk = chunk_bytes / width;
  // The last ones at once are up to two steps; what is written beyond others is less
  // than a step of columns of five rows.
  static_assert(2 * step_bytes <= chunk_bytes);
  static_assert(Columns::beyond <= 5 * step_bytes);
  // Bytes of each row that prefetches run ahead.
  static constexpr std::int64_t ahead = 1024;
  static constexpr std::int64_t most_bytes = chunk * Columns::most_bytes;

 public:
  [[gnu::noinline]] static void run(const Tile& tile) {
    ShortColumns columns(tile);
    Tile plane = tile;
    if (tile.count[2] > 1) plane.next_src = tile.src_stride[2];
    const std::int64_t bytes = tile.count[1] * tile.dst_stride[1];
    const bool follow = tile.dst_stride[2] == bytes;  // each other, planes do
    for (std::int64_t i = 0; i < tile.count[3]; ++i) {
      for (std::int64_t j = 0; j < tile.count[2]; ++j) {
        plane.src = tile.src + i * tile.src_stride[3] + j * tile.src_stride[2];
        plane.dst = tile.dst + i * tile.dst_stride[3] + j * tile.dst_stride[2];
        if (j == 0 || !follow) {
          columns.run_.begin(plane.dst, follow ? tile.count[2] * bytes : bytes);
        }
        columns.plane(plane);
      }
    }
    columns.run_.end();
  }

 private:
  using Run = std::conditional_t<streams, StreamedRun<Vector, most_bytes>,
                                 CachedRun<most_bytes, Columns::beyond>>;

  explicit ShortColumns(const Tile& tile)
      : columns_(tile.count[0]),
        src_end_(tile.src_end),
        rows_(tile.count[0]),
        count_(tile.count[1]),
        bytes_(tile.dst_stride[1]) {
    const std::int64_t row_bytes = count_ * width;
    packs_ = tile.crowded_src > 0 && row_bytes >= chunk_bytes;
    // Few long rows the processor reads ahead by itself.
    prefetches_ = tile.prefetch && (rows_ > 16 || row_bytes < 1024);
    for (std::int64_t i = 0; i < Columns::rows; ++i) {
      // What is taken of rows that are not there is written beside columns.
      const std::int64_t there = std::min(i, rows_ - 1);
      row_[i] = there * tile.src_stride[0];
      packed_row_[i] = there * chunk_bytes;
    }
  }

  void plane(const Tile& tile) {
    if (count_ < step) return few(tile.src);
    const bool whole = !packs_ && !prefetches_;
    if (whole && run_.takes(count_ * bytes_)) {
      return some_columns(tile, 0, count_);
    }
    const std::int64_t most = whole && !streams ? count_ : chunk;
    std::int64_t j = 0;
    while (count_ - j >= 2 * step) {
      const std::int64_t some = std::min(most, count_ - j - step) / step * step;
      some_columns(tile, j, some);
      j += some;
    }
    some_columns(tile, j, count_ - j);
  }

  void some_columns(const Tile& tile, std::int64_t j, std::int64_t count) {
    if (prefetches_) prefetch(tile, j * width, count * width);
    const std::byte* src = tile.src + j * width;
    const std::int64_t* row = row_;
    if (packs_) {
      for (std::int64_t i = 0; i < rows_; ++i) {
        std::memcpy(pack_ + i * chunk_bytes, src + row_[i],
                    static_cast<std::size_t>(count * width));
      }
      src = pack_;
      row = packed_row_;
    }
    steps(columns_, src, row, run_.at(count * bytes_), bytes_, count);
    run_.advance(count * bytes_);
  }

  // At least a step of columns. Of copies, so that nothing is read again because of
  // what is stored.
  [[gnu::noinline]] static void steps(const Columns& all, const std::byte* src,
                                      const std::int64_t* row_of,
                                      std::byte* dst, std::int64_t bytes,
                                      std::int64_t count) {
    const Columns columns = all;
    std::int64_t row[Columns::rows];
    std::copy_n(row_of, Columns::rows, row);
    for (;;) {
      columns.put(src, row, dst, bytes);
      count -= step;
      if (count == 0) return;
      const std::int64_t next = std::min(count, step);
      count = std::max(count, step);
      src += next * width;
      dst += next * bytes;
    }
  }

  void prefetch(const Tile& tile, std::int64_t at, std::int64_t bytes) {
    const std::int64_t next = at + ahead - count_ * width;
    const std::byte* const from =
        next < 0 ? tile.src + at + ahead : tile.src + tile.next_src + next;
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t k = 0; k < bytes; k += line) {
        __builtin_prefetch(from + row_[i] + k, 0, 2);
      }
    }
  }

  // Fewer columns than make a step: more are read, unless those lie beyond src.
  void few(const std::byte* src) {
    const std::int64_t reach = std::max<std::int64_t>(row_[rows_ - 1], 0);
    const std::int64_t* row = row_;
    if (src_end_ - src < reach + step_bytes) {
      for (std::int64_t i = 0; i < rows_; ++i) {
        std::memcpy(pack_ + i * chunk_bytes, src + row_[i],
                    static_cast<std::size_t>(count_ * width));
      }
      src = pack_;
      row = packed_row_;
    }
    steps(columns_, src, row, run_.at(step * bytes_), bytes_, step);
    run_.advance(count_ * bytes_);
  }

  Columns columns_;
  const std::byte* src_end_;
  std::int64_t rows_;
  std::int64_t count_;
  std::int64_t bytes_;  // of a column
  bool packs_;
  bool prefetches_;
  std::int64_t row_[Columns::rows];
  std::int64_t packed_row_[Columns::rows];
  alignas(line) std::byte pack_[Columns::rows * chunk_bytes];
  Run run_;
};

}  // namespace
}  // namespace stridewise
