// A strip of a transpose: rows that fill a cache line of dst, or several such side
// by side. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/irregular_strip.hpp"
#include "reorder/kernels/squares.hpp"
#include "reorder/kernels/strips_by_columns.hpp"

namespace stridewise {
namespace {

// A strip of `bytes` of rows, or several of them side by side.
template <class Vector, int width, int bytes>
class Strip {
  using S = Squares<Vector, width, bytes>;
  using V = typename S::V;
  // With vectors of half a line at most.
  using Parts = Squares<typename Vector::Half, width, bytes>;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t parts = S::parts;
  static constexpr std::int64_t vector_bytes = S::vector_bytes;
  template <Put put>
  static constexpr int most_taken = S::template most_taken<put>;

 public:
  static constexpr std::int64_t rows = S::rows;
  static constexpr std::int64_t most_strips = S::chunks ? 16 : 4;

  // Whether rows are long enough to be packed.
  static bool packs(const Tile& tile) {
    return tile.count[1] * width >= pack_bytes;
  }
  // Whether each row begins where the one before it ends.
  static bool rows_follow(const Tile& tile) {
    return tile.row_offset == nullptr &&
           tile.src_stride[0] == tile.count[1] * width;
  }
  // Whether rows whose lines the caches do not keep are read as they are, and not packed:
  // what streams uses what a line brings before it is lost.
  template <Put put>
  static bool reads_crowded(const Tile& tile) {
    const bool tables =
        tile.row_offset != nullptr && tile.column_offset != nullptr;
    return most_taken<put> > 1 && tile.reads_crowded && tile.crowded_src > 0 &&
           !tables &&
           (packs(tile) ||
            (tile.stream_columns && tile.count[1] >= most_taken<put> * n));
  }

  Strip(const Tile& tile, std::int64_t row, std::int64_t strips = 1)
      : tile_(tile),
        row_(row),
        dst_(tile.dst + row * width),
        strips_(strips),
        present_(
            std::clamp<std::int64_t>(tile.count[0] - row, 0, rows * strips)),
        used_(std::min<std::int64_t>(
            bytes, (tile.count[0] + tile.zeros - row) * width)) {}

  template <Put put>
  [[gnu::always_inline]] void run() {
    const std::int64_t count = tile_.count[1];
    const bool plain =
        present_ == rows * strips_ && tile_.row_offset == nullptr;
    if (count < n || used_ < bytes) return irregular(put);
    const std::byte* const src = tile_.src + row_ * tile_.src_stride[0];
    const std::int64_t pitch = tile_.src_stride[0];
    if (plain && reads_crowded<put>(tile_)) {
      return columns<put, most_taken<put>>(0, count, src, pitch, prefetches());
    }
    if (!plain || (tile_.crowded_src > 0 && packs(tile_))) {
      return rows_apart<put>(plain);
    }
    columns<put>(0, count, src, pitch, prefetches());
  }

 private:
  // Bytes of each row that are packed at once: where there is room, several
  // lines, for the prefetchers' sake; of one strip alone, more.
  static constexpr std::int64_t pack_bytes =
      std::clamp<std::int64_t>(4096 / rows, 64, 256);
  static constexpr std::int64_t most_packed =
      S::chunks ? pack_bytes : std::min<std::int64_t>(16384 / rows, 512);
  static constexpr std::int64_t ways = 8;  // of the L1 cache, or more
  // Bytes of each row that prefetches run ahead.
  static constexpr std::int64_t far_ahead =
      S::chunks ? 2048 : std::clamp<std::int64_t>(16384 / rows, 512, 2048);
  // Bytes of each row that bursts run ahead: their own, and some more.
  static constexpr std::int64_t bursts_ahead = 512;
  // Bytes of strips whose next ones the L2 cache holds beside them.
  static constexpr std::int64_t most_ahead = 256 << 10;

