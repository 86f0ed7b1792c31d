// What the commands about dumps share: shapes without a layout to name their
// dims, and series of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common.hpp"

namespace stridewise::cli {

// A shape as text; without names, its dims are called x, nc, ncw, nchw or ncdhw
// by their number, and `positional` tells so.
struct TensorShape {
  Shape shape;
  bool positional = false;
};
[[nodiscard]] TensorShape tensor_shape(const std::string& text);

// "x.npy" -> "x.0.npy", "x.1.npy" ... : file k of a series.
[[nodiscard]] std::filesystem::path series_name(
    const std::filesystem::path& path, int k);

// The file itself, or where there is none, all of its series.
[[nodiscard]] std::vector<std::filesystem::path> files_of(
    const std::filesystem::path& path);

// A file that another process cuts short ends as an error, not as a signal.
void turn_signals_into_errors();

}  // namespace stridewise::cli
