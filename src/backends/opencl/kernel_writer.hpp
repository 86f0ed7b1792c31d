// The text of a reorder's kernel, beside the emitted arithmetic of both layouts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "stridewise/opencl.hpp"

namespace stridewise::opencl {

struct KernelParts {
  const Side& src;
  const Side& dst;
  const KernelOptions& options;
  std::int32_t bits;      // of the integers
  std::int64_t src_unit;  // bits of a step of the offsets of src's code
  std::int64_t dst_unit;
  // Walks the elements, rather than places or pixels: of buffers.
  bool by_element;
};

// The kernel `reorder`. It calls src_offset or src_coordinates, src_index, and those of
// dst.
[[nodiscard]] std::string write_kernel(const KernelParts& parts);

}  // namespace stridewise::opencl
