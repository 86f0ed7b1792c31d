// Transposes whose rows are less than a line of src and follow each other there.
// Included as transpose.hpp is.
//
// A line's worth of each column is made at once. What streams and begins elsewhere
// in a line is shifted: a line takes the end of what was made before, and where
// columns follow each other in dst, the end of one and the beginning of the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streamed_run.hpp"

namespace stridewise {
namespace {

// Rows is what makes a line's worth of each of at most `columns` columns:
// each(src, take), of rows that are dense from src on, calls take(column, v) for
// every column in their order. It reads up to `beyond` bytes more.
template <class Vector, int width, class Rows, bool streams>
class ShortRows {
  using V = typename Vector::type;
  static constexpr std::int64_t step = line / width;

 public:
  [[gnu::noinline]] static void run(const Tile& tile) {
    ShortRows rows(tile);
    const std::int64_t bytes = tile.count[1] * tile.dst_stride[1];
    const bool follow = tile.dst_stride[2] == bytes;  // each other, planes do
    each_plane(tile, [&](const Tile& plane, std::int64_t left) {
      rows.src_ = plane.src;
      rows.dst_ = plane.dst;
      rows.plane(follow ? left * bytes : bytes);
    });
    rows.end_line();
    rows.run_.end();
  }

 private:
  explicit ShortRows(const Tile& tile)
      : rows_(tile.count[1]),
        src_end_(tile.src_end),
        count_(tile.count[0]),
        columns_(tile.count[1]),
        row_bytes_(tile.count[1] * width),
        pitch_(tile.dst_stride[1]),
        run_(most_run) {}

  // `room`: bytes of dst that are this plane's or those' after it.
  void plane(std::int64_t room) {
    if constexpr (streams) {
      if (line_ != nullptr && line_ + left_ != dst_) end_line();
      if (count_ * width >= streamed_column_bytes) {
        const bool whole = to_next_line(dst_) == 0 && pitch_ % line == 0;
        return whole ? whole_lines() : shifted_lines();
      }
      if (pitch_ == count_ * width) {
        const std::int64_t bytes = columns_ * pitch_;
        run_.begin(dst_, bytes);
        cached(run_.at(bytes), bytes + line);
        return run_.advance(bytes);
      }
    }
    cached(dst_, room);
  }

  void cached(std::byte* dst, std::int64_t room) {
    if (count_ < step) return few_rows(dst, room);
    const std::int64_t inside = inside_steps();
    cached_lines(rows_, src_, dst, pitch_, row_bytes_, inside);
    for (std::int64_t i = inside * step; i < count_; i += step) {
      const std::int64_t row = std::min(i, count_ - step);
      cached_lines(rows_, copied(row, step), dst + row * width, pitch_,
                   row_bytes_, 1);
    }
  }

  // Steps of which all that is read is inside src.
  [[nodiscard]] std::int64_t inside_steps() const {
    const std::int64_t rows = (src_end_ - src_ - Rows::beyond) / row_bytes_;
    return std::min(rows, count_) / step;
  }

  // A copy of some rows that may be read beyond its end.
  const std::byte* copied(std::int64_t row, std::int64_t count) {
    std::memcpy(copy_, src_ + row * row_bytes_,
                static_cast<std::size_t>(count * row_bytes_));
    return copy_;
  }

  // Of a copy, so that nothing is read again because of what is stored.
  [[gnu::noinline]] static void cached_lines(const Rows& all,
                                             const std::byte* src,
                                             std::byte* dst, std::int64_t pitch,
                                             std::int64_t row_bytes,
                                             std::int64_t lines) {
    const Rows rows = all;
    for (std::int64_t k = 0; k < lines; ++k) {
      rows.each(src, [=](std::int64_t column, V v) {
        Vector::store(dst + column * pitch, v);
      });
      src += step * row_bytes;
      dst += line;
    }
  }

  // Fewer rows than a line has: what comes after the end of a column is the next
  // one's.
  void few_rows(std::byte* dst, std::int64_t room) {
    const bool inside = src_end_ - src_ >= step * row_bytes_ + Rows::beyond;
    const std::byte* const src = inside ? src_ : copied(0, count_);
    const std::int64_t bytes = count_ * width;
    const std::int64_t all = columns_ * bytes;
    const bool dense = pitch_ == bytes;
    if (dense && room >= all + line) {
      return cached_lines(rows_, src, dst, bytes, row_bytes_, 1);
    }
    alignas(line) std::byte columns[most_bytes];
    cached_lines(rows_, src, columns, bytes, row_bytes_, 1);
    const std::int64_t run = dense ? all : bytes;
    for (std::int64_t j = 0; j * run < all; ++j) {
      copy_part(dst + j * pitch_, columns + j * run, run);
    }
  }

