// One tensor of a container, as every command reads it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "io/tensor.hpp"

namespace stridewise {

namespace fs = std::filesystem;

namespace {

// The dims of an array of which only the number is known, as a shape.
std::string positional(std::span<const std::int64_t> extents) {
  std::string text;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    text += fmt::format("{}d{}={}", d == 0 ? "" : ",", d, extents[d]);
  }
  return text;
}

// What the directory of a container tells, as the header of an array; of elements that are
// no whole bytes, as a layout.
void describe(const ContainedTensor& tensor, TensorFile& file) {
  file.told = {tensor.layout, tensor.logical_shape, tensor.logical_type};
  if (tensor.element_bytes > 0) {
    file.npy = NpyHeader{.type = tensor.type,
                         .element_bytes = tensor.element_bytes,
                         .big_endian = tensor.big_endian,
                         .fortran_order = tensor.fortran_order,
                         .shape = tensor.shape,
                         .data_offset = tensor.offset,
                         .data_bytes = tensor.bytes};
    return;
  }
  if (tensor.type && file.told.dtype.empty()) {
    file.told.dtype = tensor.type->name;
  }
  if (!file.told.layout.empty() || !tensor.type) return;
  file.told.shape = positional(tensor.shape);
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    file.told.layout += fmt::format("{}d{}", d == 0 ? "" : " ", d);
  }
}

}  // namespace

Result<TensorFile> open_contained(const fs::path& path,
                                  const ContainerPath& place) {
  const Result<Container> container = Container::open(place.file);
  if (!container) return unexpected(container.error());
  const std::span<const ContainedTensor> all = container->tensors();
  if (!place.name && all.size() != 1) {
    return fail(ErrorCode::mismatch,
                fmt::format("{0}: holds {1} tensors; name one, as in {0}:{2} "
                            "('stridewise ls {0}' lists them)",
                            path.string(), all.size(),
                            all.empty() ? "NAME" : all.front().name));
  }
  const std::string& name = place.name ? *place.name : all.front().name;
  const Result<const ContainedTensor*> tensor = container->find(name);
  if (!tensor) return unexpected(tensor.error());
  Result<LoadedTensor> loaded = container->load(name);
  if (!loaded) return unexpected(loaded.error());
  TensorFile file;
  file.path = path;
  file.data_bytes = static_cast<std::int64_t>(loaded->bytes.size());
  describe(**tensor, file);
  if (loaded->file) file.file = *std::move(loaded->file);
  file.memory = std::move(loaded->inflated);
  const std::byte* const begin =
      file.memory ? file.memory.get() : file.file.bytes().data();
  file.data_offset = loaded->bytes.data() - begin;
  return file;
}

}  // namespace stridewise
