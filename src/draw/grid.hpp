// The rows and columns of cells in which one memory is drawn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stridewise/draw.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise::draw {

// What a row or column adds to the place of its cells, in elements; and to the
// position along what runs over both rows and columns, which is below `limit`.
struct TrackAt {
  std::int64_t place = 0;
  std::int64_t along = 0;
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
};

struct Grid {
  std::vector<PictureTrack> rows, columns;
  std::vector<TrackAt> rows_at, columns_at;  // elided tracks count too
  std::vector<std::vector<PictureBand>> row_bands, column_bands;
  std::string row_heading, column_heading;

  // The place drawn where two tracks meet, if there is one.
  [[nodiscard]] std::optional<std::int64_t> place(std::size_t row,
                                                  std::size_t column) const;
};

struct GridOptions {
  DrawView view = DrawView::automatic;
  std::int64_t grid_bytes = 0;
  std::int64_t max_cells = 0;
  std::int64_t max_columns = 0;
  bool logical = false;                   // rulers count the indices of dims
  std::vector<std::int64_t> forced = {};  // places to show in any case
};

// The view asked for; by itself that of the layout's axes.
[[nodiscard]] DrawView view_of(const Layout& layout, DrawView asked);

// Errors: a view that needs more axes, a grid that is not whole elements, axes of
// more steps than 64 bits count.
[[nodiscard]] Result<Grid> make_grid(const Layout& layout,
                                     const GridOptions& options);

}  // namespace stridewise::draw
