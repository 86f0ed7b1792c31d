// SVG to PNG by librsvg's program, where it is installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stridewise::cli {

// The bytes of a PNG file, twice as many pixels as the SVG's each way. Fails
// when rsvg-convert is missing or refuses.
[[nodiscard]] std::string png_of(const std::string& svg);

}  // namespace stridewise::cli
