// The members of a zip archive, as its directory tells them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stridewise/result.hpp"

namespace stridewise {

inline constexpr std::uint16_t zip_stored = 0;
inline constexpr std::uint16_t zip_deflated = 8;

struct ZipEntry {
  std::string_view name;  // in the archive's own bytes
  std::int64_t offset =
      0;  // of its bytes, behind the header that stands before them
  std::int64_t packed_bytes = 0;
  std::int64_t bytes = 0;
  std::uint32_t checksum = 0;
  std::uint16_t method = zip_stored;
  bool encrypted = false;
};

// All members, in the directory's order. Each lies in the archive, and no two share a byte.
// Errors: this is no archive; the directory and what stands before a member do not agree;
// members overlap, or promise more than deflated bytes can hold.
[[nodiscard]] Result<std::vector<ZipEntry>> read_zip(
    std::span<const std::byte> archive);

}  // namespace stridewise
