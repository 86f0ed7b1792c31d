// What can be wrong with what a picture is asked to show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

// Errors: numbers of cells, columns and bytes that cannot be drawn; data of another size;
// marks outside.
[[nodiscard]] Result<void> check_sizes(const Layout& layout,
                                       const DrawOptions& options);

// Errors: those of make_picture that need no more than the options.
[[nodiscard]] Result<void> check_options(const Layout& layout,
                                         const DrawOptions& options);

// Error: a grid where no memory is drawn in rows or banks.
[[nodiscard]] Result<void> check_grid(const Layout& layout,
                                      const DrawOptions& options,
                                      bool any_rows);

// The tensor of a layout as memory of its own: planes of the last two dims, the
// dims before them by turns across and down; or as `text` says.
[[nodiscard]] Result<Layout> logical_layout(const Layout& layout,
                                            const std::string& text);

}  // namespace stridewise::draw
