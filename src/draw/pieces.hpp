// Pictures of layouts that are more than plain digits: memory as rows of cells, each of as
// many bits as all elements lie at multiples of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

// Whether pieces() draws it, not grids of axes.
[[nodiscard]] bool is_pieced(const Layout& layout);

// As build(). Errors besides: unsupported, for a second memory, a walk, a view of axes and
// a layout of which it cannot be told what lies at a place.
[[nodiscard]] Result<Picture> build_pieces(
    const Layout& layout, const DrawOptions& options,
    std::span<const std::int64_t> columns);

}  // namespace stridewise::draw
