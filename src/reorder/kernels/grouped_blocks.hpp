// The blocks of columns that grouped rows are moved by (grouped.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stridewise {
// Local to what includes it: kernels compile it with their own flags.
namespace {

constexpr std::int64_t grouped_line =
    64;  // bytes that are read and written at once
constexpr std::int64_t group_bytes = 4;     // of a column, the rows of a group
constexpr std::size_t grouped_columns = 8;  // of a block

// take(the first column) for each block; the last one begins early enough to be whole.
// Pre: there is one at least.
template <class T, class Take>
void each_grouped(std::span<T> columns, Take take) {
  for (std::size_t k = 0; k < columns.size(); k += grouped_columns) {
    take(std::min(k, columns.size() - grouped_columns));
  }
}

}  // namespace
}  // namespace stridewise