  // Few long rows the processor reads ahead by itself, and better; of chunks,
  // which it goes through faster, fewer.
  [[nodiscard]] bool prefetches() const {
    const bool few_long_rows =
        tile_.count[0] <= (S::chunks ? 2 : tile_.read_ahead) &&
        tile_.count[1] * width >= 1024;
    return tile_.prefetch && !few_long_rows;
  }

  // How far ahead prefetches run where squares take so many pieces of rows.
  template <int taken>
  [[nodiscard]] std::int64_t ahead() const {
    if (S::bursts(tile_)) return bursts_ahead;
    return taken > 1 ? line : far_ahead;
  }

  // Whether the rows are one run of memory, of which the caches next to a core hold
  // the strips' and those after them.
  [[nodiscard]] bool follow_each_other() const {
    return rows_follow(tile_) &&
           strips_ * rows * tile_.src_stride[0] <= most_ahead;
  }

  // Rows that no one stride takes apart, of which some may be zeros, or whose
  // lines the L1 cache could not keep.
  template <Put put>
  [[gnu::noinline]] void rows_apart(bool plain) {
    if constexpr (put == Put::cached && Parts::parts > 1) {
      if (plain && strips_ == 1 && tile_.crowded_src <= ways * Parts::parts &&
          tile_.crowded_dst == 0 && !tile_.prefetch) {
        return by_parts();
      }
    }
    if constexpr (put == Put::cached && most_packed > pack_bytes) {
      if (strips_ == 1 && tile_.crowded_src > 0 &&
          tile_.count[1] * width >= most_packed) {
        return packed<put, most_packed>();
      }
    }
    if constexpr (put != Put::stream_lanes && !S::chunks) {
      if ((put == Put::stream || !tile_.prefetch) &&
          tile_.row_offset != nullptr && present_ == rows * strips_ &&
          tile_.column_offset == nullptr) {
        if (tile_.crowded_src == 0) return by_offsets<put>();
        if (reads_crowded<put>(tile_)) {
          return by_offsets<put, most_taken<put>>();
        }
        if (!packs(tile_) && tile_.count[1] % n == 0) {
          // One by one, while the cache keeps what is read of rows.
          for (std::int64_t s = 0; s < strips_; ++s) {
            Strip(tile_, row_ + s * rows).template by_offsets<put>();
          }
          return;
        }
      }
    }
    if (packs(tile_)) return packed<put, pack_bytes>();
    irregular(put);
  }

  // Rows by an offset of their own each, as many columns of all strips at once as
  // a square has.
  template <Put put, int taken = 1>
  [[gnu::noinline]] void by_offsets() const {
    constexpr std::int64_t step = taken * n;
    const std::int64_t count = tile_.count[1];
    const std::int64_t far = ahead<taken>();
    const std::int64_t* const offset = tile_.row_offset + row_;
    const bool short_rows =
        tile_.from_memory && tile_.next_src != 0 && count * width <= line;
    if (short_rows) {
      ask_for_rows(typename S::ByOffset{tile_.src + tile_.next_src, offset},
                   strips_ * rows);
    }
    const bool prefetch = prefetches() && !short_rows;
    const bool bursts = S::bursts(tile_);
    // Where rows end, the strips after these are read, or the next call's rows.
    const std::int64_t all = strips_ * rows;
    const bool more = row_ + 2 * all <= tile_.count[0];
    PagesOfColumns<step> pages(dst_);
    for (std::int64_t j = 0; j < count; j += step) {
      const std::int64_t at = std::min(j, count - step);
      const typename S::ByStride columns{at * tile_.dst_stride[1],
                                         tile_.dst_stride[1]};
      if (put == Put::stream && row_ == 0) pages.reach(dst_ + columns.at(0));
      const bool in_row =
          asked_lines(rows, step * width, j / step, bursts).byte + far <
          count * width;
      const std::byte* const next =
          tile_.src + far +
          (in_row ? 0 : (more ? 0 : tile_.next_src) - count * width);
      const std::int64_t* const of_next =
          in_row || !more ? offset : offset + all;
      for (std::int64_t s = 0; s < strips_; ++s) {
        if (prefetch) {
          const typename S::ByOffset from{next, of_next + s * rows};
          S::template ask<step>(from, j / step, bursts);
        }
        S::template square<put, Vector::lanes, taken>(
            typename S::ByOffset{tile_.src + at * width, offset + s * rows},
            parts, dst_ + s * bytes, columns);
      }
    }
  }

