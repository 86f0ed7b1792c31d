// How carefully a picture is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/draw.hpp"

namespace stridewise::draw {

enum class Care {
  all,
  cells,  // what is drawn; padding that is not drawn is not looked at
};

// As make_picture.
[[nodiscard]] Result<Picture> build(const Layout& layout,
                                    const DrawOptions& options, Care care);

}  // namespace stridewise::draw
