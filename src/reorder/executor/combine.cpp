// SPDX-License-Identifier: Apache-2.0
#include "reorder/executor/combine.hpp"

#include <algorithm>
#include <cstring>

#include "reorder/kernels/planes.hpp"

namespace stridewise::detail {
namespace {

void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

// The rows and columns of a tile.
void run_plane(const ScheduledNest& scheduled, const Tile& tile,
               LineWriter& writer) {
  constexpr std::int64_t ahead = 16 << 10;  // bytes that prefetches run ahead
  const Combine& combine = scheduled.combine;
  // A store across the end of a page takes 40 times as long beside those that stream:
  // most blocks are no longer than a page, and have none.
  alignas(4096) std::byte stage[most_combined + 2 * line];
  const std::int64_t unit = scheduled.kernel->element_bytes;
  const std::int64_t count = tile.count[1];
  const std::int64_t column = (tile.count[0] + tile.zeros) * unit;
  const std::int64_t row_bytes = combine.columns * unit;
  const std::int64_t ahead_in_row =
      std::max(ahead / (tile.count[0] * row_bytes), std::int64_t{1}) *
      row_bytes;
  Tile block = plane_of(tile);
  block.crowded_dst = 0;
  block.rows_go_on = true;
  block.dst_stride[1] = column;
  block.column_offset =
      combine.offsets.empty() ? nullptr : combine.offsets.data();
  for (std::int64_t first = 0; first < count; first += combine.columns) {
    std::byte* const to = tile.dst + tile.column_at(first);
    std::byte* const from = stage + in_line(to);
    block.src = tile.src + first * unit;
    block.dst = from;
    block.count[1] = std::min(combine.columns, count - first);
    const std::int64_t left_in_row = (count - first) * unit;
    block.next_src = ahead_in_row < left_in_row
                         ? ahead_in_row
                         : tile.next_src + ahead_in_row - count * unit;
    scheduled.kernel->run(block);
    std::int64_t left = block.count[1] * column;
    for (const Combine::Run& run : combine.runs) {
      if (left == 0) break;
      const std::int64_t bytes = std::min(run.bytes, left);
      writer.write(from + run.stage, to + run.dst, bytes);
      left -= bytes;
    }
  }
}

}  // namespace

void LineWriter::write(std::byte* from, std::byte* to, std::int64_t bytes) {
  const std::int64_t head = in_line(to);
  if (to != end_) {
    finish();
    begin_ = to;
  } else {
    copy_bytes(from - head, rest_, head);
  }
  end_ = to + bytes;
  if (head + bytes >= line) {
    from -= head;
    to -= head;
    if (to < begin_) {
      copy_bytes(begin_, from + (begin_ - to), line - (begin_ - to));
      from += line;
      to += line;
    }
    const std::int64_t whole = (end_ - to) / line * line;
    if (whole > 0) {
      Tile run{};
      run.src = from;
      run.src_end = from + whole;
      run.dst = to;
      run.count = {1, whole, 1, 1};
      copy_.stream(run);
    }
    copy_bytes(rest_, from + whole, in_line(end_));
  } else {
    copy_bytes(rest_, from - head, head + bytes);
  }
}

void LineWriter::finish() {
  const std::int64_t rest = in_line(end_);
  const std::int64_t own = std::min<std::int64_t>(rest, end_ - begin_);
  if (own > 0) copy_bytes(end_ - own, rest_ + rest - own, own);
  begin_ = end_ = nullptr;
}

void run_combined(const ScheduledNest& scheduled, const Tile& tile,
                  LineWriter& writer) {
  each_plane(tile,
             [&](const Tile& plane) { run_plane(scheduled, plane, writer); });
}

}  // namespace stridewise::detail
