// What a kernel is: a function over a tile of bytes. Kernels know element widths
// and strides; never layouts, vendors or dtypes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "reorder/kernels/isa.hpp"

namespace stridewise {

// In what order squares of a transpose are taken: by `square_bytes` of each row; or
// out of order, line by line of some rows, or some rows by some of a line; or strip by
// strip of rows, lines of them at once (line_strips.hpp).
enum class SquareOrder : std::uint8_t {
  blocks,
  along_rows,
  down_columns,
  strips
};

// The offset in src of a row of zeros, which src does not hold.
constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::min();

// Rows and columns, and up to four loops around them for tiles so small that a
// call for each would cost more than its work. All strides in bytes; counts in
// elements of the kernel's width (in bytes for kernels of runs, whose width is
// 1).
struct Tile {
  const std::byte* src;
  std::byte* dst;
  // Nothing at or after it is read: vectors may reach beyond a row, where they
  // end before this.
  const std::byte* src_end;
  // [0] rows, [1] columns, [2] and [3] the loops around, [3] the outer one.
  std::array<std::int64_t, 4> count;
  std::array<std::int64_t, 4> src_stride;
  std::array<std::int64_t, 4> dst_stride;
  // The loops around those, the outermost last.
  struct Loop {
    std::int64_t count = 1;
    std::int64_t src_stride = 0;
    std::int64_t dst_stride = 0;
  };
  std::array<Loop, 2> outer;
  // Zeros that follow the elements in dst: rows of a transpose, bytes of a run.
  std::int64_t zeros;
  // Where each row begins in src and each column in dst, for those that no one
  // stride takes apart; nullptr: at multiples of src_stride[0], dst_stride[1].
  const std::int64_t* row_offset;
  const std::int64_t* column_offset;
  std::int64_t row_reach;  // no offset of a row is greater
  // For table_of alone: where each column begins in src, if no one stride tells.
  const std::int64_t* column_src;
  bool prefetch;  // src is not in the nearest caches
  // With prefetch: so many long rows are left to the processor, which sees them coming.
  std::int64_t read_ahead;
  // With prefetch: other rows are best asked for by some lines of one at once.
  bool bursts;
  // Whether src comes from memory, and not from a cache, where that makes a difference to
  // what streams: few rows are read at once then, more of each while its page is known,
  // and short ones asked for.
  bool from_memory;
  // With prefetch: how far after src the next call begins to read, and whether it
  // reads on in the same rows, of which this one has few columns.
  std::int64_t next_src;
  bool rows_go_on;
  // Where so many rows of src, or columns of dst, share sets of the L1 cache that
  // it would not keep their lines until they are used again, else 0: of rows, how
  // many lines of those of a strip share one; of columns, how many strips of them
  // are best written side by side.
  std::int64_t crowded_src;
  std::int64_t crowded_dst;
  // Whether crowded rows of what streams are best read as they are, by wider squares
  // where the kernel has them (strip.hpp).
  bool reads_crowded;
  // Whether what streams of several strips is best written column by column, where
  // the kernel can (strips_by_columns.hpp) and rows have one stride.
  bool stream_columns;
  // Where rows are best taken by squares that write whole lines of columns
  // (line_squares.hpp), how many bytes of each row at once: 128, 64 or 32; else 0.
  std::int64_t square_bytes;
  // In what order they are where registers hold such a line of all rows; but for
  // `blocks`, whatever square_bytes is.
  SquareOrder square_order;
  // Whether square_bytes hold where registers hold less, too: many columns share sets
  // of the L1 cache.
  bool squares_of_parts;
  // Where columns stream that do not begin at one place of a line each, whatever
  // dst is (misaligned.hpp): lines that begin in the tile's rows are written, with
  // what follows those rows in src; so many rows of each column come before and
  // after them. zeros == 0, and columns are longer than some lines.
  bool misaligned;
  std::int64_t rows_before;
  std::int64_t rows_after;
  // What the kernel's table_of says of such a tile; nullptr where it has none.
  const std::byte* table;

