// What a kernel is: a function over a tile of bytes. Kernels know element widths and
// strides; never layouts, vendors or dtypes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "machine/isa.hpp"

namespace stridewise::engine {

// Bytes of a line of the caches.
inline constexpr std::int64_t line_bytes = 64;

// A loop over both sides; strides in bytes.
struct Loop {
  std::int64_t count = 1;
  std::int64_t src = 0;
  std::int64_t dst = 0;
  // Of planners alone: where a block has only a part of it, and its last one less, which
  // of the block's cuts that is; 0: none.
  std::int64_t cut = 0;

  friend bool operator==(const Loop&, const Loop&) = default;
};

// The place of an element that src does not hold: zero.
inline constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::min();

// Rows follow each other in dst, columns in src; the elements of a row are its columns.
// Loops around repeat the tile. Pitches and offsets are in bytes.
struct Tile {
  const std::byte* src = nullptr;
  std::byte* dst = nullptr;
  // Nothing at or after it is read: vectors may reach beyond a row that ends before it.
  const std::byte* src_end = nullptr;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t zeros = 0;         // rows of zeros that follow the others
  std::int64_t row_pitch = 0;     // from row to row in src
  std::int64_t column_pitch = 0;  // from column to column in dst
  // Where each row begins in src and each column in dst, for those that have no one pitch;
  // else nullptr.
  const std::int64_t* row_at = nullptr;
  const std::int64_t* column_at = nullptr;
  std::array<Loop, 4> planes = {};     // the innermost first
  const std::byte* program = nullptr;  // of Kind::program

  friend bool operator==(const Tile&, const Tile&) = default;
};

// How a tile is best moved. What is written hangs on the last two alone.
struct Hints {
  // How far after what is read lies what is asked for; 0: nothing is.
  std::int64_t ahead = 0;
  // Strips of rows that transposes take by turns.
  std::int64_t strips = 1;
  // Whether transposes take a whole line of each row at once, where vectors are lines.
  bool whole_lines = false;
  // Whether runs that a copy streams go on in dst before and after them, by other blocks:
  // lines that begin in a run are written, the last of them to its end, which src holds.
  bool goes_on_before = false;
  bool goes_on_after = false;

  friend bool operator==(const Hints&, const Hints&) = default;
};

enum class Kind : std::uint8_t {
  // `rows` runs of `columns` bytes, contiguous on both sides, row_pitch apart in src and
  // column_pitch in dst; `zeros` bytes of zeros follow each.
  copy,
  // The same of zeros, without src.
  fill,
  // Columns and rows of at least 16 bytes, or fewer rows that are dense in dst.
  transpose,
  // 2, 4 or 8 rows of less than 16 bytes together, zeros included, that are dense in dst.
  zip,
  // The same backwards: columns that are dense in src.
  unzip,
  // What program.hpp says.
  program,
};
inline constexpr std::size_t kinds = 6;
[[nodiscard]] std::string_view kind_name(Kind kind);
// Whether columns are bytes of runs.
[[nodiscard]] constexpr bool of_runs(Kind kind) {
  return kind == Kind::copy || kind == Kind::fill;
}

struct Kernel {
  Kind kind;
  std::int64_t element_bytes;  // 1 for copies, fills and programs
  Isa isa;
  void (*run)(const Tile&, const Hints&);
  // The same with stores that pass by the caches; nullptr where there are none. Transposes
  // stream where columns are whole lines of dst. Whoever calls it ends with stream_fence().
  void (*stream)(const Tile&, const Hints&);
};

// "transpose.b32.avx512"; of kinds that move bytes "copy.avx2"; for any machine "copy".
[[nodiscard]] std::string kernel_name(const Kernel& kernel);

// The kernels of an instruction set; none where this build has not any for it.
[[nodiscard]] std::span<const Kernel> kernels_of(Isa isa);

// The best kernel of that kind and width up to `isa`; nullptr where there is none.
[[nodiscard]] const Kernel* find_kernel(Kind kind, std::int64_t element_bytes,
                                        Isa isa);

// Orders streaming stores before all that follows.
void stream_fence();

}  // namespace stridewise::engine
