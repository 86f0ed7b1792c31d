// Which lines of src transposes ask for while they write squares: as many as those
// read, each once. By turns one line of some rows; or in bursts some lines of a row, where
// the machine reads ahead in few pages at once (isa.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "reorder/kernels/streaming.hpp"

namespace stridewise {
namespace {

// `lines` lines of each of `rows` rows from `row` on, from so many bytes of each on.
struct AskedLines {
  std::int64_t row;
  std::int64_t rows;
  std::int64_t byte;
  std::int64_t lines;
};

constexpr std::int64_t burst_lines = 4;  // at most

// What the `turn`th square of so many rows asks for that takes `row_bytes` of each.
// Pre: rows and row_bytes are powers of two.
constexpr AskedLines asked_lines(std::int64_t rows, std::int64_t row_bytes,
                                 std::int64_t turn, bool bursts) {
  const std::int64_t some = std::max<std::int64_t>(rows * row_bytes / line, 1);
  if (!bursts) return {turn * some % rows, some, turn * row_bytes, 1};
  const std::int64_t lines = std::min(some, burst_lines);
  const std::int64_t at = turn * (some / lines);  // bursts before
  return {at % rows, some / lines, at / rows * lines * line, lines};
}

// Of rows that are longer than some bursts. Squares of a line or less have none.
constexpr std::int64_t least_burst_row = 1024;  // bytes
constexpr bool by_bursts(std::int64_t rows, std::int64_t row_bytes,
                         std::int64_t all_bytes) {
  return rows * row_bytes > line && all_bytes >= least_burst_row;
}

}  // namespace
}  // namespace stridewise
