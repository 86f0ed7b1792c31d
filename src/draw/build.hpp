// How carefully a picture is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

enum class Care {
  all,
  cells,  // what is drawn; padding that is not drawn is not looked at
};

// As make_picture. `columns` are the most columns of each panel, instead of
// DrawOptions::max_columns.
[[nodiscard]] Result<Picture> build(const Layout& layout,
                                    const DrawOptions& options, Care care,
                                    std::span<const std::int64_t> columns = {});

}  // namespace stridewise::draw
