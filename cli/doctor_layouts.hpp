// Layouts that were found, as a person would say them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "common.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::cli {

// A fit whose memory begins and ends with elements: what lies around is told by `start_byte`
// and `trailing_bytes`, not by a base and a pitch.
[[nodiscard]] InferFit without_frame(InferFit fit);

// Where the layout of a fit runs backwards, goes round or takes a table: the same dims one
// after the other, if they take as many bytes. A fault may be what made it of that.
[[nodiscard]] std::optional<LayoutSource> straightened(const InferFit& fit);

}  // namespace stridewise::cli
