// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "io/containers/directory.hpp"
#include "reply.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/io.hpp"

namespace stridewise::explorer {
namespace {

std::vector<File>& all_files() {
  static std::vector<File> files;
  return files;
}

bool ends_with(std::string text, std::string_view ending) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text.ends_with(ending);
}

Result<ContainedTensor> tensor_of_npy(std::span<const std::byte> bytes) {
  const Result<NpyHeader> header = parse_npy_header(bytes);
  if (!header) return unexpected(header.error());
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size - header->data_offset != header->data_bytes) {
    return fail(ErrorCode::io,
                fmt::format("the header promises {} bytes of data, the file "
                            "has {}",
                            header->data_bytes, size - header->data_offset));
  }
  ContainedTensor tensor;
  tensor.type = header->type;
  tensor.element_bytes = header->element_bytes;
  tensor.shape = header->shape;
  tensor.big_endian = header->big_endian;
  tensor.fortran_order = header->fortran_order;
  tensor.offset = header->data_offset;
  tensor.bytes = header->data_bytes;
  return tensor;
}

Result<std::vector<ContainedTensor>> tensors_of(
    const std::string& name, std::span<const std::byte> bytes) {
  const bool gguf = ends_with(name, ".gguf");
  if (gguf || ends_with(name, ".safetensors")) {
    Result<Directory> directory =
        gguf ? read_gguf(bytes) : read_safetensors(bytes);
    if (!directory) return unexpected(directory.error());
    return std::move(directory->tensors);
  }
  if (ends_with(name, ".npy")) {
    const Result<ContainedTensor> tensor = tensor_of_npy(bytes);
    if (!tensor) return unexpected(tensor.error());
    return std::vector<ContainedTensor>{*tensor};
  }
  ContainedTensor raw;
  raw.bytes = static_cast<std::int64_t>(bytes.size());
  return std::vector<ContainedTensor>{raw};
}

// What the page fills into its fields: "n c", "n=2,c=3".
Json told_of(const ContainedTensor& tensor) {
  std::string layout = tensor.layout;
  std::string shape = tensor.logical_shape;
  const std::size_t rank = tensor.shape.size();
  static const std::vector<std::string> usual = {"n", "c", "h", "w"};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string dim =
        rank == usual.size() ? usual[d] : fmt::format("d{}", d);
    if (tensor.layout.empty()) layout += (d == 0 ? "" : " ") + dim;
    if (tensor.logical_shape.empty()) {
      shape += fmt::format("{}{}={}", d == 0 ? "" : ",", dim, tensor.shape[d]);
    }
  }
  std::string dtype = tensor.logical_type;
  if (dtype.empty() && tensor.type) dtype = tensor.type->name;
  return {{"layout", layout}, {"shape", shape}, {"dtype", dtype}};
}

Json tensor_json(const ContainedTensor& tensor) {
  Json shape = Json::array();
  for (const std::int64_t extent : tensor.shape) shape.push_back(count(extent));
  return {{"name", tensor.name},       {"type", tensor.type_name},
          {"shape", std::move(shape)}, {"bytes", count(tensor.bytes)},
          {"refused", tensor.refused}, {"told", told_of(tensor)}};
}

}  // namespace

// "name", and "place" and "size" of memory that stridewise_allocate() gave: it is the core's
// from now on.
Reply open_file(const Request& request) {
  const auto place = request.number("place", 0);
  const auto size = request.number("size", 0);
  if (!place || !size) return fail(ErrorCode::invalid_value, "no place");
  auto* const memory =
      reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(*place));
  File file{.name = request.text("name"),
            .bytes = std::vector<std::byte>(memory, memory + *size),
            .tensors = {}};
  std::free(memory);
  Result<std::vector<ContainedTensor>> tensors =
      tensors_of(file.name, file.bytes);
  if (!tensors) {
    tensors.error().message = file.name + ": " + tensors.error().message;
    return unexpected(tensors.error());
  }
  file.tensors = *std::move(tensors);
  Json list = Json::array();
  for (const ContainedTensor& tensor : file.tensors) {
    list.push_back(tensor_json(tensor));
  }
  // "replaces": the number of a file that is no longer wanted.
  std::vector<File>& files = all_files();
  auto number = static_cast<std::int64_t>(files.size());
  if (request.has("replaces")) {
    const auto old = request.number("replaces", 0);
    if (!old || *old >= number) {
      return fail(ErrorCode::invalid_value, "no such file");
    }
    number = *old;
    files[static_cast<std::size_t>(number)] = std::move(file);
  } else {
    files.push_back(std::move(file));
  }
  return Json{{"file", number}, {"tensors", std::move(list)}};
}

Result<Dump> dump_of(const Request& request, std::string_view name) {
  const auto number = request.number(name, -1);
  const auto which = request.number(std::string(name) + "-tensor", 0);
  if (!number || !which || *number < 0 ||
      *number >= static_cast<std::int64_t>(all_files().size())) {
    return fail(ErrorCode::unknown_name, "no such file");
  }
  const File& file = all_files()[static_cast<std::size_t>(*number)];
  if (*which >= static_cast<std::int64_t>(file.tensors.size())) {
    return fail(ErrorCode::unknown_name, file.name + " has no such tensor");
  }
  const ContainedTensor& tensor =
      file.tensors[static_cast<std::size_t>(*which)];
  if (!tensor.refused.empty()) {
    return fail(ErrorCode::unsupported, tensor.refused);
  }
  Dump dump{.bytes = std::span(file.bytes)
                         .subspan(static_cast<std::size_t>(tensor.offset),
                                  static_cast<std::size_t>(tensor.bytes)),
            .type = {},
            .big_endian = tensor.big_endian,
            .tensor = &tensor};
  if (request.has("dtype")) {
    const auto type = parse_element_type(request.text("dtype"));
    if (!type) return unexpected(type.error());
    dump.type = *type;
  } else if (tensor.type) {
    dump.type = *tensor.type;
  } else {
    return fail(ErrorCode::mismatch, file.name + " tells no type: choose one");
  }
  return dump;
}

Result<Dump> dump_of(const Request& request, std::string_view name,
                     const Layout& layout) {
  Result<Dump> dump = dump_of(request, name);
  if (!dump) return dump;
  const auto has = static_cast<std::int64_t>(dump->bytes.size());
  if (has == layout.size_bytes()) return dump;
  std::string message = fmt::format(
      "the layout takes {} bytes, the file has {}", layout.size_bytes(), has);
  for (const std::string& hint : explain_size(layout, dump->type, has)) {
    message += "; " + hint;
  }
  return fail(ErrorCode::mismatch, message);
}

}  // namespace stridewise::explorer
