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
  // The rows from `row` on, of which `present` are not zeros, to columns from `dst`
  // on, of which `used` bytes are stored.
  IrregularStrip(const Tile& tile, std::int64_t row, std::byte* dst,
                 std::int64_t present, std::int64_t used)
      : tile_(tile), row_(row), dst_(dst), present_(present), used_(used) {}

  void run(Put put) const {
    std::int64_t multiples[rows];
    const std::int64_t* offset = multiples;
    std::int64_t reach = tile_.row_reach;
    if (tile_.row_offset != nullptr) {
      offset = tile_.row_offset + row_;
    } else {
      for (std::int64_t i = 0; i < present_; ++i) {
        multiples[i] = tile_.row_at(row_ + i);
      }
      reach = std::max(tile_.row_at(row_), tile_.row_at(row_ + present_ - 1));
    }
    const std::int64_t room =
        present_ == rows ? tile_.src_end - tile_.src - reach - copy_bytes : -1;
    PagesOfColumns<n> pages(dst_ + tile_.column_at(0));
    for (std::int64_t j = 0; j < tile_.count[1]; j += n) {
      if (put != Put::cached && row_ == 0) {
        pages.reach(dst_ + tile_.column_at(j));
      }
      const std::int64_t taken = std::min(n, tile_.count[1] - j);
      if (room >= j * width) {
        some_columns(put, {tile_.src + j * width, offset}, j, taken);
      } else {
        copied_columns(put, offset, j, taken);
      }
    }
  }

 private:
  // Vectors of a column that hold rows.
  [[nodiscard]] std::int64_t parts_with_rows() const {
    return (present_ * width + vector_bytes - 1) / vector_bytes;
  }

  // The same of rows that may not be read by whole vectors, or not all be there.
  [[gnu::noinline]] void copied_columns(Put put, const std::int64_t* offset,
                                        std::int64_t j,
                                        std::int64_t taken) const {
    alignas(64) std::byte in[rows * copy_bytes];
    std::int64_t multiples[rows];
    for (std::int64_t i = 0; i < rows; ++i) {
      std::byte* const copy = in + i * copy_bytes;
      multiples[i] = i * copy_bytes;
      const std::byte* const src =
          i < present_ ? tile_.src + offset[i] + j * width : nullptr;
      if (src == nullptr) {
        std::memset(copy, 0, copy_bytes);
      } else if (tile_.src_end - src >= copy_bytes) {
        std::memcpy(copy, src, copy_bytes);
      } else {
        copy_short(copy, src, taken * width);
      }
    }
    some_columns(put, {in, multiples}, j, taken);
  }

  // Columns [j, j + taken) of a square: whole ones straight to dst.
  [[gnu::noinline]] void some_columns(Put put, typename S::ByOffset from,
                                      std::int64_t j,
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
      std::byte* const column = dst_ + tile_.column_at(j + k);
      if (used_ < bytes) {
        copy_short(column, out + k * bytes, used_);
      } else {
        S::put_column(put, column, out + k * bytes);
      }
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
