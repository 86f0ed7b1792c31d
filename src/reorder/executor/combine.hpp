// Streaming stores by whole lines, wherever dst begins and however short its
// columns are: a block of columns is put together in the nearest cache, and what
// it leaves of its last line waits for the block that goes on there. Blocks are
// small, so that reading and writing memory overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "reorder/plan_data.hpp"

namespace stridewise::detail {

// How far after the beginning of a line that is.
[[nodiscard]] inline std::int64_t in_line(const std::byte* at) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % line);
}

// Writes runs to dst: whole lines stream, parts of lines go through the caches.
class LineWriter {
 public:
  explicit LineWriter(const Kernel& copy) : copy_(copy) {}

  // Pre: `from` is as far from a line as `to`, and what lies on its line before
  // it may be overwritten.
  void write(std::byte* from, std::byte* to, std::int64_t bytes);
  // Writes what waits.
  void finish();

 private:
  const Kernel& copy_;
  std::byte* begin_ = nullptr;        // where runs that follow each other began
  std::byte* end_ = nullptr;          // and end
  alignas(64) std::byte rest_[line];  // the line of end_, as far as it goes
};

// Does what the kernel's stream(tile) would. Pre: combine_of gave the nest's
// blocks, of which the tile holds whole ones but for the last.
void run_combined(const ScheduledNest& scheduled, const Tile& tile,
                  LineWriter& writer);

}  // namespace stridewise::detail
