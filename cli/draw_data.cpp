// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "draw_parts.hpp"
#include "dump_files.hpp"

namespace stridewise::cli {
namespace {

// A file's array in Fortran order, as the layout's memory has it: C order.
std::vector<std::byte> c_order(std::span<const std::byte> bytes,
                               const NpyHeader& header) {
  std::vector<std::byte> result(bytes.size());
  const auto width = static_cast<std::size_t>(header.element_bytes);
  std::vector<std::int64_t> index(header.shape.size(), 0);
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::int64_t from = 0;
    for (std::size_t d = header.shape.size(); d-- > 0;) {
      from = from * header.shape[d] + index[d];
    }
    std::memcpy(result.data() + at,
                bytes.data() + static_cast<std::size_t>(from) * width, width);
    for (std::size_t d = header.shape.size(); d-- > 0;) {
      if (++index[d] < header.shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

DrawFile read_draw_data(const std::string& path, ElementType& type,
                        bool type_given) {
  DrawFile data{.file = open_dump(path),
                .reordered = {},
                .view = {.type = type, .bytes = {}}};
  const TensorFile& file = data.file;
  std::optional<ElementType> asked;
  if (type_given || !file.npy) asked = type;
  data.view.type = type = value_of(type_of(file, asked));
  data.view.bytes = file.data();
  if (!file.npy) return data;
  data.view.big_endian = file.npy->big_endian;
  if (file.npy->fortran_order) {
    data.reordered = c_order(data.view.bytes, *file.npy);
    data.view.bytes = data.reordered;
  }
  return data;
}

}  // namespace stridewise::cli
