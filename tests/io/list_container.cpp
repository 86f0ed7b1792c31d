// Prints what a container holds, a line a tensor, for tests that compare it with what
// other programs wrote or read: list_container FILE, or list_container --edit OLD NEW NAME
// DTYPE SHAPE BYTE LAYOUT to write a file with another tensor.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "stridewise/container.hpp"

namespace stridewise {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string hex(std::span<const std::byte> bytes) {
  return hex(std::string_view(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size()));
}

int complain(const Error& error) {
  std::cout << "error " << error.message << '\n';
  return 1;
}

int list(const char* path) {
  const Result<Container> container = Container::open(path);
  if (!container) return complain(container.error());
  for (const ContainedTensor& tensor : container->tensors()) {
    std::cout << hex(tensor.name) << ' '
              << (tensor.type_name.empty() ? "-" : hex(tensor.type_name)) << ' '
              << (tensor.type ? tensor.type->name : "-") << " [";
    for (const std::int64_t extent : tensor.shape) std::cout << extent << ',';
    std::cout << "] " << (tensor.big_endian ? 'b' : 'l')
              << (tensor.fortran_order ? 'f' : 'c') << ' '
              << (tensor.layout.empty() ? "-" : hex(tensor.layout)) << ' ';
    const Result<LoadedTensor> loaded = container->load(tensor.name);
    std::cout << (loaded ? '=' : '!')
              << (loaded ? hex(loaded->bytes) : hex(loaded.error().message))
              << '\n';
  }
  return 0;
}

// Every byte of the new tensor is `byte`.
int edit(char** arguments) {
  const std::string old_path = arguments[0];
  std::optional<Container> old;
  std::string old_bytes;
  if (old_path != "-") {
    Result<Container> opened = Container::open(old_path);
    if (!opened) return complain(opened.error());
    old = *std::move(opened);
    std::ostringstream all;
    all << std::ifstream(old_path, std::ios::binary).rdbuf();
    old_bytes = all.str();
  }
  const Result<ElementType> type = parse_element_type(arguments[3]);
  if (!type) return complain(type.error());
  SafetensorsTensor tensor{
      .name = arguments[2], .type = *type, .shape = {}, .layout = arguments[6]};
  std::istringstream extents(arguments[4]);
  for (std::int64_t extent = 0; extents >> extent;) {
    tensor.shape.push_back(extent);
  }
  const Result<SafetensorsEdit> made =
      edit_safetensors(old ? &*old : nullptr, tensor);
  if (!made) return complain(made.error());
  std::string file = made->header;
  file.resize(static_cast<std::size_t>(made->file_bytes),
              static_cast<char>(std::stoi(arguments[5])));
  for (const SafetensorsEdit::Copy& copy : made->copies) {
    file.replace(static_cast<std::size_t>(copy.to),
                 static_cast<std::size_t>(copy.bytes), old_bytes,
                 static_cast<std::size_t>(copy.from),
                 static_cast<std::size_t>(copy.bytes));
  }
  std::ofstream(arguments[1], std::ios::binary) << file;
  return 0;
}

}  // namespace
}  // namespace stridewise

int main(int count, char** arguments) {
  if (count == 9 && std::strcmp(arguments[1], "--edit") == 0) {
    return stridewise::edit(arguments + 2);
  }
  return count == 2 ? stridewise::list(arguments[1]) : 2;
}
