// Some columns that stream by whole lines wherever in a line each of them begins.
// Included as transpose.hpp is.
//
// A line's worth of each column is put together in the nearest cache at once, and
// some lines of one column are written after those of another, while what comes
// next is put together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "reorder/kernels/streaming.hpp"

namespace stridewise {
namespace {

// At most `most` columns, `some` lines of each at once.
template <class Vector, std::int64_t most, std::int64_t some>
struct ColumnLines {
  // How far apart columns are put together.
  static constexpr std::int64_t stage_pitch = (1 + some) * line;

  // Writes so many lines' worth of each of the first `columns` columns, of which
  // make(to) puts the next one of all of them at `to`. Pre: lines > 0.
  template <class Make>
  [[gnu::always_inline]] static void write(std::byte* dst, std::int64_t pitch,
                                           std::int64_t columns,
                                           std::int64_t lines, Make make) {
    // Of each column the last line of those before, and then new ones.
    alignas(line) std::byte stage[2][most][stage_pitch];
    // The line that begins with line k of a group of them, or before it.
    const auto write_line = [&](std::int64_t group, std::int64_t j,
                                std::int64_t k) {
      if (j >= columns) return;
      const std::byte* const from = stage[group % 2][j] + k * line;
      std::byte* const to = dst + j * pitch + (group * some + k - 1) * line;
      const std::int64_t lead = to_next_line(to);
      if (group == 0 && k == 0 && lead > 0) {
        return copy_part(to + line, from + line, lead);
      }
      stream_line<Vector>(to + (lead > 0 ? lead : line),
                          from + (lead > 0 ? lead : line));
    };
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int64_t group = i / some, k = i % some;
      auto& now = stage[group % 2];
      make(now[0] + (1 + k) * line);
      if (group == 0) continue;
#pragma GCC unroll 8
      for (std::int64_t q = 0; q < most; ++q) {
        write_line(group - 1, (k * most + q) / some, (k * most + q) % some);
      }
      if (k > 0) continue;
      for (std::int64_t j = 0; j < most; ++j) {
        std::memcpy(now[j], stage[1 - group % 2][j] + some * line, line);
      }
    }
    // What is left of the lines before the last ones, and these.
    const std::int64_t last = (lines - 1) / some;
    const std::int64_t left = lines - last * some;
    for (std::int64_t q = left * most; last > 0 && q < some * most; ++q) {
      write_line(last - 1, q / some, q % some);
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t k = 0; k < left; ++k) write_line(last, j, k);
      std::byte* const to = dst + j * pitch + (lines - 1) * line;
      const std::int64_t lead = to_next_line(to);
      if (lead == 0) continue;
      copy_part(to + lead, stage[last % 2][j] + left * line + lead,
                line - lead);
    }
  }
};

}  // namespace
}  // namespace stridewise
