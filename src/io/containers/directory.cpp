// SPDX-License-Identifier: Apache-2.0
#include "io/containers/directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/utf8.hpp"

namespace stridewise {

std::string shown(std::string_view text) {
  constexpr std::size_t columns = 120;
  // Four bytes are the most that a character takes.
  const bool whole = text.size() <= 4 * columns;
  const std::string readable = printable(text.substr(0, 4 * columns));
  const std::string_view begin = first_columns(readable, columns);
  return fmt::format("{}{}", begin,
                     whole && begin.size() == readable.size() ? "" : "...");
}

std::string quoted_name(std::string_view name) {
  return fmt::format("'{}'", shown(name));
}

Result<void> index_names(Directory& directory) {
  const std::vector<ContainedTensor>& tensors = directory.tensors;
  std::vector<std::size_t>& order = directory.by_name;
  order.resize(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) {
    return std::string_view(tensors[k].name);
  });
  const auto twin = std::ranges::adjacent_find(order, {}, [&](std::size_t k) {
    return std::string_view(tensors[k].name);
  });
  if (twin == order.end()) return {};
  return fail(ErrorCode::io, fmt::format("the tensor {} comes twice",
                                         quoted_name(tensors[*twin].name)));
}

std::size_t position_of(std::string_view name,
                        std::span<const ContainedTensor> tensors,
                        std::span<const std::size_t> by_name) {
  const auto found = std::ranges::lower_bound(
      by_name, name, {},
      [&](std::size_t k) { return std::string_view(tensors[k].name); });
  const bool exact = found != by_name.end() && tensors[*found].name == name;
  return exact ? *found : tensors.size();
}

Checked bits_of_array(std::span<const std::int64_t> shape,
                      std::int64_t element_bits) {
  Checked bits = element_bits;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    empty = empty || extent == 0;
    bits = mul(bits, std::max<std::int64_t>(extent, 1));
  }
  return bits && empty ? Checked(0) : bits;
}

}  // namespace stridewise