  // The rows of one part of the columns after those of another: of so few, the L1
  // cache keeps the lines.
  void by_parts() const {
    if (tile_.column_offset != nullptr) {
      by_parts(typename Parts::ByTable{tile_.column_offset});
    } else {
      by_parts(typename Parts::ByStride{0, tile_.dst_stride[1]});
    }
  }
  template <class Columns>
  void by_parts(Columns columns) const {
    const std::byte* const src = tile_.src + row_ * tile_.src_stride[0];
    Parts::by_parts(src, tile_.src_stride[0], dst_, columns, tile_.count[1]);
  }

  // Rows are read once each, by way of a copy, which costs less than reading
  // lines again that the L1 cache could not keep.
  template <Put put, std::int64_t pitch>
  [[gnu::noinline]] void packed() const {
    constexpr std::int64_t block = pitch / width;
    // Of bytes, turns of fewer strips are too long to overlap.
    if constexpr (put == Put::stream && !S::chunks) {
      if (present_ == rows * strips_ && (width > 1 || strips_ == most_strips)) {
        // Two copies, of long rows in the place of one.
        constexpr auto turn_pitch = std::min<std::int64_t>(pitch, 128);
        return tile_.column_offset != nullptr
                   ? by_turns<turn_pitch>(
                         typename S::ByTable{tile_.column_offset})
                   : by_turns<turn_pitch>(
                         typename S::ByStride{0, tile_.dst_stride[1]});
      }
    }
    alignas(64)
        std::byte pack[rows * pitch * (pitch == pack_bytes ? most_strips : 1)];
    std::memset(pack + present_ * pitch, 0,
                static_cast<std::size_t>((rows * strips_ - present_) * pitch));
    const std::int64_t count = tile_.count[1];
    for (std::int64_t j = 0; j < count; j += block) {
      const std::int64_t begin = std::min(j, count - block);
      copy_rows<pitch>(0, present_, begin, j + block < count, pack);
      columns<put>(begin, begin + block, pack, pitch, false);
    }
  }

  // The same of whole strips, some rows of a block by turns with some columns of the
  // one before: so reading src and writing dst overlap.
  template <std::int64_t pitch, class Columns>
  [[gnu::noinline]] void by_turns(Columns to) const {
    constexpr std::int64_t block = pitch / width;
    constexpr std::int64_t turns = block / n;
    alignas(64) std::byte packs[2][rows * pitch * most_strips];
    const std::int64_t count = tile_.count[1];
    const std::int64_t some = (present_ + turns - 1) / turns;
    PagesOfColumns<n> pages(dst_ + to.at(0));
    std::int64_t waiting = 0;  // where the block before begins
    for (std::int64_t j = 0; j - block < count; j += block) {
      const std::int64_t begin = std::min(j, count - block);
      std::byte* const pack = packs[j / block % 2];
      const std::byte* const last = packs[(j / block + 1) % 2];
      for (std::int64_t turn = 0; turn < turns; ++turn) {
        if (j < count) {
          copy_rows<pitch>(turn * some, std::min((turn + 1) * some, present_),
                           begin, j + block < count, pack);
        }
        if (j > 0) {
          const Columns some_columns = to.from(waiting + turn * n);
          if (row_ == 0) pages.reach(dst_ + some_columns.at(0));
          side_by_side<Put::stream, false, Ahead::by_columns, 1>(
              last + turn * n * width, pitch, some_columns, n, nullptr);
        }
      }
      waiting = begin;
    }
  }

