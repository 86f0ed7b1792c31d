// Strips side by side that stream column by column. Included as transpose.hpp is.
//
// Lines a quarter of a page apart, or a multiple of that, stream at 10 ns each, whatever
// memory gives (Zen 3). Where columns of dst lie so, and where rows come from far, the
// lines of a column in all strips are written one after the other: squares of all strips
// are put together in the nearest cache, by turns with the writing of those of the
// columns before them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

// Where squares take so many pieces of rows, of so many strips at most.
template <class Vector, int width, int taken, std::int64_t most_strips>
class StripsByColumns {
  using S = Squares<Vector, width, line>;
  static constexpr std::int64_t step = taken * S::n;  // columns
  static constexpr std::int64_t rows = S::rows;

 public:
  // Where two vectors make a line.
  static constexpr bool exists = S::halves_lines;

  // What squares ask for while they are written, from `next` on, if anything.
  struct Asks {
    const std::byte* next;
    Ahead ahead;
    bool pages;  // of dst
  };

  // The first `written` columns are there already. Pre: count is a multiple of `step`
  // and not 0; all rows of the strips are there; lines of columns are lines of memory.
  template <class Columns>
  [[gnu::noinline]] static void run(const std::byte* src, std::int64_t pitch,
                                    std::byte* dst, Columns columns,
                                    std::int64_t count, std::int64_t strips,
                                    Asks asks, std::int64_t written = 0) {
    alignas(64) std::byte stages[2][step * most_strips * line];
    const std::int64_t column = strips * line;
    PagesOfColumns<step> pages(dst + columns.at(0));
    // Share s of the columns from `first` on that a stage holds.
    const auto write = [&](std::int64_t first, std::int64_t s) {
      const std::byte* const stage = stages[first / step % 2];
      const std::int64_t end = (s + 1) * step / strips;
      for (std::int64_t k = std::max(s * step / strips, written - first);
           k < end; ++k) {
        std::byte* const to = dst + columns.at(first + k);
        for (std::int64_t at = 0; at < column; at += line) {
          S::template put_column<Put::stream>(to + at, stage + k * column + at);
        }
      }
    };
    for (std::int64_t j = 0; j < count; j += step) {
      if (asks.pages) pages.reach(dst + columns.at(j));
      for (std::int64_t s = 0; s < strips; ++s) {
        const std::byte* const from = src + s * rows * pitch;
        S::template ask_ahead<step>(asks.ahead, asks.next, pitch, s, j / step);
        std::byte* const to = stages[j / step % 2] + s * line;
        S::template each_piece<Vector::lanes, taken>(
            typename S::ByPitch{from + j * width, pitch}, S::parts,
            [=](std::int64_t k, std::int64_t at, typename S::V v) {
              Vector::store(to + k * column + at, v);
            });
        if (j > 0) write(j - step, s);
      }
    }
    for (std::int64_t s = 0; s < strips; ++s) write(count - step, s);
  }
};

}  // namespace
}  // namespace stridewise
