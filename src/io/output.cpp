// SPDX-License-Identifier: Apache-2.0
#include "io/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/checked.hpp"
#include "io/input.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// The type and dims of what is written, as an array.
NpyHeader array_of(const ConvertOptions& options, const Side& dst) {
  NpyHeader array;
  if (holds_elements(options.to, dst)) {
    array.type = dst.stored;
    array.shape = array_shape(dst.memory);
  } else {
    array.type = *parse_element_type("u8");
    array.shape = {dst.memory.size_bytes()};
  }
  array.element_bytes = array.type->bytes();
  return array;
}

// The tensor as a .safetensors file has it, which knows no codes of less than a byte each.
SafetensorsTensor stored_tensor(const std::string& name, const NpyHeader& array,
                                const Side& dst) {
  SafetensorsTensor tensor{
      .name = name, .type = *array.type, .shape = array.shape};
  const Result<ElementType> natural = parse_element_type(tensor.type.name);
  if (natural && natural->bits != tensor.type.bits) {
    const bool is_signed = tensor.type.kind == ElementKind::signed_integer;
    tensor.logical_type = tensor.type.name;
    tensor.type = *parse_element_type(is_signed ? "s8" : "u8");
  }
  tensor.layout = print(dst.memory.expression());
  tensor.logical_shape = print(dst.memory.shape());
  return tensor;
}

Result<OutputPlace> place_in_container(const ConvertOptions& options,
                                       const ContainerPath& path,
                                       const Side& dst) {
  OutputPlace place;
  place.file = path.file;
  place.array = array_of(options, dst);
  std::optional<Container> existing;
  const Result<bool> exists = file_exists(path.file);
  if (!exists) return unexpected(exists.error());
  if (*exists) {
    Result<Container> container = Container::open(path.file);
    if (!container) return unexpected(container.error());
    existing = *std::move(container);
    Result<MappedFile> file = MappedFile::open(path.file);
    if (!file) return unexpected(file.error());
    place.old = *std::move(file);
  }
  Result<SafetensorsEdit> edit =
      edit_safetensors(existing ? &*existing : nullptr,
                       stored_tensor(*path.name, *place.array, dst));
  if (!edit) return unexpected(edit.error());
  for (const SafetensorsEdit::Copy& copy : edit->copies) {
    const auto has = static_cast<std::int64_t>(place.old->bytes().size());
    if (copy.from + copy.bytes <= has) continue;
    return fail(ErrorCode::io,
                path.file.string() + ": changed its size while it was read");
  }
  place.header = std::move(edit->header);
  place.copies = std::move(edit->copies);
  place.data_offset = edit->data_offset;
  place.file_bytes = edit->file_bytes;
  return place;
}

}  // namespace

Result<OutputPlace> place_of_output(const ConvertOptions& options,
                                    const Side& dst) {
  if (const ContainerPath path = split_container_path(options.out.native());
      path.name) {
    return place_in_container(options, path, dst);
  }
  OutputPlace place;
  place.file = options.out;
  if (is_npy(options.out)) {
    place.array = array_of(options, dst);
    place.header = make_npy_header(*place.array->type, place.array->shape);
  }
  place.data_offset = static_cast<std::int64_t>(place.header.size());
  const Checked size = add(place.data_offset, dst.memory.size_bytes());
  if (!size) return fail(ErrorCode::overflow, "the output overflows 64 bits");
  place.file_bytes = *size;
  return place;
}

void OutputPlace::write_around(std::span<std::byte> bytes) const {
  std::ranges::copy(std::as_bytes(std::span(header)), bytes.begin());
  for (const SafetensorsEdit::Copy& copy : copies) {
    std::ranges::copy(
        old->bytes().subspan(static_cast<std::size_t>(copy.from),
                             static_cast<std::size_t>(copy.bytes)),
        bytes.subspan(static_cast<std::size_t>(copy.to)).begin());
  }
}

}  // namespace stridewise
