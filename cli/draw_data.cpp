// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "draw_parts.hpp"

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
  DrawFile data{.file = value_of(MappedFile::open(path)),
                .reordered = {},
                .view = {.type = type, .bytes = {}}};
  data.view.bytes = data.file->bytes();
  if (!path.ends_with(".npy")) return data;
  const NpyHeader header = value_of(parse_npy_header(data.view.bytes));
  const auto begin = static_cast<std::size_t>(header.data_offset);
  const auto size = static_cast<std::size_t>(header.data_bytes);
  if (data.view.bytes.size() < begin + size) {
    throw Failure{
        {ErrorCode::io, fmt::format("{}: truncated: {} bytes of data, "
                                    "the header says {}",
                                    path,
                                    data.view.bytes.size() -
                                        std::min(begin, data.view.bytes.size()),
                                    size)}};
  }
  data.view.bytes = data.view.bytes.subspan(begin, size);
  data.view.big_endian = header.big_endian;
  if (type_given && type.bytes() != header.element_bytes) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} holds elements of {} bytes, {} has {}", path,
                               header.element_bytes, type.name, type.bytes())}};
  }
  if (!type_given && header.type) type = *header.type;
  data.view.type = type;
  if (header.fortran_order) {
    data.reordered = c_order(data.view.bytes, header);
    data.view.bytes = data.reordered;
  }
  return data;
}

}  // namespace stridewise::cli
