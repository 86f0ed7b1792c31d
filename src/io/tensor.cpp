// SPDX-License-Identifier: Apache-2.0
#include "io/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace stridewise {

namespace fs = std::filesystem;

std::string print_extents(std::span<const std::int64_t> extents) {
  return extents.empty() ? "no dims"
                         : fmt::format("{}", fmt::join(extents, "x"));
}

std::span<const std::byte> TensorFile::data() const {
  const std::byte* const begin = memory ? memory.get() : file.bytes().data();
  return {begin + data_offset, static_cast<std::size_t>(data_bytes)};
}

Result<TensorFile> open_tensor(const fs::path& path) {
  if (const ContainerPath place = split_container_path(path.native());
      is_container(place.file)) {
    return open_contained(path, place);
  }
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return unexpected(file.error());
  TensorFile tensor;
  tensor.path = path;
  tensor.file = *std::move(file);
  tensor.data_bytes = static_cast<std::int64_t>(tensor.file.bytes().size());
  if (!is_npy(path)) return tensor;
  Result<NpyHeader> header = parse_npy_header(tensor.file.bytes());
  if (!header) {
    header.error().message = path.string() + ": " + header.error().message;
    return unexpected(header.error());
  }
  tensor.npy = *std::move(header);
  tensor.data_offset = tensor.npy->data_offset;
  tensor.data_bytes -= tensor.data_offset;
  const auto has = static_cast<std::int64_t>(tensor.data().size());
  if (has != tensor.npy->data_bytes) {
    return fail(ErrorCode::io,
                fmt::format("{}: the header promises {} bytes of data, the "
                            "file has {}",
                            path.string(), tensor.npy->data_bytes, has));
  }
  return tensor;
}

Result<ElementType> type_of(const TensorFile& file,
                            const std::optional<ElementType>& asked) {
  if (!file.npy) {
    if (asked) return *asked;
    return fail(ErrorCode::mismatch,
                file.path.string() + ": a raw file needs --dtype");
  }
  const NpyHeader& npy = *file.npy;
  if (!asked) {
    if (npy.type) return *npy.type;
    return fail(ErrorCode::mismatch,
                fmt::format("{}: elements of {} opaque bytes; say with --dtype "
                            "what they are",
                            file.path.string(), npy.element_bytes));
  }
  // What arrays have no name for they hold as integers.
  const ElementType stored = array_type(*asked);
  const bool unnamed = asked->kind == ElementKind::brain_floating ||
                       asked->kind == ElementKind::small_floating ||
                       stored.bits != asked->bits;
  const bool reinterprets = !npy.type || (unnamed && npy.type->is_integer());
  const bool fits = stored.bytes() == npy.element_bytes &&
                    (reinterprets || *asked == *npy.type);
  if (fits) return *asked;
  return fail(
      ErrorCode::mismatch,
      fmt::format("{}: holds {} ({} bytes each), not {} ({} bytes)",
                  file.path.string(), npy.type ? npy.type->name : "opaque data",
                  npy.element_bytes, asked->name, stored.bytes()));
}

}  // namespace stridewise
