// Where the rows of a transpose begin in src, and its columns in dst. Included by the file of
// an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/tile.hpp"
#include "engine/kernels/vector128.hpp"

namespace stridewise::engine {
namespace {

// The same value, of which the compiler knows nothing: else it keeps the addresses of all
// rows of all squares to come, and loses its registers to them.
template <class T>
[[gnu::always_inline]] inline T anew(T value) {
  asm("" : "+r"(value));
  return value;
}

// Where rows begin in src: by one pitch, by a table, or wherever, of which some are zeros.
struct RowsByPitch {
  const std::byte* src;
  std::int64_t pitch;

  [[gnu::always_inline]] const std::byte* at(std::int64_t row,
                                             std::int64_t byte) const {
    return src + row * pitch + byte;
  }
  // From a later row and byte on.
  [[gnu::always_inline]] RowsByPitch from(std::int64_t row,
                                          std::int64_t byte) const {
    return {anew(src + row * pitch + byte), anew(pitch)};
  }
  void move(std::int64_t bytes) { src += bytes; }
};
struct RowsByTable {
  const std::byte* src;
  const std::int64_t* offset;

  [[gnu::always_inline]] const std::byte* at(std::int64_t row,
                                             std::int64_t byte) const {
    return src + offset[row] + byte;
  }
  [[gnu::always_inline]] RowsByTable from(std::int64_t row,
                                          std::int64_t byte) const {
    return {anew(src + byte), anew(offset + row)};
  }
  void move(std::int64_t bytes) { src += bytes; }
};
struct RowsOrZeros {
  static constexpr std::int64_t most = line_bytes;
  struct Row {
    const std::byte* begin;
    std::int64_t
        moves;  // all bits where the row goes on, none where it is zeros
  };
  const Row* rows;
  std::int64_t byte = 0;

  [[gnu::always_inline]] const std::byte* at(std::int64_t row,
                                             std::int64_t more) const {
    return rows[row].begin + ((byte + more) & rows[row].moves);
  }
  [[gnu::always_inline]] RowsOrZeros from(std::int64_t /*row*/,
                                          std::int64_t more) const {
    return {anew(rows), byte + more};
  }
  void move(std::int64_t bytes) { byte += bytes; }

  // So many rows of a tile from `row` on; those beyond its last are zeros, too.
  static void set(const Tile& tile, const std::byte* src, std::int64_t row,
                  std::int64_t count, Row* rows) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t r = row + i;
      const bool held = r < tile.rows;
      rows[i] = {!held                    ? zero_bytes
                 : tile.row_at != nullptr ? src + tile.row_at[r]
                                          : src + r * tile.row_pitch,
                 held ? -1 : 0};
    }
  }
};

// Where columns begin in dst.
struct ColumnsByPitch {
  std::byte* dst;
  std::int64_t pitch;

  [[gnu::always_inline]] std::byte* at(std::int64_t column) const {
    return dst + column * pitch;
  }
  // From a later column and byte on.
  [[gnu::always_inline]] ColumnsByPitch from(std::int64_t column,
                                             std::int64_t byte) const {
    return {anew(dst + column * pitch + byte), anew(pitch)};
  }
  void move(std::int64_t bytes) { dst += bytes; }
};
struct ColumnsByTable {
  std::byte* dst;
  const std::int64_t* offset;

  [[gnu::always_inline]] std::byte* at(std::int64_t column) const {
    return dst + offset[column];
  }
  [[gnu::always_inline]] ColumnsByTable from(std::int64_t column,
                                             std::int64_t byte) const {
    return {anew(dst + byte), anew(offset + column)};
  }
  void move(std::int64_t bytes) { dst += bytes; }
};

}  // namespace
}  // namespace stridewise::engine
