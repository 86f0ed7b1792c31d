// --skip and --start: where in a file a layout's memory begins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "common.hpp"

namespace stridewise::cli {

struct WindowOptions {
  std::optional<std::int64_t> skip;   // bytes of the file before the memory
  std::optional<std::int64_t> start;  // byte of the memory that comes first

  // Adds --skip and --start, which exclude each other.
  void add_to(Command command, const std::string& file);
  // Adds --skip-a, or of another suffix, alone.
  void add_skip(Command command, const std::string& suffix,
                const std::string& file);
  // As infer() has it: negative where bytes come before the memory. nullopt:
  // the file is the memory and nothing else.
  [[nodiscard]] std::optional<std::int64_t> start_byte() const;
};

// A layout's memory in a file that may have more around it, or less.
struct FileMemory {
  MemoryWindow window;
  std::int64_t first_byte = 0;  // of the file's data, where the memory begins

  // The memory of these bytes of the tensor may go.
  void forget(const TensorFile& file, std::int64_t first,
              std::int64_t count) const;
};

// Ends the command where no element is in the file. Pre: the sizes are equal
// where `start_byte` is nullopt.
[[nodiscard]] FileMemory memory_in(const TensorFile& file, const Layout& layout,
                                   std::optional<std::int64_t> start_byte);

}  // namespace stridewise::cli
