// SPDX-License-Identifier: Apache-2.0
#include "draw/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "draw/grid_parts.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {

std::int64_t rows_for(const GridOptions& options, std::int64_t columns) {
  constexpr std::int64_t least_rows = 6;
  return std::max(least_rows,
                  options.max_cells / std::max<std::int64_t>(1, columns));
}

void add_track(std::vector<PictureTrack>& tracks, std::vector<TrackAt>& places,
               PictureTrack track, TrackAt at) {
  tracks.push_back(std::move(track));
  places.push_back(at);
}

void elide(std::vector<PictureTrack>& tracks, std::vector<TrackAt>& places,
           const AxisRun& run, const std::string& text) {
  add_track(tracks, places, {.label = text, .elided = run.count}, {});
}

void add_band_above(std::vector<PictureBand>& level, std::size_t first,
                    std::size_t last, const std::string& text, std::size_t row,
                    bool anew) {
  add_band(level, first, last, text, anew);
  level.back().row = static_cast<std::int32_t>(row);
}

void add_band(std::vector<PictureBand>& level, std::size_t first,
              std::size_t last, const std::string& text, bool anew) {
  const auto begin = static_cast<std::int32_t>(first);
  const auto end = static_cast<std::int32_t>(last);
  if (!anew && !level.empty() && level.back().text == text &&
      level.back().last + 1 == begin) {
    level.back().last = end;
  } else {
    level.push_back({begin, end, text});
  }
}

std::optional<std::int64_t> Grid::place(std::size_t row,
                                        std::size_t column) const {
  if (rows[row].elided != 0 || columns[column].elided != 0) return std::nullopt;
  const TrackAt& down = rows_at[row];
  const TrackAt& across = columns_at[column];
  if (down.along + across.along >= std::min(down.limit, across.limit)) {
    return std::nullopt;
  }
  return down.place + across.place;
}

bool has_lanes(const Layout& layout) {
  const std::size_t axes = layout.axes().size();
  return axes > 2 && axis_room(layout, axes - 1) <= most_lanes;
}

DrawView view_of(const Layout& layout, DrawView asked) {
  if (asked != DrawView::automatic) return asked;
  if (layout.axes().size() < 2) return DrawView::rows;
  return has_lanes(layout) ? DrawView::image : DrawView::banks;
}

Result<Grid> make_grid(const Layout& layout, const GridOptions& options) {
  const DrawView view = view_of(layout, options.view);
  if (view != DrawView::rows && layout.axes().size() < 2) {
    return fail(ErrorCode::unsupported,
                fmt::format("the layout has one axis; only rows of cells can "
                            "show it ('{}')",
                            print(layout.expression())));
  }
  if (options.grid_bytes % layout.element_bytes() != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a grid of {} bytes does not hold whole elements "
                            "of {} bytes",
                            options.grid_bytes, layout.element_bytes()));
  }
  // Steps in part at the end of a pitch count in full.
  Checked steps = 1;
  for (std::size_t a = 0; a < layout.axes().size(); ++a) {
    steps = mul(steps, axis_room(layout, a));
  }
  if (!steps) {
    return fail(ErrorCode::overflow,
                fmt::format("the steps of the axes of '{}' are too many to be "
                            "drawn",
                            print(layout.expression())));
  }
  if (layout.places() == 0) return Grid{};
  switch (view) {
    case DrawView::image:
      if (std::optional<Grid> planes = grid_of_planes(layout, options)) {
        return *std::move(planes);
      }
      return grid_of_image(layout, options);
    case DrawView::banks:
      return grid_of_banks(layout, options);
    case DrawView::automatic:
    case DrawView::rows:
      break;
  }
  return grid_of_rows(layout, options);
}

}  // namespace stridewise::draw