  // A block of rows [first, end), `more` after which follow in them.
  template <std::int64_t pitch>
  [[gnu::always_inline]] void copy_rows(std::int64_t first, std::int64_t end,
                                        std::int64_t begin, bool more,
                                        std::byte* pack) const {
    for (std::int64_t i = first; i < end; ++i) {
      const std::byte* const from =
          tile_.src + tile_.row_at(row_ + i) + begin * width;
      if (tile_.prefetch) {
        const std::byte* const next =
            more && !tile_.rows_go_on ? from + pitch : next_row(i);
        for (std::int64_t b = 0; b < pitch; b += line) {
          __builtin_prefetch(next + b, 0, 2);
        }
      }
#pragma GCC unroll 16
      for (std::int64_t b = 0; b < pitch; b += vector_bytes) {
        Vector::store(pack + i * pitch + b, Vector::load(from + b));
      }
    }
  }

  // Columns [begin, end), the first of which is at src; rows are `pitch` apart.
  template <Put put, int taken = 1>
  [[gnu::always_inline]] void columns(std::int64_t begin, std::int64_t end,
                                      const std::byte* src, std::int64_t pitch,
                                      bool prefetch) const {
    // The first strips of a tile write to each page before the others do.
    if (put != Put::cached && row_ == 0) {
      return columns<put, taken, put != Put::cached>(begin, end, src, pitch,
                                                     prefetch);
    }
    columns<put, taken, false>(begin, end, src, pitch, prefetch);
  }
  template <Put put, int taken, bool asks>
  [[gnu::always_inline]] void columns(std::int64_t begin, std::int64_t end,
                                      const std::byte* src, std::int64_t pitch,
                                      bool prefetch) const {
    if constexpr (bytes < 32) {
      // Ends of columns: not worth code for either kind.
      walk<put, asks, taken>(src, pitch, typename S::ByTile{&tile_, begin},
                             end - begin, prefetch);
    } else if ((put != Put::stream_lanes || S::chunks) &&  // else dense
               tile_.column_offset != nullptr) {
      walk<put, asks, taken>(src, pitch,
                             typename S::ByTable{tile_.column_offset + begin},
                             end - begin, prefetch);
    } else {
      walk<put, asks, taken>(src, pitch,
                             typename S::ByStride{begin * tile_.dst_stride[1],
                                                  tile_.dst_stride[1]},
                             end - begin, prefetch);
    }
  }

  template <Put put, bool asks, int taken, class Columns>
  void walk(const std::byte* src, std::int64_t pitch, Columns columns,
            std::int64_t count, bool prefetch) const {
    if (present_ < rows * strips_) {
      for (std::int64_t s = 0; s < strips_; ++s) {
        const std::byte* const from = src + s * rows * pitch;
        std::byte* const to = dst_ + s * bytes;
        const std::int64_t lanes = lanes_with_rows(s);
        S::template padded_squares<put>(asks, from, pitch, lanes, to, columns,
                                        count);
      }
      return;
    }
    if (taken == 1 && !prefetch && strips_ == 1) {
      return S::template squares<put, asks>(src, pitch, dst_, columns, count);
    }
    constexpr std::int64_t step = taken * n;
    const std::int64_t whole = count / step * step;
    const auto some = [&](std::int64_t begin, std::int64_t end,
                          const std::byte* next) {
      if (end <= begin) return;
      side_by_side<put, asks, Ahead::by_columns, taken>(
          src + begin * width, pitch, columns.from(begin), end - begin, next);
    };
    if (prefetch && follow_each_other()) {
      side_by_side<put, asks, Ahead::in_order, taken>(src, pitch, columns,
                                                      whole, next_row(0));
    } else if (prefetch) {
      // Where rows end, what is read next is not what follows in them.
      const std::int64_t far = ahead<taken>();
      const std::int64_t turn =
          tile_.rows_go_on
              ? 0
              : std::max<std::int64_t>(whole - far / width / step * step, 0);
      some(0, turn, src + far);
      some(turn, whole, next_row(0));
    } else {
      // What streams is seldom near: not worth code of its own.
      constexpr Ahead nothing =
          put == Put::cached ? Ahead::none : Ahead::by_columns;
      side_by_side<put, asks, nothing, taken>(src, pitch, columns, whole,
                                              nullptr);
    }
    if (whole < count) {
      last_columns<put, asks, taken>(src, pitch, columns, whole, count);
    }
  }

