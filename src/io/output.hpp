// Where in which file a conversion writes: the whole of one, or one tensor of several.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/sides.hpp"
#include "stridewise/container.hpp"

namespace stridewise {

struct OutputPlace {
  std::filesystem::path file;
  std::string header;  // how the file begins
  // Bytes of the file that it replaces, which stay.
  std::optional<MappedFile> old = {};
  std::vector<SafetensorsEdit::Copy> copies = {};
  std::int64_t data_offset = 0;
  std::int64_t file_bytes = 0;
  std::optional<NpyHeader> array = {};  // what is written, as an array

  // All of the new file but the tensor's own bytes.
  void write_around(std::span<std::byte> bytes) const;
};

// Errors: the size overflows; a container that cannot be read, or cannot hold the tensor.
[[nodiscard]] Result<OutputPlace> place_of_output(const ConvertOptions& options,
                                                  const Side& dst);

}  // namespace stridewise
