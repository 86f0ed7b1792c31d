// Any bytes as a file of several tensors: an error, or a directory that speaks of bytes
// that there are.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/container.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "folder.hpp"

namespace {

using namespace stridewise;
using fuzz::require;

constexpr std::array<std::string_view, 4> names = {"f.safetensors", "f.gguf",
                                                   "f.npz", "f.safetensors"};

// "{...}" with the length before it that a .safetensors file begins with.
std::string with_length(std::string_view header) {
  std::string bytes(8, '\0');
  for (std::size_t k = 0; k < 8; ++k) {
    bytes[k] = static_cast<char>(header.size() >> (8 * k) & 0xff);
  }
  return bytes.append(header);
}

void check(const Container& container, std::size_t file_bytes) {
  for (const ContainedTensor& tensor : container.tensors()) {
    require(tensor.offset >= 0 && tensor.stored_bytes >= 0);
    require(tensor.stored_bytes <=
            static_cast<std::int64_t>(file_bytes) - tensor.offset);
    const auto loaded = container.load(tensor.name);
    if (!loaded) {
      require(!loaded.error().message.empty());
      continue;
    }
    require(std::ssize(loaded->bytes) == tensor.bytes);
    // All of them can be read.
    volatile unsigned sum = 0;
    for (const std::byte b : loaded->bytes) {
      sum = sum + static_cast<unsigned>(b);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const fuzz::Folder folder;
  if (size == 0) return 0;
  // The first byte says which format; the last one has its header's length made right.
  const std::size_t kind = data[0] % names.size();
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1,
                              size - 1);
  const std::string bytes =
      kind + 1 == names.size() ? with_length(rest) : std::string(rest);
  fuzz::write(folder / names[kind], bytes);
  if (const auto container = Container::open(folder / names[kind])) {
    check(*container, bytes.size());
  } else {
    require(!container.error().message.empty());
  }
  return 0;
}
