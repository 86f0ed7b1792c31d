// What stands where a file is to be written, and whether it may be replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>

#include "stridewise/result.hpp"

namespace stridewise {

struct OutputTarget {
  std::filesystem::path path;  // of a link: what it points to
  std::filesystem::path folder;
  bool exists = false;
  struct stat status {};  // of what exists
};

// All that would keep a finished file from its name is an error here, before any work.
// Errors: no name; a link to nothing, or to itself; a directory or device; a file that is
// read-only, has more names (hard links), is mounted by itself, or is another user's in a
// folder where only owners may replace theirs.
[[nodiscard]] Result<OutputTarget> find_output_target(
    const std::filesystem::path& given);

// Error: the folder's disk has less than `size` bytes free.
[[nodiscard]] Result<void> check_free_space(const OutputTarget& target,
                                            std::int64_t size);

}  // namespace stridewise
