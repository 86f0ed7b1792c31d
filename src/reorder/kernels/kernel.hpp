// What a kernel is: a function over one two-dimensional tile of bytes. Kernels
// know element widths and strides; never layouts, vendors or dtypes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace stridewise {

// All strides in bytes; counts in elements of the kernel's width (in bytes for
// `bytes`-wide kernels, whose width is 1).
struct Tile {
  const std::byte* src;
  std::byte* dst;
  std::array<std::int64_t, 2> count;
  std::array<std::int64_t, 2> src_stride;
  std::array<std::int64_t, 2> dst_stride;
};

enum class KernelKind : std::uint8_t {
  // count[0] runs of count[1] bytes, contiguous on both sides (stride 1).
  copy,
  // As copy, with zeros instead of src, which is not read.
  fill,
  // count[0] rows contiguous in dst (dst_stride[0] == width), count[1] columns
  // contiguous in src (src_stride[1] == width).
  transpose,
  // count[0] x count[1] elements, any strides.
  strided,
};

struct Kernel {
  std::string_view name;
  KernelKind kind;
  std::int64_t element_bytes;
  void (*run)(const Tile&);
};

// Every kernel, the best of a kind and width first.
[[nodiscard]] std::span<const Kernel> kernels();

// The best kernel of that kind and width; nullptr when there is none.
[[nodiscard]] const Kernel* find_kernel(KernelKind kind,
                                        std::int64_t element_bytes);

}  // namespace stridewise
