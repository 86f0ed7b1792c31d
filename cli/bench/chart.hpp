// Results as a bar chart for a page: SVG that follows the reader's light or dark
// mode, with its text as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/result.hpp"

namespace stridewise::cli {

// Bars of speed in units of memcpy's, which is the line at 1: for each case
// Stridewise, the streaming copy and the best peer.
[[nodiscard]] std::string results_svg(const BenchResult& results);

}  // namespace stridewise::cli
