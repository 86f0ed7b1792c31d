// What `draw` reads, and what it tells of a picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"

namespace stridewise::cli {

// What memory holds, from a file. `view` is of the file or of `reordered`.
struct DrawFile {
  TensorFile file;
  std::vector<std::byte> reordered;  // of a Fortran-order array
  DrawData view;
};

// The layout's memory: a .npy, whose type becomes `type` unless one is given that
// fits it, or raw bytes of `type`.
[[nodiscard]] DrawFile read_draw_data(const std::string& path,
                                      ElementType& type, bool type_given);

[[nodiscard]] Json picture_json(const Picture& picture);

}  // namespace stridewise::cli
