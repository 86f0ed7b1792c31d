// embARC MLI's tensor rules and data movement: required size of a strided
// tensor, permute by perm_dim, and the move with crop, padding and subsampling.
// Error messages begin with the vendor's status name.
// Source: embARC MLI 2.0 mli_check.cc, mli_krn_permute_ref.h, mli_mov_api.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stridewise/result.hpp"

namespace stridewise::mli {

inline constexpr std::size_t max_rank = 4;

// An mli_tensor: index 0 of shape and mem_stride is the slowest dim; strides in
// elements.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> mem_stride;
  std::int64_t element_bytes = 1;
  std::span<std::byte> data = {};  // its size is the capacity
};

// 1 + sum (shape[d] - 1) * mem_stride[d]: what a tensor needs, in elements.
// Errors: as check().
[[nodiscard]] Result<std::int64_t> required_elements(
    std::span<const std::int64_t> shape,
    std::span<const std::int64_t> mem_stride);

// The vendor's debug checks. BAD_TENSOR: rank over 4, a shape or stride that
// is not positive, mem_stride[d] < shape[d+1] * mem_stride[d+1].
// NOT_ENGH_MEM: the capacity is under the required size.
[[nodiscard]] Result<void> check(const Tensor& tensor);

// out.shape[k] == in.shape[perm_dim[k]], and so for the index. BAD_FUNC_CFG:
// perm_dim repeats or is out of range. Only the first rank entries are read.
[[nodiscard]] Result<std::vector<std::int64_t>> permuted_shape(
    std::span<const std::int64_t> shape,
    std::span<const std::int64_t> perm_dim);

// Writes in, permuted, into out; gaps of out stay as they are.
// SHAPE_MISMATCH: out is not of permuted_shape(). INCOMPATEBLE_TENSORS: the
// buffers overlap. TYPE_MISMATCH: the element widths differ.
[[nodiscard]] Result<void> permute(const Tensor& in,
                                   std::span<const std::int64_t> perm_dim,
                                   Tensor& out);

// In the order of application: padding by zeros, crop in the padded frame,
// subsample, permute (all of source dims), then where in dst (of dst's dims).
// Empty vectors: no padding, all, every element, no permutation, the start.
struct Move {
  std::vector<std::int64_t> pad_pre, pad_post;
  std::vector<std::int64_t> offset, size;  // size 0: all that remains
  std::vector<std::int64_t> subsample;
  std::vector<std::int64_t> perm_dim;
  std::vector<std::int64_t> dst_offset, dst_mem_stride;  // stride 0: dense
};

struct Moved {
  std::vector<std::int64_t> shape;  // written size + dst_offset
  std::vector<std::int64_t> mem_stride;
};

// The shape and strides that a move gives. Errors: as check(); offset + size
// beyond the padded source; a subsample that is not positive.
[[nodiscard]] Result<Moved> moved(const Tensor& in, const Move& move);

// Moves into dst, whose capacity must hold moved(); what is not written stays.
[[nodiscard]] Result<Moved> move_tensor(const Tensor& in, const Move& move,
                                        std::span<std::byte> dst);

}  // namespace stridewise::mli
