// What a kernel is: a function over one two-dimensional tile of bytes. Kernels
// know element widths and strides; never layouts, vendors or dtypes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reorder/kernels/isa.hpp"

namespace stridewise {

// All strides in bytes; counts in elements of the kernel's width (in bytes for
// kernels of runs, whose width is 1).
struct Tile {
  const std::byte* src;
  std::byte* dst;
  std::array<std::int64_t, 2> count;
  std::array<std::int64_t, 2> src_stride;
  std::array<std::int64_t, 2> dst_stride;
  // Zeros that follow the elements in dst: rows of a transpose, bytes of a run.
  std::int64_t zeros;
  // Where each row of a transpose begins in src, for rows that no one stride
  // takes apart; nullptr: at multiples of src_stride[0].
  const std::int64_t* row_offset;

  [[nodiscard]] std::int64_t row_at(std::int64_t row) const {
    return row_offset != nullptr ? row_offset[row] : row * src_stride[0];
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
  transpose,
  // A transpose of at most 8 rows, zeros included, that are dense in dst:
  // dst_stride[1] == rows * width.
  interleave,
  // A transpose of at most 8 columns, dense in src but for lanes that are not
  // taken: src_stride[0] <= 8 * width, a multiple of width; zeros == 0.
  deinterleave,
  // count[0] x count[1] elements, any strides; zeros == 0.
  strided,
};

struct Kernel {
  std::string_view name;
  KernelKind kind;
  std::int64_t element_bytes;
  Isa isa;
  void (*run)(const Tile&);
  // The same with stores that pass by the caches, or nullptr. Whoever calls it
  // ends with stream_fence() before the data is handed on.
  void (*stream)(const Tile&);
};

// Every kernel that the machine and STRIDEWISE_ISA allow, the best of a kind and
// width first.
[[nodiscard]] std::span<const Kernel> kernels();

// The best kernel of that kind and width; nullptr when there is none.
[[nodiscard]] const Kernel* find_kernel(KernelKind kind,
                                        std::int64_t element_bytes);

// Orders streaming stores before all that follows.
void stream_fence();

}  // namespace stridewise