  // Columns that begin with a line each.
  [[gnu::noinline]] void whole_lines() {
    const Rows rows = rows_;
    const std::int64_t pitch = pitch_;
    const std::int64_t inside = inside_steps();
    std::byte* dst = dst_;
    for (std::int64_t k = 0; k < count_ / step; ++k) {
      const std::byte* const src =
          k < inside ? src_ + k * step * row_bytes_ : copied(k * step, step);
      if (k < inside) ask_in_order(src, step * row_bytes_);
      rows.each(src, [=](std::int64_t column, V v) {
        std::byte* const to = dst + column * pitch;
        ask_page_after(to, line);
        Vector::stream(to, v);
      });
      dst += line;
    }
    const std::int64_t rest = count_ % step;
    if (rest == 0) return;
    rows.each(copied(count_ - rest, rest), [=](std::int64_t column, V v) {
      alignas(line) std::byte bytes[line];
      Vector::store(bytes, v);
      copy_part(dst + column * pitch, bytes, rest * width);
    });
  }

  // Columns of which each begins elsewhere in a line.
  [[gnu::noinline]] void shifted_lines() {
    const Rows rows = rows_;
    const std::int64_t pitch = pitch_;
    const std::int64_t inside = inside_steps();
    const bool dense = pitch == count_ * width;
    alignas(line) std::byte first[Rows::columns][line];
    // What was made last of each column, and after it the rest.
    alignas(line) std::byte last[Rows::columns][2 * line];
    std::int64_t lead[Rows::columns];  // bytes of it in the next line
    std::byte* to[Rows::columns];      // that line
    for (std::int64_t k = 0; k < count_ / step; ++k) {
      const std::byte* const src =
          k < inside ? src_ + k * step * row_bytes_ : copied(k * step, step);
      if (k == 0) {
        rows.each(src, [&](std::int64_t j, V v) {
          std::byte* const begin = dst_ + j * pitch;
          const std::int64_t head = to_next_line(begin);
          Vector::store(first[j], v);
          Vector::store(last[j], v);
          lead[j] = (line - head) % line;
          to[j] = begin + (head > 0 ? head : line);
          if (head == 0) return Vector::stream(begin, v);
          if (j == 0 && line_ != nullptr) return finish_line(v);
          if (j == 0 || !dense) copy_part(begin, first[j], head);
        });
        continue;
      }
      const std::int64_t at = (k - 1) * line;
      if (k < inside) ask_in_order(src, step * row_bytes_);
      rows.each(src, [&](std::int64_t j, V v) {
        const V of_line = Vector::shifted(Vector::load(last[j]), v, lead[j]);
        Vector::store(last[j], v);
        ask_page_after(to[j] + at, line);
        Vector::stream(to[j] + at, of_line);
      });
    }
    const std::int64_t rest = count_ % step;
    if (rest > 0) {
      rows.each(copied(count_ - rest, rest),
                [&](std::int64_t j, V v) { Vector::store(last[j] + line, v); });
    }
    for (std::int64_t j = 0; j < columns_; ++j) {
      to[j] += (count_ / step - 1) * line;
      std::int64_t left = lead[j] + rest * width;
      if (left >= line) {
        Vector::stream(to[j], Vector::load(last[j] + line - lead[j]));
        to[j] += line;
        left -= line;
      }
      if (left == 0) continue;
      const V end = Vector::load(last[j] + rest * width);
      if (!dense) {
        copy_part(to[j], last[j] + line + rest * width - left, left);
      } else if (j + 1 < columns_) {
        Vector::stream(to[j],
                       Vector::shifted(end, Vector::load(first[j + 1]), left));
      } else {
        Vector::store(end_, end);
        line_ = to[j];
        left_ = left;
      }
    }
  }

  // The line in which a plane begins and the one before has ended.
  void finish_line(V v) {
    Vector::stream(line_, Vector::shifted(Vector::load(end_), v, left_));
    line_ = nullptr;
  }
  void end_line() {
    if (line_ != nullptr) copy_part(line_, end_ + line - left_, left_);
    line_ = nullptr;
  }

  static constexpr std::int64_t most_bytes = Rows::columns * line;
  struct NoRun {
    explicit NoRun(std::int64_t /*most*/) {}
    void end() {}
  };
  using Run = std::conditional_t<streams, StreamedRun<Vector>, NoRun>;
  static constexpr std::int64_t most_run =
      Rows::columns * streamed_column_bytes;
  static_assert(most_run <= most_staged);
  Rows rows_;
  const std::byte* src_ = nullptr;
  std::byte* dst_ = nullptr;
  const std::byte* src_end_;
  std::int64_t count_;
  std::int64_t columns_;
  std::int64_t row_bytes_;
  std::int64_t pitch_;
  // A line of which only the beginning is known: the last `left_` bytes of
  // end_.
  std::byte* line_ = nullptr;
  std::int64_t left_ = 0;
  alignas(line) std::byte end_[line];
  Run run_;
  alignas(line) std::byte copy_[most_bytes + Rows::beyond];
};

}  // namespace
}  // namespace stridewise
