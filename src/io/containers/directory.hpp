// What the readers of all formats share: the directory that each of them makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "stridewise/container.hpp"

namespace stridewise {

struct Directory {
  std::vector<ContainedTensor> tensors;
  std::vector<std::size_t> by_name;  // indices into tensors
  std::vector<Container::Member> members;
  std::vector<std::pair<std::string, std::string>> metadata;
  // Of an index: the files that the tensors lie in, relative to it; else empty.
  std::vector<std::filesystem::path> shards;
};

// Each reads the directory of a whole file. Every range that it gives lies within these
// bytes. Messages do not name the file.
[[nodiscard]] Result<Directory> read_safetensors(
    std::span<const std::byte> file);
[[nodiscard]] Result<Directory> read_gguf(std::span<const std::byte> file);
[[nodiscard]] Result<Directory> read_npz(std::span<const std::byte> file);
// Opens the shards, too, which lie in `folder`.
[[nodiscard]] Result<Directory> read_index(std::span<const std::byte> file,
                                           const std::filesystem::path& folder);

// Fills by_name. Error: a name comes twice.
[[nodiscard]] Result<void> index_names(Directory& directory);

// The index of the tensor of this name, or how many tensors there are. Pre: by_name is
// filled.
[[nodiscard]] std::size_t position_of(std::string_view name,
                                      std::span<const ContainedTensor> tensors,
                                      std::span<const std::size_t> by_name);

// A text from a file as it may stand in a message: printable and not long.
[[nodiscard]] std::string shown(std::string_view text);
// A name in the same way, in quotes.
[[nodiscard]] std::string quoted_name(std::string_view name);

// The bits of a dense array, or nullopt where these are too many to count. As in an array's
// header, extents beside a 0 must not overflow either.
[[nodiscard]] Checked bits_of_array(std::span<const std::int64_t> shape,
                                    std::int64_t element_bits);

}  // namespace stridewise
