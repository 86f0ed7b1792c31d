// A layout's memory within bytes that hold less or more than it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "io/tensor.hpp"
#include "layout/index.hpp"
#include "stridewise/io.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// Of memory that is completed in a copy of its own.
constexpr std::int64_t most_bytes = std::int64_t{4} << 30;

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

// Of all tensors, those of which not all bits lie in [first, end): asked one by one.
std::int64_t elements_not_within(const Layout& layout, std::int64_t first,
                                 std::int64_t end) {
  std::int64_t count = 0;
  for (const Tensor& tensor : layout.tensors()) {
    const Layout part = *layout.part(tensor.name);
    const std::int64_t step = tensor.bitwise ? 1 : tensor.element_bits - 1;
    for (std::int64_t e = 0; e < tensor.elements; ++e) {
      const std::vector<std::int64_t> index = index_of(tensor.shape, e);
      bool within = true;
      for (std::int64_t b = 0; b < tensor.element_bits;
           b += std::max<std::int64_t>(step, 1)) {
        const std::int64_t bit = part.bit_of(index, b);
        within = within && bit >= first && bit < end;
      }
      count += within ? 0 : 1;
    }
  }
  return count;
}

Result<MemoryWindow> window_of(std::span<const std::byte> bytes,
                               const Layout& layout, std::int64_t start_byte) {
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
  if (size == 0) return MemoryWindow{bytes.first(0)};
  const std::int64_t skip = std::max<std::int64_t>(-start_byte, 0);
  const std::int64_t start = std::max<std::int64_t>(start_byte, 0);
  const std::int64_t count = std::min(has - skip, size - start);
  if (start == 0 && count == size) {
    return MemoryWindow{bytes.subspan(static_cast<std::size_t>(skip),
                                      static_cast<std::size_t>(size))};
  }
  if (size > most_bytes) {
    return fail(ErrorCode::unsupported,
                fmt::format("the file has {} of the layout's {} bytes: what is "
                            "missing is filled in up to {} bytes",
                            count, size, most_bytes));
  }
  // An element of which only a part is there is none.
  const bool plain =
      layout.plain() && layout.valid() && layout.element_bits() % 8 == 0;
  const std::int64_t width = plain ? layout.element_bytes() : 1;
  const std::int64_t first = ceil_div(start, width);
  const std::int64_t end = std::max(first, (start + count) / width);
  MemoryWindow window;
  window.missing_elements =
      plain ? elements_outside(layout, first, end)
            : elements_not_within(layout, 8 * first, 8 * end);
  if (window.missing_elements == layout.elements()) {
    return fail(ErrorCode::mismatch,
                fmt::format("no element of {} of {} is in the file",
                            print(layout.expression()), print(layout.shape())));
  }
  window.filled = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(size));
  const std::span<std::byte> all(window.filled.get(),
                                 static_cast<std::size_t>(size));
  const auto before = static_cast<std::size_t>(std::min(first * width, size));
  const auto here = static_cast<std::size_t>((end - first) * width);
  std::ranges::fill(all.first(before), std::byte{0});
  std::ranges::copy(
      bytes.subspan(static_cast<std::size_t>(skip + (first * width - start)),
                    here),
      all.subspan(before).begin());
  std::ranges::fill(all.subspan(before + here), std::byte{0});
  window.bytes = all;
  return window;
}

}  // namespace

Result<MemoryWindow> memory_window(const TensorFile& file, const Layout& layout,
                                   std::optional<std::int64_t> start_byte) {
  if (!start_byte) return MemoryWindow{file.data()};
  if (file.npy && file.npy->shape.size() > 1) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("{}: --skip and --start are of bare memory: raw "
                    "bytes or an array of one dim; this one has {}",
                    file.path.string(), print_extents(file.npy->shape)));
  }
  Result<MemoryWindow> window = window_of(file.data(), layout, *start_byte);
  if (!window) {
    window.error().message = file.path.string() + ": " + window.error().message;
  }
  return window;
}

}  // namespace stridewise