  [[nodiscard]] std::int64_t row_at(std::int64_t row) const {
    return row_offset != nullptr ? row_offset[row] : row * src_stride[0];
  }
  [[nodiscard]] std::int64_t column_at(std::int64_t column) const {
    return column_offset != nullptr ? column_offset[column]
                                    : column * dst_stride[1];
  }
};

enum class KernelKind : std::uint8_t {
  // count[0] runs of count[1] bytes, contiguous on both sides (stride 1), each
  // followed in dst by `zeros` bytes.
  copy,
  // As copy, with zeros instead of src, which is not read; zeros == 0.
  fill,
  // count[0] rows contiguous in dst (dst_stride[0] == width), count[1] columns
  // contiguous in src (src_stride[1] == width), then `zeros` rows of zeros.
  // Beside `grouped` the only kind that takes offsets of columns.
  transpose,
  // A transpose of 2 to 8 rows of less than 32 bytes together, or of 16 rows of
  // bytes, zeros included, that are dense in dst: dst_stride[1] == rows * width.
  interleave,
  // A transpose of 5 to 32 rows of at most `most_short` bytes together, that are
  // dense in dst: dst_stride[1] == rows * width; zeros == 0.
  short_columns,
  // A transpose of 1 to 4 rows, then zeros, that are dense in dst: columns of 16, 32
  // or 64 bytes.
  padded_columns,
  // A transpose of rows of 5 to 32 elements, of at most `most_short` bytes, that are
  // dense in src: src_stride[0] == columns * width; zeros == 0.
  short_rows,
  // A transpose of columns of less than 16 bytes together, dense in src but for
  // lanes that are not taken: src_stride[0] == 2 .. 8 times width; zeros == 0.
  deinterleave,
  // A transpose of rows and columns that are dense in dst, dst_stride[1] == (rows +
  // zeros) * width, of at most `most_short` bytes there and from the first to the last
  // one in src; their strides are positive. Offsets of rows may be no_row.
  permuted,
  // count[0] x count[1] elements, any strides; zeros == 0.
  strided,
  // count[0] elements that are dense in dst, of at least `most_short` bytes together,
  // from where row_offset tells; count[1] == 1 and zeros == 0. Vectors of dst are each
  // taken from a few lanes of src (gathered_lanes.hpp).
  gathered,
  // count[0] rows that are contiguous in dst, in src by groups of 4 bytes of a column
  // each and 16 or a multiple of them: row_offset begins with 0, and steps from group to
  // group by one pitch, and within all groups alike. At least one block of columns,
  // at offsets of their own in src and dst, no two elements at one place: of a group of
  // rows, what grouped_holds() says holds each block (grouped_blocks.hpp).
  grouped,
  // count[0] rows that are contiguous in dst, in src parts of groups of 4 bytes, which
  // count[1] columns, 16 or a multiple of them, have side by side: src_stride[1] == 4.
  // From row to row some groups' first parts are taken, then their second ones, ..., then
  // others': row_offset tells where. Of no row are its groups more than two lines hold
  // (grouped_blocks.hpp), nor those of all more than `most_groups` or less than a line.
  ungrouped,
  // A transpose of rows of which some are zeros: row_offset tells where each begins in
  // src, or no_row; zeros == 0.
  padded_rows,
};

// Of transposes without zeros and tables of columns, whose stride is in bytes: whether
// columns follow each other in dst and stream by whole lines though they are none
// (dense_columns.hpp). They are longer than half a line; of a block, as many as a line of
// a row holds, they are `most_dense` bytes at most: 511 rows.
constexpr std::int64_t most_dense = std::int64_t{32} << 10;
constexpr bool streams_dense(std::int64_t rows, std::int64_t columns,
                             std::int64_t column_stride,
                             std::int64_t element_bytes) {
  constexpr std::int64_t line = 64;
  const std::int64_t column = rows * element_bytes;
  return element_bytes < 16 && column_stride == column && column > line / 2 &&
         column % line != 0 && columns >= line / element_bytes &&
         rows * line <= most_dense;
}

// Of short_rows: shorter columns stream only where they follow each other in dst.
constexpr std::int64_t streamed_column_bytes = 256;

struct Kernel {
  KernelKind kind;
  std::int64_t element_bytes;
  Isa isa;
  void (*run)(const Tile&);
  // The same with stores that pass by the caches, or nullptr. Whoever calls it
  // ends with stream_fence() before the data is handed on.
  void (*stream)(const Tile&);
  // What run and stream of tiles with such counts of rows and columns, strides and
  // offsets need once for all of them; nullptr where they need nothing.
  std::vector<std::byte> (*table_of)(const Tile&);
  // Of short_columns, short_rows and permuted, the most bytes of one; of gathered, the
  // least; else 0.
  std::int64_t most_short;
  std::int64_t block_columns;  // of grouped; else 0
  std::string_view name;       // set in kernels(): "transpose.b32.avx2"
};

// Whether one that permutes bytes does so within lanes alone, or else across them, too.
inline bool permutes_lanes(const Kernel& kernel) {
  return kernel.isa != Isa::avx512_vbmi;
}

// Of permuted: the bytes of a vector, of which a tile takes four at most.
inline std::int64_t permuted_vector(const Kernel& kernel) {
  return kernel.most_short / 4;
}

// Every kernel that the machine and STRIDEWISE_ISA allow, the best of a kind and
// width first.
[[nodiscard]] std::span<const Kernel> kernels();

// The best kernel of that kind and width, of an instruction set up to `most`; nullptr
// when there is none.
[[nodiscard]] const Kernel* find_kernel(KernelKind kind,
                                        std::int64_t element_bytes,
                                        Isa most = Isa::avx512_vbmi);

// Orders streaming stores before all that follows.
void stream_fence();

}  // namespace stridewise
