// What pieces make of their tensors: the dims that each has itself, and whether its
// slices cover it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout/data.hpp"
#include "stridewise/result.hpp"

namespace stridewise::detail {

// Fills the rest of data.tensors, data.none and the own dims of the pieces' variables.
// Pre: pieces and inverses are set. Errors: slices of one tensor that overlap or leave
// elements out; parts of one that know a dim to different grains.
[[nodiscard]] Result<void> finish_tensors(LayoutData& data);

// Whether the slices of the tensor's pieces hold each element once. Error: an element
// that none or two of them hold.
[[nodiscard]] Result<void> check_slices(const LayoutData& data,
                                        const TensorData& tensor);

// Why the tensor is not valid, if it is not.
[[nodiscard]] std::optional<Error> find_defect(const LayoutData& data,
                                               const TensorData& tensor);

// Why what lies at a place cannot be told, if it cannot.
[[nodiscard]] std::optional<Error> find_unfindable(const LayoutData& data);

}  // namespace stridewise::detail
