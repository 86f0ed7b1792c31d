// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "common.hpp"

namespace stridewise::cli {

// Ends the command where OUT has no name, is "-", or is the file behind stdout or stderr:
// a tensor is not written there.
void check_not_stdout(const std::filesystem::path& path);

// --sync
void add_sync(Command command, Context& context);

// A file of `size` bytes, which `fill` writes. It appears whole or not at all;
// ends the command with an error where it cannot.
void write_file(const std::filesystem::path& path, std::int64_t size, Sync sync,
                const std::function<void(std::byte*)>& fill);
// The same of a text.
void write_file(const std::filesystem::path& path, std::string_view text,
                Sync sync = Sync::later);

// Ends the command where the path is a tensor of a file of several, which only conversions
// write to.
void check_whole_file(const std::filesystem::path& path);

}  // namespace stridewise::cli
