// A strip of a transpose that squares do not suit: rows that no one stride takes apart,
// of which some may be zeros, or columns or rows too few for a square. Included as
// transpose.hpp is.
//
// Each row is read by an offset of its own, and by vectors only as far as those lie
// inside src; each column is stored as far as it goes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/squares.hpp"

namespace stridewise {
namespace {

template <class Vector, int width, int bytes>
class IrregularStrip {
  using S = Squares<Vector, width, bytes>;
  using V = typename S::V;
  static constexpr std::int64_t n = S::n;
  static constexpr std::int64_t rows = S::rows;
  static constexpr std::int64_t vector_bytes = S::vector_bytes;
  // What is read of a row at once.
  static constexpr std::int64_t copy_bytes = std::max(16, width);

 public:
  // The rows from `row` on, of which `present` are not zeros after the others, to columns
  // from `dst` on, of which `used` bytes are stored.
  IrregularStrip(const Tile& tile, std::int64_t row, std::byte* dst,
                 std::int64_t present, std::int64_t used)
      : tile_(tile), row_(row), dst_(dst), present_(present), used_(used) {}

  // `holes`: whether offsets of rows may be no_row.
  template <bool holes = false>
  void run(Put put) const {
    if (tile_.row_offset != nullptr && present_ == rows) {
      return columns(put, Rows<holes>{tile_.src, tile_.row_offset + row_},
                     tile_.row_reach);
    }
    std::int64_t own[rows];
    std::int64_t reach = 0;
    for (std::int64_t i = 0; i < present_; ++i) {
      own[i] = tile_.row_at(row_ + i);
      reach = std::max(reach, own[i]);
    }
    std::fill(own + present_, own + rows, no_row);
    if (present_ == rows && !holes) {
      columns(put, Rows<false>{tile_.src, own}, reach);
    } else {
      columns(put, Rows<true>{tile_.src, own}, reach);
    }
  }

 private:
  // Rows by where each begins from src on, or with holes perhaps of zeros.
  template <bool holes>
  struct Rows {
    const std::byte* src;
    const std::int64_t* offset;

    [[nodiscard]] const std::byte* row(std::int64_t i) const {
      if (holes && offset[i] == no_row) return zero_bytes;
      return src + offset[i];
    }
    [[nodiscard]] Rows from(std::int64_t i) const { return {src, offset + i}; }
    [[nodiscard]] Rows at(std::int64_t byte) const {
      return {src + byte, offset};
    }
  };

  // All columns, of rows of which none begins farther than `reach`.
  template <bool holes>
  void columns(Put put, Rows<holes> from, std::int64_t reach) const {
    const std::int64_t count = tile_.count[1];
    // What is left of src where the first columns have been read of the farthest row.
    const std::int64_t room = tile_.src_end - tile_.src - reach - copy_bytes;
    std::int64_t whole = room < 0 ? 0 : std::min(room / width + n, count);
    // Unless they stream, the last ones may be written once more.
    if (whole < count || put != Put::cached) whole = whole / n * n;
    const bool straight = put == Put::cached && used_ == bytes;
    if (whole < n) {
      whole = 0;
    } else if (straight) {
      whole_squares<true>(put, from, whole);
    } else {
      whole_squares<false>(put, from, whole);
    }
    from.src += whole * width;
    for (std::int64_t j = whole; j < count; j += n) {
      const std::int64_t taken = std::min(n, count - j);
      if (room >= j * width) {
        some_columns(put, from, j, taken);
      } else {
        copied_columns(put, from, j, taken);
      }
      from.src += n * width;
    }
  }

  // Vectors of a column that hold rows.
  [[nodiscard]] std::int64_t parts_with_rows() const {
    return (present_ * width + vector_bytes - 1) / vector_bytes;
  }

  // The first `count` columns, a square's at least, of rows that may be read by vectors:
  // the last square begins early enough to be whole. `straight`: columns are stored whole
  // and through the caches.
  template <bool straight, bool holes>
  [[gnu::noinline]] void whole_squares(Put put, Rows<holes> from,
                                       std::int64_t count) const {
    // Copies, so that nothing is read again because of what is stored.
    const std::int64_t parts = parts_with_rows(), used = used_;
    const std::int64_t* const offset = tile_.column_offset;
    const std::int64_t stride = tile_.dst_stride[1];
    const bool asks = put != Put::cached && row_ == 0;
    std::byte* const dst = dst_;
    PagesOfColumns<n> pages(dst + tile_.column_at(0));
    for (std::int64_t j = 0;;) {
      const auto column = [=](std::int64_t k) {
        return dst + (offset != nullptr ? offset[j + k] : (j + k) * stride);
      };
      if (asks) pages.reach(column(0));
      if constexpr (straight) {
        S::each_piece(from, parts, [&](std::int64_t k, std::int64_t at, V v) {
          Vector::store(column(k) + at, v);
        });
      } else {
        alignas(64) std::byte out[n * bytes];
        S::each_piece(from, parts, [&](std::int64_t k, std::int64_t at, V v) {
          Vector::store(out + k * bytes + at, v);
        });
        for (std::int64_t k = 0; k < n; ++k) {
          put_some(put, column(k), out + k * bytes, used);
        }
      }
      if (count - j <= n) break;
      const std::int64_t step = std::min(n, count - j - n);
      from.src += step * width;
      j += step;
    }
  }
  [[gnu::always_inline]] static void put_some(Put put, std::byte* column,
                                              const std::byte* from,
                                              std::int64_t used) {
    used < bytes ? copy_short(column, from, used)
                 : S::put_column(put, column, from);
  }

  // Columns [j, j + taken) of rows that may not be read by whole vectors.
  template <bool holes>
  [[gnu::noinline]] void copied_columns(Put put, Rows<holes> from,
                                        std::int64_t j,
                                        std::int64_t taken) const {
    alignas(64) std::byte in[rows * copy_bytes];
    std::int64_t copies[rows];
    for (std::int64_t i = 0; i < rows; ++i) {
      std::byte* const copy = in + i * copy_bytes;
      copies[i] = i * copy_bytes;
      const std::byte* const src = from.row(i);
      if (src == zero_bytes) {
        std::memset(copy, 0, copy_bytes);
      } else if (tile_.src_end - src >= copy_bytes) {
        std::memcpy(copy, src, copy_bytes);
      } else {
        copy_short(copy, src, taken * width);
      }
    }
    some_columns(put, Rows<false>{in, copies}, j, taken);
  }

  // The same of rows that may.
  template <bool holes>
  [[gnu::noinline]] void some_columns(Put put, Rows<holes> from, std::int64_t j,
                                      std::int64_t taken) const {
    if (put == Put::cached && used_ == bytes) {
      std::byte* to[n];
      for (std::int64_t k = 0; k < taken; ++k) {
        to[k] = dst_ + tile_.column_at(j + k);
      }
      S::each_piece(from, parts_with_rows(),
                    [&](std::int64_t k, std::int64_t at, V v) {
                      if (k < taken) Vector::store(to[k] + at, v);
                    });
      return;
    }
    alignas(64) std::byte out[n * bytes];
    S::each_piece(from, parts_with_rows(),
                  [&](std::int64_t k, std::int64_t at, V v) {
                    Vector::store(out + k * bytes + at, v);
                  });
    for (std::int64_t k = 0; k < taken; ++k) {
      put_some(put, dst_ + tile_.column_at(j + k), out + k * bytes, used_);
    }
  }

  const Tile& tile_;
  std::int64_t row_;
  std::byte* dst_;
  std::int64_t present_;
  std::int64_t used_;
};

}  // namespace
}  // namespace stridewise
