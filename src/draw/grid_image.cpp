// Memory as an image: rows, columns, and lanes below each other within a place.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "draw/grid_parts.hpp"
#include "draw/joined.hpp"

namespace stridewise::draw {
namespace {

class Image {
 public:
  Image(const Layout& layout, const GridOptions& options)
      : layout_(layout), options_(options) {}

  Grid run() {
    const std::size_t axes = layout_.axes().size();
    const bool has_lanes = draw::has_lanes(layout_);
    const std::size_t column_axis = has_lanes ? axes - 2 : axes - 1;
    const Joined row(layout_, 0, column_axis);
    const Joined column(layout_, column_axis, column_axis + 1);
    const std::int64_t lanes = has_lanes ? axis_room(layout_, axes - 1) : 1;
    std::vector<std::int64_t> forced_rows;
    std::vector<std::int64_t> forced_columns;
    for (const std::int64_t place : options_.forced) {
      forced_rows.push_back(row.joined_of(layout_, place));
      forced_columns.push_back(column.joined_of(layout_, place));
    }
    AxisView view{.base = column.base,
                  .extent = column.extent,
                  .used = column.used,
                  .budget = std::max<std::int64_t>(4, options_.max_columns),
                  .unit_name = layout_.axes()[column_axis].name};
    const std::vector<AxisRun> across =
        shown_runs(column.terms, view, forced_columns);
    grid_.column_bands.assign(band_levels(column), {});
    grid_.column_heading = heading(column);
    std::int64_t shown = 0;
    for_each_step(across, [&](std::int64_t at, const AxisRun* left) {
      if (left != nullptr) {
        elide(grid_.columns, grid_.columns_at, *left, left->text);
        return;
      }
      ++shown;
      const std::size_t track = grid_.columns.size();
      add_track(grid_.columns, grid_.columns_at,
                {.label = label(column, at), .space = has_lanes ? 1 : 0},
                {.place = column.place(layout_, at),
                 .along = column.place(layout_, at)});
      bands(grid_.column_bands, grid_.columns, column, at, track, track);
    });
    view = {
        .base = row.base,
        .extent = row.extent,
        .used = row.used,
        .budget = std::max<std::int64_t>(4, rows_for(options_, shown * lanes)),
        .unit_name = layout_.axes()[column_axis - 1].name};
    const std::size_t own = has_lanes ? 1 : 0;
    grid_.row_bands.assign(band_levels(row) + own, {});
    grid_.row_heading =
        has_lanes ? layout_.axes()[axes - 1].name : heading(row);
    for_each_step(
        shown_runs(row.terms, view, forced_rows),
        [&](std::int64_t at, const AxisRun* left) {
          if (left != nullptr) {
            elide(grid_.rows, grid_.rows_at, *left, left->text);
            return;
          }
          const std::size_t first = grid_.rows.size();
          const std::int64_t place = row.place(layout_, at);
          const std::int64_t room = row.room(layout_, at);
          for (std::int64_t lane = 0; lane < lanes; ++lane) {
            add_track(
                grid_.rows, grid_.rows_at,
                {.label = has_lanes ? fmt::format("{}", lane) : label(row, at),
                 .space = has_lanes && lane == 0 ? 1 : 0},
                {.place = place + lane, .along = lane, .limit = room});
          }
          const std::size_t last = grid_.rows.size() - 1;
          if (has_lanes) {
            add_band(grid_.row_bands.back(), first, last,
                     fmt::format("{} {}", view.unit_name,
                                 row.coordinates(layout_, at).back()),
                     true);
          }
          bands(grid_.row_bands, grid_.rows, row, at, first, last);
        });
    return std::move(grid_);
  }

 private:
  template <class Visit>
  static void for_each_step(const std::vector<AxisRun>& runs, Visit visit) {
    for (const AxisRun& run : runs) {
      if (run.elided) {
        visit(run.begin, &run);
        continue;
      }
      for (std::int64_t at = run.begin; at < run.begin + run.count; ++at) {
        visit(at, nullptr);
      }
    }
  }

  // All digits but the innermost have a band of their own.
  static std::size_t band_levels(const Joined& axis) {
    return nested(axis.terms) && !axis.terms.empty() ? axis.terms.size() - 1
                                                     : 0;
  }

  // An axis without a name of its own is told by its digits.
  [[nodiscard]] bool by_digit(const Joined& axis) const {
    return options_.logical ||
           layout_.expression().axes[axis.axes.back()].name.empty();
  }

  [[nodiscard]] std::string heading(const Joined& axis) const {
    if (by_digit(axis)) {
      return axis.terms.empty() ? "" : axis.terms.back().name;
    }
    return layout_.axes()[axis.axes.back()].name;
  }

  [[nodiscard]] std::string label(const Joined& axis, std::int64_t at) const {
    const std::vector<std::int64_t> values = digits_at(axis, at);
    if (by_digit(axis) && !values.empty()) {
      return fmt::format("{}", values.back());
    }
    return fmt::format("{}", axis.coordinates(layout_, at).back());
  }

  // The bands of one step, and the space where an outer digit begins anew.
  static void bands(std::vector<std::vector<PictureBand>>& levels,
                    std::vector<PictureTrack>& tracks, const Joined& axis,
                    std::int64_t at, std::size_t first, std::size_t last) {
    const std::vector<std::int64_t> values = digits_at(axis, at);
    for (std::size_t k = 0; k + 1 < values.size(); ++k) {
      const std::string text =
          fmt::format("{}={}", axis.terms[k].name, values[k]);
      const bool began = levels[k].empty() || levels[k].back().text != text;
      add_band(levels[k], first, last, text, k > 0 && began);
      if (began && first > 0) {
        tracks[first].space = std::max(tracks[first].space, k == 0 ? 2 : 1);
        // Inner digits begin with it.
        for (std::size_t inner = k + 1; inner + 1 < values.size(); ++inner) {
          add_band(levels[inner], first, last,
                   fmt::format("{}={}", axis.terms[inner].name, values[inner]),
                   true);
        }
        return;
      }
    }
  }

  const Layout& layout_;
  const GridOptions& options_;
  Grid grid_;
};

}  // namespace

Grid grid_of_image(const Layout& layout, const GridOptions& options) {
  return Image(layout, options).run();
}

}  // namespace stridewise::draw