  // Columns [whole, count), which are fewer than squares hold: with those before them.
  template <Put put, bool asks, int taken, class Columns>
  void last_columns(const std::byte* src, std::int64_t pitch, Columns columns,
                    std::int64_t whole, std::int64_t count) const {
    if constexpr (taken > 1) {
      if (count - whole <= n) {
        return last_columns<put, asks, 1>(src, pitch, columns, whole, count);
      }
    }
    constexpr std::int64_t step = taken * n;
    const std::int64_t begin = count - step;
    side_by_side<put, asks, Ahead::by_columns, taken>(
        src + begin * width, pitch, columns.from(begin), step, nullptr,
        std::max<std::int64_t>(whole - begin, 0));
  }

  // Columns of all strips, as many as squares hold; what they ask for is at `next`. The
  // first `written` are there already, and may be written once more.
  template <Put put, bool asks, Ahead ahead, int taken, class Columns>
  void side_by_side(const std::byte* src, std::int64_t pitch, Columns columns,
                    std::int64_t count, const std::byte* next,
                    std::int64_t written = 0) const {
    if constexpr (ahead == Ahead::by_columns && S::may_burst) {
      if (next != nullptr && S::bursts(tile_)) {
        return side_by_side<put, asks, Ahead::in_bursts, taken>(
            src, pitch, columns, count, next);
      }
    }
    if constexpr (put == Put::stream && bytes == line && !S::chunks) {
      using ByColumns = StripsByColumns<Vector, width, taken, most_strips>;
      if constexpr (ByColumns::exists) {
        if (tile_.stream_columns && strips_ > 1) {
          return ByColumns::run(src, pitch, dst_, columns, count, strips_,
                                {next, ahead, asks}, written);
        }
      }
    }
    S::template squares<put, asks, ahead, taken>(src, pitch, dst_, columns,
                                                 count, strips_, next);
  }

  // Where what is read after row i begins: of the rows after these, or of the
  // next call.
  [[nodiscard]] const std::byte* next_row(std::int64_t i) const {
    const std::int64_t next = row_ + strips_ * rows + i;
    if (tile_.rows_go_on) {
      return tile_.src + tile_.row_at(row_ + i) + tile_.next_src;
    }
    if (next < tile_.count[0]) return tile_.src + tile_.row_at(next);
    return tile_.src + tile_.next_src + i * tile_.src_stride[0];
  }

  // Rows of strip s that are not zeros, and the lanes of a column that hold them.
  [[nodiscard]] std::int64_t rows_of(std::int64_t s) const {
    return std::clamp<std::int64_t>(present_ - s * rows, 0, rows);
  }
  [[nodiscard]] std::int64_t lanes_with_rows(std::int64_t s) const {
    return (rows_of(s) * width + 15) / 16;
  }

  // Columns or rows too few for a square, rows by offsets that may not all be read by
  // vectors.
  [[gnu::noinline]] void irregular(Put put) const {
    for (std::int64_t s = 0; s < strips_; ++s) {
      IrregularStrip<Vector, width, bytes>(tile_, row_ + s * rows,
                                           dst_ + s * bytes, rows_of(s), used_)
          .run(put);
    }
  }

  const Tile& tile_;
  std::int64_t row_;
  std::byte* dst_;
  std::int64_t strips_;
  std::int64_t present_;  // rows that are not zeros
  std::int64_t used_;     // bytes of each column that are stored
};

}  // namespace
}  // namespace stridewise
