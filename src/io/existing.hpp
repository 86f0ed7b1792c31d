// What `out` held before, and elements in the order of their bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "stridewise/io.hpp"

namespace stridewise {

// Error io: both are the same file.
[[nodiscard]] Result<void> refuse_overwrite(const std::filesystem::path& in,
                                            const std::filesystem::path& out);

// Copies what an existing `out` holds into the new file's data, so that the
// bytes without an element stay. Its .npy header may be spelt in another way,
// but must say the same. Returns how many of the data's bytes the new file has: a raw file
// may end before the layout's memory does, after its last element.
[[nodiscard]] Result<std::int64_t> keep_existing(
    const std::filesystem::path& out, const NpyHeader* header,
    const Layout& layout, std::span<std::byte> data);

// Turns big-endian elements in `data` into little-endian ones. Zeros may be
// swapped with the rest; bytes that are kept may not. Pre: the layout is plain.
void swap_elements(const Layout& layout, const ElementType& type,
                   const ConvertOptions& options, std::span<std::byte> data);

}  // namespace stridewise
