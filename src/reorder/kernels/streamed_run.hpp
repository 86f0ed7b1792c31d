// A run of dst that is put together in the nearest cache by pieces that are no
// lines, from where whole lines stream. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "reorder/kernels/streaming.hpp"

namespace stridewise {
namespace {

// Bytes of a piece of a run that is put together apart.
constexpr std::int64_t most_staged = 8192;

// What streams to a run of dst piece by piece, each of at most `most` bytes
// (and up to a line that is written beyond it). Lines are written while what follows
// is put together.
template <class Vector>
class StreamedRun {
 public:
  explicit StreamedRun(std::int64_t most) : most_(most) {}

  void begin(std::byte* dst, std::int64_t /*bytes*/) {
    if (dst == dst_ + filled_) return;
    end();
    lead_ = (line - to_next_line(dst)) % line;
    dst_ = dst - lead_;
    filled_ = lead_;
  }
  [[nodiscard]] bool takes(std::int64_t bytes) const { return bytes <= most_; }
  std::byte* at(std::int64_t /*bytes*/) { return stage_ + filled_; }
  void advance(std::int64_t bytes) {
    write_lines();
    filled_ += bytes;
    if (filled_ <= line + most_) return;
    write_lines();
    std::memcpy(stage_, stage_ + written_, line);
    dst_ += written_;
    filled_ -= written_;
    written_ = 0;
  }
  void end() {
    write_lines();
    if (filled_ > std::max(written_, lead_)) write_part(filled_);
    dst_ = nullptr;
    filled_ = written_ = lead_ = 0;
  }

 private:
  void write_lines() {
    if (lead_ > 0 && filled_ >= line) {
      write_part(line);
      written_ = line;
      lead_ = 0;
    }
    for (; filled_ - written_ >= line; written_ += line) {
      stream_line<Vector>(dst_ + written_, stage_ + written_);
    }
  }
  void write_part(std::int64_t end) {
    const std::int64_t begin = std::max(written_, lead_);
    copy_part(dst_ + begin, stage_ + begin, end - begin);
  }

  std::int64_t most_;
  std::byte* dst_ = nullptr;  // the line of stage_
  std::int64_t lead_ = 0;     // bytes before the run in its first line
  std::int64_t written_ = 0;  // of the stage
  std::int64_t filled_ = 0;
  alignas(line) std::byte stage_[2 * line + 2 * most_staged];
};

}  // namespace
}  // namespace stridewise
