// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

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
Json told_json(const ContainedTensor& tensor) {
  const ToldTensor told = told_of(tensor);
  return {
      {"layout", told.layout}, {"shape", told.shape}, {"dtype", told.dtype}};
}

Json tensor_json(const ContainedTensor& tensor) {
  Json shape = Json::array();
  for (const std::int64_t extent : tensor.shape) shape.push_back(count(extent));
  return {{"name", tensor.name},       {"type", tensor.type_name},
          {"shape", std::move(shape)}, {"bytes", count(tensor.bytes)},
          {"refused", tensor.refused}, {"told", told_json(tensor)}};
}

// A number of x87 processors, whose bytes mean another one elsewhere.
bool is_extended(const ElementType& type) {
  return type.kind == ElementKind::floating && type.bits == 128;
}

void swap_each(std::span<std::byte> bytes, std::size_t width) {
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    std::reverse(bytes.data() + at, bytes.data() + at + width);
  }
}

// Both numbers of a complex one are swapped on their own.
void make_little_endian(ContainedTensor& tensor, std::byte* memory) {
  const bool complex =
      tensor.type && tensor.type->kind == ElementKind::complex_floating;
  const auto width =
      static_cast<std::size_t>(tensor.element_bytes) / (complex ? 2U : 1U);
  if (!tensor.big_endian || width < 2) return;
  swap_each({memory + tensor.offset, static_cast<std::size_t>(tensor.bytes)},
            width);
  tensor.big_endian = false;
}

Result<File*> file_numbered(const Request& request, std::string_view name) {
  const auto number = request.number(name, -1);
  std::vector<File>& files = all_files();
  if (!number || *number < 0 || *number >= std::ssize(files) ||
      !files[static_cast<std::size_t>(*number)].memory) {
    return fail(ErrorCode::unknown_name, "no such file");
  }
  return &files[static_cast<std::size_t>(*number)];
}

}  // namespace

ToldTensor told_of(const ContainedTensor& tensor) {
  ToldTensor told{tensor.layout, tensor.logical_shape, tensor.logical_type};
  const std::size_t rank = tensor.shape.size();
  static const std::vector<std::string> usual = {"n", "c", "h", "w"};
  std::string order;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string dim =
        rank == usual.size() ? usual[d] : fmt::format("d{}", d);
    const bool first = order.empty();
    order = tensor.fortran_order ? dim + (first ? "" : " ") + order
                                 : order + (first ? "" : " ") + dim;
    if (tensor.logical_shape.empty()) {
      told.shape +=
          fmt::format("{}{}={}", d == 0 ? "" : ",", dim, tensor.shape[d]);
    }
  }
  if (told.layout.empty()) told.layout = order;
  if (told.dtype.empty() && tensor.type) told.dtype = tensor.type->name;
  return told;
}

// "name", and "place" and "size" of memory that stridewise_allocate() gave: it is the core's
// from now on. "replaces": the number of a file that is no longer wanted.
Reply open_file(const Request& request) {
  const auto place = request.number("place", 0);
  const auto size = request.number("size", 0);
  if (!place || !size) return fail(ErrorCode::invalid_value, "no place");
  File file{
      .name = request.text("name"),
      .memory = std::unique_ptr<std::byte, Released>(
          reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(*place))),
      .size = static_cast<std::size_t>(*size),
      .tensors = {}};
  Result<std::vector<ContainedTensor>> tensors =
      tensors_of(file.name, {file.memory.get(), file.size});
  if (!tensors) {
    tensors.error().message = file.name + ": " + tensors.error().message;
    return unexpected(tensors.error());
  }
  file.tensors = *std::move(tensors);
  Json list = Json::array();
  for (ContainedTensor& tensor : file.tensors) {
    make_little_endian(tensor, file.memory.get());
    list.push_back(tensor_json(tensor));
  }
  std::vector<File>& files = all_files();
  std::int64_t number = std::ssize(files);
  if (request.has("replaces")) {
    const Result<File*> old = file_numbered(request, "replaces");
    if (!old) return unexpected(old.error());
    number = *old - files.data();
    **old = std::move(file);
  } else {
    files.push_back(std::move(file));
  }
  return Json{{"file", number}, {"tensors", std::move(list)}};
}

// "file": it is no longer wanted.
Reply close_file(const Request& request) {
  const Result<File*> file = file_numbered(request, "file");
  if (!file) return unexpected(file.error());
  **file = File{};
  return Json::object();
}

Result<Dump> dump_of(const Request& request, std::string_view name,
                     std::string_view type_name) {
  const Result<File*> file = file_numbered(request, name);
  if (!file) return unexpected(file.error());
  const auto which = request.number(std::string(name) + "-tensor", 0);
  if (!which || *which >= std::ssize((*file)->tensors)) {
    return fail(ErrorCode::unknown_name, (*file)->name + ": no such tensor");
  }
  const ContainedTensor& tensor =
      (*file)->tensors[static_cast<std::size_t>(*which)];
  if (!tensor.refused.empty()) {
    return fail(ErrorCode::unsupported, tensor.refused);
  }
  std::string dtype(type_name);
  if (dtype.empty()) dtype = told_of(tensor).dtype;
  if (dtype.empty()) dtype = request.text("dtype");
  if (dtype.empty()) {
    return fail(ErrorCode::mismatch,
                (*file)->name + " tells no type: choose one");
  }
  const Result<ElementType> type = parse_element_type(dtype);
  if (!type) return unexpected(type.error());
  if (is_extended(*type)) {
    return fail(ErrorCode::unsupported,
                "numbers of 80 bits mean nothing in a browser: use the command "
                "line");
  }
  return Dump{.bytes = {(*file)->memory.get() + tensor.offset,
                        static_cast<std::size_t>(tensor.bytes)},
              .type = *type,
              .tensor = &tensor};
}

Result<Dump> dump_of(const Request& request, std::string_view name,
                     const Layout& layout, const ElementType& type) {
  // Of a part that names its type, or what is shown.
  std::string_view wanted = request.text("dtype");
  if (layout.tensor() >= 0) {
    const Tensor& tensor =
        layout.tensors()[static_cast<std::size_t>(layout.tensor())];
    if (!tensor.type.empty()) wanted = tensor.type;
  }
  Result<Dump> dump = dump_of(request, name, wanted);
  if (!dump && wanted.empty()) dump = dump_of(request, name, type.name);
  if (!dump) return dump;
  if (layout.tensor() >= 0 && dump->type.bits != layout.element_bits()) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("the file has elements of {} ({} bits), the layout "
                    "of {} bits: choose the type",
                    dump->type.name, dump->type.bits, layout.element_bits()));
  }
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
