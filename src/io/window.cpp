// A layout's memory within bytes that hold less or more than it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "stridewise/io.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// What may be filled with zeros.
constexpr std::int64_t most_missing_bytes = std::int64_t{1} << 30;

// How many elements have their place in [first, end).
std::int64_t elements_within(const Layout& layout, std::int64_t first,
                             std::int64_t end) {
  std::vector<std::int64_t> index(layout.shape().size());
  std::int64_t count = 0;
  for (std::int64_t place = first; place < end; ++place) {
    count += layout.element_at(place, index) == Place::element ? 1 : 0;
  }
  return count;
}

// How many have it elsewhere, from whichever part is smaller.
std::int64_t elements_outside(const Layout& layout, std::int64_t first,
                              std::int64_t end) {
  if (end - first < layout.places() / 2) {
    return layout.elements() - elements_within(layout, first, end);
  }
  return elements_within(layout, 0, first) +
         elements_within(layout, end, layout.places());
}

}  // namespace

Result<MemoryWindow> memory_window(std::span<const std::byte> bytes,
                                   const Layout& layout,
                                   std::int64_t start_byte) {
  const auto has = static_cast<std::int64_t>(bytes.size());
  const std::int64_t size = layout.size_bytes();
  const std::int64_t skipped = start_byte < 0 ? -(start_byte + 1) : -1;
  if (start_byte < 0 ? skipped >= has : start_byte >= size && size > 0) {
    return fail(ErrorCode::mismatch,
                start_byte < 0
                    ? fmt::format("the file has {} bytes: none is left "
                                  "after those before the layout's memory",
                                  has)
                    : fmt::format("the layout takes {} bytes: a file that "
                                  "begins with byte {} has none of them",
                                  size, start_byte));
  }
  const std::int64_t skip = std::max<std::int64_t>(-start_byte, 0);
  const std::int64_t start = std::max<std::int64_t>(start_byte, 0);
  const std::int64_t count = std::min(has - skip, size - start);
  if (start == 0 && count == size) {
    return MemoryWindow{bytes.subspan(static_cast<std::size_t>(skip),
                                      static_cast<std::size_t>(size))};
  }
  if (size - count > most_missing_bytes) {
    return fail(ErrorCode::unsupported,
                fmt::format("the file has {} of the layout's {} bytes: too "
                            "many are missing to go on without them",
                            count, size));
  }
  // An element of which only a part is there is none.
  const std::int64_t width = layout.element_bytes();
  const std::int64_t first = ceil_div(start, width);
  const std::int64_t end = std::max(first, (start + count) / width);
  MemoryWindow window;
  window.filled = std::make_unique<std::byte[]>(static_cast<std::size_t>(size));
  if (first < end) {
    std::memcpy(window.filled.get() + first * width,
                bytes.data() + skip + (first * width - start),
                static_cast<std::size_t>((end - first) * width));
  }
  window.bytes = {window.filled.get(), static_cast<std::size_t>(size)};
  window.missing_elements = elements_outside(layout, first, end);
  if (window.missing_elements == layout.elements()) {
    return fail(ErrorCode::mismatch,
                fmt::format("no element of {} of {} is in the file",
                            print(layout.expression()), print(layout.shape())));
  }
  return window;
}

}  // namespace stridewise
