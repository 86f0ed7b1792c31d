// What streaming stores like: whole lines, and pages that are known before.
//
// They wait where they come to another page of dst until its address is found.
// To ask for a line of the page that follows, while one is written, hides that:
// on Zen 4 conversions of 256 MiB by pages of 4 KiB take 0.87 of the time (geometric
// mean of 57). On Granite Rapids they take 1.06 times as long so; there it is src, read
// in order, that is asked for, which takes 0.98. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reorder/kernels/isa.hpp"

namespace stridewise {
namespace {

constexpr std::int64_t line = 64;
constexpr std::uintptr_t page_bytes = 4096;

[[gnu::always_inline]] inline std::int64_t to_next_line(const std::byte* at) {
  return -reinterpret_cast<std::intptr_t>(at) & (line - 1);
}

// Asks for the lines of so many bytes of src, which are read soon: past the L1 cache,
// which would not keep them until then.
template <std::int64_t bytes>
[[gnu::always_inline]] inline void ask_for(const std::byte* from) {
#pragma GCC unroll 8
  for (std::int64_t at = 0; at < bytes; at += line) {
    __builtin_prefetch(from + at, 0, 2);
  }
}

// The same of so many bytes that are known only then.
[[gnu::always_inline]] inline void ask_for(const std::byte* from,
                                           std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += line) ask_for<line>(from + at);
}

// The same of so many short rows, at least two, a line each; of those that follow each
// other as the first two do, once. To look at each row takes longer than it gains.
template <class Rows>
[[gnu::always_inline]] inline void ask_for_rows(Rows rows, std::int64_t count) {
  const std::int64_t pitch = std::abs(rows.row(1) - rows.row(0));
  const std::int64_t step =
      pitch == 0 ? count : std::clamp<std::int64_t>(line / pitch, 1, count);
  for (std::int64_t i = 0; i < count; i += step) ask_for<line>(rows.row(i));
}

// Asks for what follows `bytes` of one of so many rows that are read in order.
[[gnu::always_inline]] inline void ask_in_order(const std::byte* from,
                                                std::int64_t bytes,
                                                std::int64_t rows = 1) {
  if (in_order_ahead != 0) ask_for(from + in_order_ahead / rows, bytes);
}

template <class Vector, bool streams>
[[gnu::always_inline]] inline void store_or_stream(std::byte* dst,
                                                   typename Vector::type v) {
  if constexpr (streams) {
    Vector::stream(dst, v);
  } else {
    Vector::store(dst, v);
  }
}

// A run is written piece by piece; the next piece is `bytes` at `to`.
[[gnu::always_inline]] inline void ask_page_after(const std::byte* to,
                                                  std::int64_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(to) % page_bytes <
          static_cast<std::uintptr_t>(bytes) &&
      asks_for_pages) {
    __builtin_prefetch(to + page_bytes, 0, 0);
  }
}

// A line that streams.
template <class Vector>
[[gnu::always_inline]] inline void stream_line(std::byte* dst,
                                               const std::byte* src) {
  constexpr std::int64_t vector_bytes = 16 * Vector::lanes;
  ask_page_after(dst, line);
#pragma GCC unroll 4
  for (std::int64_t at = 0; at < line; at += vector_bytes) {
    Vector::stream(dst + at, Vector::load(src + at));
  }
}

// Part of a line, which does not stream.
inline void copy_part(std::byte* dst, const std::byte* src,
                      std::int64_t bytes) {
  std::memcpy(dst, src, static_cast<std::size_t>(bytes));
}

// What ask_page_after does for columns, so many at once. Where they lie far apart,
// what follows each of their pages is not written soon: nothing is asked for.
template <std::int64_t columns>
class PagesOfColumns {
 public:
  explicit PagesOfColumns(const std::byte* first) : last_(address(first) - 1) {}

  // The next columns begin at `to`.
  [[gnu::always_inline]] void reach(const std::byte* to) {
    const std::uintptr_t now = address(to);
    if (asks_for_pages && now - last_ <= columns * page_bytes) {
      for (std::uintptr_t page = (last_ | (page_bytes - 1)) + 1; page <= now;
           page += page_bytes) {
        const auto back = static_cast<std::ptrdiff_t>(now - page);
        __builtin_prefetch(to - back + page_bytes, 0, 0);
      }
    }
    last_ = now;
  }

 private:
  static std::uintptr_t address(const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at);
  }
  std::uintptr_t last_;
};

}  // namespace
}  // namespace stridewise
